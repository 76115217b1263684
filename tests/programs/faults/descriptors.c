/* Uses the descriptor table in unusual ways. Usage: descriptors WAY COUNT [DIGEST]
 *
 * In each way, the numbers that it gets are printed to `report` (a stream opened first). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long count;
static char report[1 << 16];
static size_t reported;

static void tell(const char *what, long value)
{
	reported += (size_t)snprintf(report + reported, sizeof report - reported, "%s %ld\n", what,
				     value);
}

static void writes(int fd)
{
	long good = 0;
	for (long i = 0; i < count; i++)
		good += pwrite(fd, "x", 1, i % 512) == 1;
	tell("writes", good);
}

/* The open descriptors, as the kernel lists them. */
static void list(void)
{
	for (int fd = 0; fd < 5000; fd++) {
		struct stat found;
		if (fstat(fd, &found) == 0)
			tell("open", fd);
	}
}

static void reopen(void)
{
	int first = open("a", O_RDWR | O_CREAT, 0600), second = open("b", O_RDWR | O_CREAT, 0600);
	tell("first", first);
	tell("second", second);
	writes(first);
	writes(second);
	list();
}

static volatile int stop;

/* Keeps the other thread's lane full, so that its blocks are written all the time. */
static void *busy(void *unused)
{
	int fd = open("busy", O_RDWR | O_CREAT, 0600);
	while (!stop)
		if (pwrite(fd, "x", 1, 0) != 1)
			abort();
	return unused;
}

static void *one_call(void *unused)
{
	access("/", F_OK);
	return unused;
}

/* Threads and programs that start. */
static void *starting(void *unused)
{
	char *arguments[] = {"true", NULL};
	for (unsigned i = 0; !stop; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, one_call, NULL);
		pthread_join(thread, NULL);
		pid_t child;
		if (i % 16 == 0 && !posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL))
			waitpid(child, NULL, 0);
	}
	return unused;
}

static void lowest_numbers(void)
{
	pthread_t thread, starter;
	long wrong = 0, leaked = 0;
	pthread_create(&thread, NULL, busy, NULL);
	pthread_create(&starter, NULL, starting, NULL);
	usleep(20000);
	for (long i = 0; i < count; i++) {
		int low = open("/dev/null", O_RDONLY), next;
		close(low);
		next = open("/dev/null", O_RDONLY);
		wrong += next != low;
		close(next);
		if (i % 100 == 0) {
			/* A child must inherit only descriptors of the program. */
			pid_t child = fork();
			if (child == 0) {
				int extra = 0;
				for (int fd = 5; fd < 64; fd++)
					extra += fcntl(fd, F_GETFD) >= 0;
				syscall(SYS_exit_group, extra);
			}
			int status;
			waitpid(child, &status, 0);
			leaked += WEXITSTATUS(status);
		}
	}
	stop = 1;
	pthread_join(thread, NULL);
	pthread_join(starter, NULL);
	tell("wrong", wrong);
	tell("leaked", leaked);
}

static void fill_table(void)
{
	int last = -1, fd, file = open("a", O_RDWR | O_CREAT, 0600);
	while ((fd = dup(0)) >= 0)
		last = fd;
	tell("last", last);
	tell("error", errno);
	writes(file);
	tell("stat", access("/", F_OK));
	DIR *dir = opendir("/");
	tell("opendir", dir ? 0 : errno);
	close(last);
	tell("free again", open("/dev/null", O_RDONLY));
	writes(file);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	count = argc > 2 ? atol(argv[2]) : 100;
	int output = dup2(1, 200);
	if (strcmp(way, "loop") == 0) {
		for (int fd = 0; fd < 4096; fd++)
			if (fd != output)
				close(fd);
		reopen();
	} else if (strcmp(way, "range") == 0) {
		tell("range", close_range(0, (unsigned)output - 1, 0));
		tell("range", close_range((unsigned)output + 1, ~0u, 0));
		reopen();
	} else if (strcmp(way, "from") == 0) {
		output = dup2(1, 0);
		closefrom(1);
		reopen();
	} else if (strcmp(way, "listed") == 0) {
		/* Like daemons: everything that /proc lists, except the descriptor of the listing itself. */
		DIR *dir = opendir("/proc/self/fd");
		for (struct dirent *entry; (entry = readdir(dir));) {
			int fd = atoi(entry->d_name);
			if (entry->d_name[0] != '.' && fd != dirfd(dir) && fd != output) {
				tell("listed", fd);
				close(fd);
			}
		}
		closedir(dir);
		reopen();
	} else if (strcmp(way, "full") == 0) {
		struct rlimit most = {256, 256};
		setrlimit(RLIMIT_NOFILE, &most);
		fill_table();
	} else if (strcmp(way, "high") == 0) {
		/* Numbers beyond every table. */
		struct rlimit most;
		getrlimit(RLIMIT_NOFILE, &most);
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
		int file = open("a", O_RDWR | O_CREAT, 0600),
		    high = (int)(most.rlim_cur < 1 << 20 ? most.rlim_cur : 1 << 20) - 1;
		tell("dup2", dup2(file, high) == high);
		writes(high);
		tell("close", close(high));
		tell("again", close(high));
		tell("minus", (long)write(-1, "x", 1));
		tell("huge", (long)write(0x7fffffff, "x", 1));
	} else if (strcmp(way, "unseen") == 0) {
		/* Numbers of closed files are used for other objects, without a recorded call. */
		int file = open("a", O_RDWR | O_CREAT, 0600), pair[2];
		writes(file);
		close(file);
		tell("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
		tell("again", pair[0] == file);
		tell("sent", (long)write(pair[0], "socket", 6));
	} else if (strcmp(way, "lowest") == 0) {
		lowest_numbers();
	} else if (strcmp(way, "every") == 0) {
		/* Overwrites every number with a file of its own. */
		int file = open("a", O_RDWR | O_CREAT, 0600);
		for (int fd = 0; fd < 1024; fd++)
			if (fd != output && fd != file)
				dup2(file, fd);
		writes(file);
		struct stat found;
		fstat(file, &found);
		tell("size", (long)found.st_size);
	}
	return write(output, report, reported) == (ssize_t)reported ? 6 : 7;
}
