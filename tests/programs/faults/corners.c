/* Does what few programs do. Usage: corners WAY
 *
 * Each way prints its results. `fifo` executes a pipe, `locks` keeps a lock during system(), `stack` starts a program from a thread
 * with a small stack, `handler` writes until lanes are cut on a small alternate stack, `vfork` changes descriptors and folder in a
 * vfork child, `shells` expands words in many threads, `probe` requests an impossible filter, `leap` and `cancelled` leave system()
 * without its return, `truncated` passes a path in memory that was removed with the end of a file, `question` asks seccomp() for
 * its abilities, `refused` makes a process that cannot be made, `threadless` forks in a thread and returns. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

enum { SMALL_STACK = 16384, SIGNAL_STACK = 8192, WRITES = 30000, THREADS = 6, SHELLS = 40 };

static char *const nothing[] = {"true", NULL};

static void fifo(void)
{
	mkfifo("pipe", 0700);
	execve("./pipe", nothing, environ);
	perror("execve");
}

static void start(const char *program)
{
	pid_t child = -1;
	int status = -1, error = posix_spawn(&child, program, NULL, NULL, nothing, environ);
	if (!error)
		waitpid(child, &status, 0);
	printf("spawn %d status %d\n", error, status);
}

static void locks(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int file = open("script", O_RDWR | O_CREAT, 0700), other = 0;
	if (write(file, "#!/bin/sh\n", 10) != 10)
		abort();
	fcntl(file, F_SETLK, &lock);
	start("./script");
	pid_t child = fork();
	if (child == 0) {
		fcntl(file, F_GETLK, &lock);
		_exit(lock.l_type == F_WRLCK);
	}
	waitpid(child, &other, 0);
	printf("locked %d\n", WEXITSTATUS(other));
}

static void *starter(void *unused)
{
	start("/bin/true");
	return unused;
}

static void stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	size_t size = SMALL_STACK;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory, size);
	pthread_create(&thread, &attributes, starter, NULL);
	pthread_join(thread, NULL);
}

static int out;

static void write_on(int signal)
{
	(void)signal;
	for (int i = 0; i < WRITES; i++)
		if (pwrite(out, "x", 1, 0) != 1)
			abort();
}

static void handler(void)
{
	stack_t alternate = {.ss_size = SIGNAL_STACK};
	struct sigaction action = {.sa_handler = write_on, .sa_flags = SA_ONSTACK};
	/* Growth below it is detected. */
	char *memory = mmap(NULL, 2 * SIGNAL_STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	alternate.ss_sp = memory + SIGNAL_STACK;
	mprotect(alternate.ss_sp, SIGNAL_STACK, PROT_READ | PROT_WRITE);
	out = open("out", O_RDWR | O_CREAT, 0600);
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	puts("handled");
}

static void forked(void)
{
	int first = open("first", O_RDWR | O_CREAT, 0600),
	    second = open("second", O_RDWR | O_CREAT, 0600);
	pid_t child = vfork();
	if (child == 0) {
		dup2(first, second);
		close(first);
		if (chdir("/usr") != 0)
			_exit(2);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	int third = open("third", O_RDWR | O_CREAT, 0600);
	if (write(first, "a", 1) + write(second, "bb", 2) + write(third, "ccc", 3) != 6)
		abort();
	puts("written");
}

static void *expand(void *unused)
{
	for (int i = 0; i < SHELLS; i++) {
		wordexp_t words;
		if (wordexp("$(echo one) two", &words, 0) == 0)
			wordfree(&words);
	}
	return unused;
}

static void print_environment(void)
{
	for (char **entry = environ; *entry; entry++)
		puts(*entry);
}

static void shells(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, expand, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	print_environment();
}

static sigjmp_buf out_of_it;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(out_of_it, 1);
}

static void leap(void)
{
	struct sigaction action = {.sa_handler = jump};
	sigaction(SIGALRM, &action, NULL);
	if (sigsetjmp(out_of_it, 1) == 0) {
		alarm(1);
		if (system("exec sleep 3") < 0)
			abort();
	}
	access("/", F_OK);
	print_environment();
}

static void *asleep(void *unused)
{
	if (system("exec sleep 3") < 0)
		abort();
	return unused;
}

static void cancelled(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, asleep, NULL);
	sleep(1);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	print_environment();
}

static void truncated(void)
{
	int file = open("names", O_RDWR | O_CREAT, 0600);
	if (pwrite(file, "names", 6, 0) != 6)
		abort();
	char *name = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
	printf("access %d\n", access(name, F_OK));
	if (ftruncate(file, 0) != 0)
		abort();
	printf("access %d\n", access(name, F_OK));
	perror("access");
}

static void *ask(void *unused)
{
	for (int i = 0; i < 50; i++)
		access("/", F_OK);
	return unused;
}

static void probe(void)
{
	pthread_t thread;
	printf("seccomp %ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
	pthread_create(&thread, NULL, ask, NULL);
	pthread_join(thread, NULL);
}

static void question(void)
{
	uint32_t action = SECCOMP_RET_ALLOW;
	pthread_t thread;
	printf("seccomp %ld\n", syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action));
	pthread_create(&thread, NULL, ask, NULL);
	pthread_join(thread, NULL);
}

static int never(void *unused)
{
	(void)unused;
	return 0;
}

static void refused(void)
{
	static char room[SMALL_STACK];
	/* A thread group without shared handlers is impossible. */
	printf("clone %d\n", clone(never, room + sizeof room, CLONE_VM | CLONE_THREAD, NULL));
	perror("clone");
	ask(NULL);
}

static void *fork_and_return(void *unused)
{
	int status = -1;
	ask(NULL);
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		return NULL;
	waitpid(child, &status, 0);
	printf("status %x\n", status);
	return unused;
}

static void threadless(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, fork_and_return, NULL);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*way)(void);
	} ways[] = {{"fifo", fifo},
		    {"locks", locks},
		    {"stack", stack},
		    {"handler", handler},
		    {"vfork", forked},
		    {"shells", shells},
		    {"probe", probe},
		    {"leap", leap},
		    {"cancelled", cancelled},
		    {"truncated", truncated},
		    {"question", question},
		    {"refused", refused},
		    {"threadless", threadless}};
	for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			ways[i].way();
	return 0;
}
