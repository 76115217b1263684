/* Runs under a limit that it sets itself. Usage: limits none|fsize|nofile|as VALUE COUNT [THREADS]
 *
 * COUNT one-byte writes into `out` at offsets below 512; with THREADS, each thread makes COUNT of them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int out;
static long count;

static void *work(void *unused)
{
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i % 512) != 1)
			abort();
	return unused;
}

static void limit(int what, rlim_t value)
{
	struct rlimit set = {value, value};
	if (setrlimit(what, &set) != 0)
		abort();
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "none";
	rlim_t value = argc > 2 ? (rlim_t)atoll(argv[2]) : 0;
	count = argc > 3 ? atol(argv[3]) : 100;
	long threads = argc > 4 ? atol(argv[4]) : 0, started = 0;
	pthread_t thread[64];
	pthread_attr_t attributes;
	struct sigaction size_action;
	out = open("out", O_RDWR | O_CREAT, 0600);
	if (strcmp(which, "fsize") == 0)
		limit(RLIMIT_FSIZE, value);
	if (strcmp(which, "nofile") == 0)
		limit(RLIMIT_NOFILE, value);
	if (strcmp(which, "as") == 0)
		limit(RLIMIT_AS, value);
	work(NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (; started < threads && started < 64; started++)
		if (pthread_create(&thread[started], &attributes, work, NULL) != 0)
			break;
	for (long i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	if (strcmp(which, "fsize") == 0) {
		/* The program's own write beyond the limit: refused with a signal, which is ignored here, and EFBIG. */
		struct sigaction ignored = {.sa_handler = SIG_IGN};
		sigset_t pending;
		sigaction(SIGXFSZ, NULL, &size_action);
		printf("SIGXFSZ %s\n", size_action.sa_handler == SIG_DFL ? "default" : "other");
		sigaction(SIGXFSZ, &ignored, NULL);
		errno = 0;
		printf("%zd", pwrite(out, "xx", 2, (off_t)value));
		printf(" %s\n", strerror(errno));
		sigpending(&pending);
		printf("pending %d\n", sigismember(&pending, SIGXFSZ));
	}
	printf("%s with %ld threads\n", which, started);
	return 4;
}
