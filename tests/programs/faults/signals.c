/* Handlers that make calls, and errno around calls. Usage: signals rate|size|errno|faults COUNT [FILE]
 *
 * FILE gets the number of writes that handlers made. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static int out;
static volatile long handled, caught;

static void tell(const char *what, long value, int error)
{
	printf("%s %ld %s\n", what, value, error ? strerrorname_np(error) : "-");
}

static void handler_writes(int number)
{
	int saved = errno;
	(void)number;
	for (int i = 0; i < 3; i++) {
		if (pwrite(out, "h", 1, 1) != 1)
			abort();
		handled++;
	}
	if (access("/no/such/file", F_OK) == 0 || errno != ENOENT)
		abort();
	errno = saved;
}

static void high_rate(long count)
{
	struct sigaction action = {.sa_handler = handler_writes, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
	FILE *stream = fopen("/dev/null", "w");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, 0) != 1 || fwrite("12345678", 8, 1, stream) != 1)
			abort();
	setitimer(ITIMER_REAL, &never, NULL);
	fclose(stream);
}

static void catch (int number)
{
	(void)number;
	caught++;
}

/* The program's own write beyond its limit, once for each disposition. */
static void file_size(long count)
{
	struct rlimit limit = {1000, RLIM_INFINITY};
	struct sigaction action = {.sa_handler = catch}, now;
	sigaction(SIGXFSZ, &action, NULL);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i % 512) != 1)
			abort();
	tell("caught before", caught, 0);
	long result = pwrite(out, "x", 1, 5000);
	tell("beyond", result, errno);
	tell("caught", caught, 0);
	sigaction(SIGXFSZ, NULL, &now);
	tell("handler kept", now.sa_handler == catch, 0);
	/* Blocked and pending: neither removed nor added. */
	sigset_t set, pending;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
	result = pwrite(out, "x", 1, 5000);
	tell("blocked", result, errno);
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i % 512) != 1)
			abort();
	sigpending(&pending);
	tell("pending", sigismember(&pending, SIGXFSZ), 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	tell("caught", caught, 0);
	sigprocmask(SIG_BLOCK, NULL, &set);
	int blocked = 0;
	for (int i = 1; i < 65; i++)
		blocked += sigismember(&set, i) == 1;
	tell("mask", blocked, 0);
}

/* errno after a failed call, or unchanged after a successful one. */
#define KEPT(call)                                                                                 \
	do {                                                                                       \
		errno = 77;                                                                        \
		long value = (long)(call);                                                         \
		int error = errno;                                                                 \
		if (error != 77 || value < 0)                                                      \
			tell(#call, value, error);                                                 \
		changed += error != 77;                                                            \
	} while (0)
#define FAILS(call)                                                                                \
	do {                                                                                       \
		errno = 77;                                                                        \
		long value = (long)(call);                                                         \
		tell(#call, value<0 ? -1 : value> 0, errno);                                       \
	} while (0)

static void errors(long count)
{
	char bytes[16];
	struct stat found;
	long changed = 0;
	for (long i = 0; i < count; i++) {
		int fd, copy;
		KEPT(fd = open("file", O_RDWR | O_CREAT, 0600));
		KEPT(write(fd, "x", 1));
		KEPT(lseek(fd, 0, SEEK_SET));
		KEPT(read(fd, bytes, sizeof bytes));
		KEPT(fstat(fd, &found));
		KEPT(stat("file", &found));
		KEPT(copy = dup(fd));
		KEPT(close(copy));
		KEPT(close(fd));
		KEPT(access("file", R_OK));
		KEPT(rename("file", "gone"));
		KEPT(unlink("gone"));
	}
	tell("changed", changed, 0);
	FAILS(open("/no/such/file", O_RDONLY));
	FAILS(close(-1));
	FAILS(read(-1, bytes, 1));
	FAILS(write(9999, bytes, 1));
	FAILS(lseek(out, -1, SEEK_SET));
	FAILS(stat("/no/such/file", &found));
	FAILS(mkdir("/", 0700));
	FAILS(rmdir("/"));
	FAILS(unlink("/"));
	FAILS(dup2(-1, 3));
	FAILS(fcntl(-1, F_GETFL));
	FAILS((long)fopen("/no/such/file", "r"));
	FAILS((long)opendir("/no/such/file"));
	FAILS(ftruncate(0, -1));
	FAILS(fsync(-1));
}

static void faults(void)
{
	static char *volatile bad_text;
	struct stat *volatile bad_stat = (struct stat *)16;
	struct iovec *volatile bad_vector = (struct iovec *)24;
	volatile int none = -1, many = 2000;
	struct iovec good[2] = {{"ab", 2}, {(void *)8, 2}};
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *const places[] = {(char *)8,
				(char *)4095,
				(char *)4096,
				(char *)-1,
				(char *)-4096,
				(char *)(1ul << 47),
				(char *)0x8000000000000000ul};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		bad_text = places[i];
		FAILS(open(bad_text, O_RDONLY));
		FAILS(openat(AT_FDCWD, bad_text, O_RDONLY));
		FAILS(unlink(bad_text));
		FAILS(rename("out", bad_text));
		FAILS(rename(bad_text, "out"));
		FAILS(chdir(bad_text));
		FAILS(write(out, bad_text, 4));
		FAILS(read(out, bad_text, 4));
	}
	bad_text = NULL;
	FAILS(open(bad_text, O_RDONLY));
	FAILS(stat("out", bad_stat));
	FAILS(fstat(out, bad_stat));
	FAILS(lstat("out", bad_stat));
	FAILS(writev(out, bad_vector, 2));
	FAILS(readv(out, bad_vector, 2));
	FAILS(preadv(out, bad_vector, 2, 0));
	FAILS(writev(out, good, none));
	FAILS(writev(out, good, many));
	FAILS(writev(out, good + 1, 1));
	FAILS(pwritev(out, good, 2, 0));
	/* A name that ends with its page, and the same address when the page after it, and it itself, are unmapped. */
	memset(page, '/', 4096);
	page[4095] = 0;
	FAILS(access(page + 4090, F_OK));
	page[4095] = '/';
	page[4096] = 0;
	FAILS(access(page + 4090, F_OK));
	mprotect(page + 4096, 4096, PROT_NONE);
	FAILS(access(page + 4090, F_OK));
	munmap(page, 8192);
	FAILS(access(page + 4000, F_OK));
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 10;
	out = open("out", O_RDWR | O_CREAT, 0600);
	if (strcmp(way, "rate") == 0)
		high_rate(count);
	else if (strcmp(way, "size") == 0)
		file_size(count);
	else if (strcmp(way, "errno") == 0)
		errors(count);
	else if (strcmp(way, "faults") == 0)
		faults();
	if (argc > 3) {
		FILE *file = fopen(argv[3], "w");
		fprintf(file, "%ld\n", handled);
		fclose(file);
	}
	return 0;
}
