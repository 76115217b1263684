/* A program that changes its user while it runs, and the threads, children and program that it starts then.
 *
 * Usage: users WAY COUNT USER [FILE]. Each part writes COUNT bytes, one by one, to the file, which is opened before. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

static int out;
static long count;

static void *writes(void *unused)
{
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i % 4096) != 1)
			abort();
	return unused;
}

static void threads(void)
{
	pthread_t all[THREADS];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&all[i], NULL, writes, NULL))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

static void wait_for(pid_t child, const char *what)
{
	int status = -1;
	waitpid(child, &status, 0);
	printf("%s %x\n", what, (unsigned)status);
	fflush(stdout);
}

static void child(void)
{
	pid_t made = fork();
	if (made == 0) {
		writes(NULL);
		threads();
		_exit(3);
	}
	wait_for(made, "child");
}

/* The same program, which opens the file again. */
static void image(char **words, const char *way)
{
	pid_t made = fork();
	if (made == 0) {
		char *again[] = {words[0], (char *)way, words[2], words[3], words[4], NULL};
		execv(words[0], again);
		_exit(9);
	}
	wait_for(made, "image");
}

static void become(const char *way, uid_t user)
{
	int result = -1;
	if (!strcmp(way, "setuid"))
		result = setuid(user);
	else if (!strcmp(way, "setresuid"))
		result = setresuid(user, user, user);
	else if (!strcmp(way, "setreuid"))
		result = setreuid(user, user);
	else if (!strcmp(way, "syscall"))
		result = (int)syscall(SYS_setuid, user);
	else if (!strcmp(way, "chroot"))
		result = chroot(".") || chdir("/") || setuid(user);
	else if (!strcmp(way, "seteuid"))
		result = seteuid(user);
	printf("%s %d\n", way, result);
}

static volatile sig_atomic_t handled, unseen;

static void look(int number)
{
	int saved = errno;
	(void)number;
	handled = 1;
	if (fcntl(out, F_GETFD) < 0)
		unseen = 1;
	errno = saved;
}

static void *waits(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* A handler runs again and again while the root is changed: it must see the file each time. */
static int interrupted(void)
{
	sigset_t alarms;
	pthread_t other;
	struct itimerval often = {{0, 50}, {0, 50}};
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	if (pthread_create(&other, NULL, waits, NULL))
		abort();
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	signal(SIGALRM, look);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < count || !handled; i++)
		if (chroot("/"))
			abort();
	return unseen ? 8 : 7;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	const char *way = argv[1];
	count = atol(argv[2]);
	out = open(argv[4], O_RDWR);
	if (out < 0)
		return 4;
	if (!strcmp(way, "write")) {
		writes(NULL);
		return 5;
	}
	if (!strcmp(way, "interrupted"))
		return interrupted();
	if (!strcmp(way, "threads")) {
		threads();
		return 6;
	}
	writes(NULL);
	become(way, (uid_t)atol(argv[3]));
	writes(NULL);
	threads();
	threads();
	child();
	if (strcmp(way, "chroot")) {
		image(argv, "write");
		image(argv, "threads");
	}
	return 7;
}
