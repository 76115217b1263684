/* Makes COUNT writes, then ends in the way of its first argument. Usage: ends WAY COUNT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int out;
static long count;
static const char *self;

static void *write_on(void *unused)
{
	(void)unused;
	for (;;)
		if (pwrite(out, "y", 1, 0) != 1)
			break;
	return NULL;
}

static void *exec_self(void *name)
{
	usleep(50000);
	execl(self, self, "return", "5", (char *)NULL);
	perror(name);
	return NULL;
}

static void *sleep_on(void *unused)
{
	(void)unused;
	char byte;
	int ends[2];
	if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1)
		return NULL;
	return NULL;
}

static void in_thread(void *(*body)(void *))
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, body, NULL) != 0)
		abort();
}

static void tell(int result)
{
	printf("%d %d\n", result, errno);
}

static void at_exit(void)
{
	if (pwrite(out, "z", 1, count) != 1)
		_exit(9);
}

int main(int argc, char **argv)
{
	self = argv[0];
	const char *way = argc > 1 ? argv[1] : "return";
	count = argc > 2 ? atol(argv[2]) : 1;
	out = open("out", O_RDWR | O_CREAT, 0600);
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i) != 1)
			return 1;
	printf("%s after %ld\n", way, count);
	fflush(stdout);
	if (strcmp(way, "_exit") == 0)
		_exit(11);
	if (strcmp(way, "_Exit") == 0)
		_Exit(12);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(13);
	if (strcmp(way, "exit") == 0) {
		atexit(at_exit);
		exit(14);
	}
	if (strcmp(way, "exit_group") == 0)
		syscall(SYS_exit_group, 15);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "segv") == 0)
		*(volatile int *)16 = 0;
	if (strcmp(way, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(way, "exec") == 0)
		execl(self, self, "_exit", "7", (char *)NULL);
	if (strcmp(way, "exec_fails") == 0) {
		char *none[] = {NULL}, *volatile bad = (char *)8;
		tell(execl("/no/such/program", "x", (char *)NULL));
		tell(execv("out", none));
		tell(execve("/", none, NULL));
		tell(execlp("no-such-program", "x", (char *)NULL));
		tell(execve(bad, none, none));
		tell(execve("/bin/true", none, (char **)bad));
		tell(execv("/bin/true", (char **)bad));
	}
	if (strcmp(way, "exec_thread") == 0) {
		in_thread(sleep_on);
		in_thread(exec_self);
		pause();
	}
	if (strcmp(way, "writer") == 0) {
		in_thread(write_on);
		in_thread(write_on);
		usleep(100000);
		exit(16);
	}
	if (strcmp(way, "writer_returns") == 0) {
		in_thread(write_on);
		usleep(100000);
		return 17;
	}
	if (strcmp(way, "main_leaves") == 0) {
		in_thread(exec_self);
		pthread_exit(NULL);
	}
	return 3;
}
