/* A program that goes where it cannot see the run any more, and the threads and children that it starts there.
 *
 * Usage: reserve heirs THREADS COUNT FOLDER FILE: the root becomes FOLDER, a child is forked, the program ends, and THREADS threads
 * of the child write COUNT bytes each, one by one, to FILE, which is opened before.
 *        reserve children COUNT FOLDER USER FILE: each of COUNT children makes FOLDER its root, as USER (0:
 * unchanged), and writes a byte. Then the program prints a line and reads one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MOST = 1000 };

static int out;
static long count;

static void *writes(void *unused)
{
	for (long i = 0; i < count; i++)
		if (write(out, "x", 1) != 1)
			abort();
	return unused;
}

static void threads(int wanted)
{
	pthread_t all[THREADS_MOST];
	for (int i = 0; i < wanted; i++)
		if (pthread_create(&all[i], NULL, writes, NULL))
			abort();
	for (int i = 0; i < wanted; i++)
		pthread_join(all[i], NULL);
}

static int heirs(int wanted, const char *folder)
{
	if (chroot(folder))
		return 3;
	if (fork())
		_exit(0);
	threads(wanted);
	_exit(0);
}

static int children(long wanted, const char *folder, uid_t user)
{
	if (user && setuid(user))
		return 3;
	for (long i = 0; i < wanted; i++) {
		pid_t made = fork();
		if (made == 0)
			_exit((chroot(folder) != 0) + (write(out, "x", 1) != 1) * 2);
		int status = -1;
		if (waitpid(made, &status, 0) != made || status != (user ? 0x100 : 0))
			return 4;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	bool forks_once = !strcmp(argv[1], "heirs");
	out = open(argv[argc - 1], O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (out < 0)
		return 2;
	if (forks_once) {
		count = atol(argv[3]);
		return heirs(atoi(argv[2]), argv[4]);
	}
	int result = children(atol(argv[2]), argv[3], (uid_t)atol(argv[4]));
	/* The existing files are listed before the end. */
	puts("done");
	fflush(stdout);
	getchar();
	return result;
}
