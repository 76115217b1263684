/* Programs: a tree of some hundred processes, started and ended in every possible way, at random but the same for the same seed.
 * Every process writes a known number of times to "out" and logs in "log", by direct system calls, its pid, its parent, the number
 * of its writes and how it will end. tests/faults/tree.py compares the trace with the log.
 *
 * tree SEED DEPTH: the root. Others are started as tree SEED DEPTH ID PARENT WAY. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *self;
static uint64_t seed;
static int out, log_file;

/* A number from 0 to below `most`, for this node and this purpose. */
static unsigned chance(uint64_t id, unsigned purpose, unsigned most)
{
	uint64_t mixed = (id * 0x9e3779b97f4a7c15ull + purpose) ^ seed * 0xd6e8feb86659fd93ull;
	mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ mixed >> 32) * 0x94d049bb133111ebull;
	return (unsigned)((mixed ^ mixed >> 31) % most);
}

static void writes(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (pwrite(out, "x", 1, 0) != 1)
			abort();
}

/* By the kernel directly, in one piece: not recorded, and complete even if SIGKILL follows. */
static void tell(const char *line, int length)
{
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_write), "D"((long)log_file), "S"(line), "d"((long)length)
			 : "rcx", "r11", "memory");
	if (result != length)
		abort();
}

static void node(uint64_t id, unsigned depth, pid_t parent, const char *way);

/* The words that start a node as a program of its own. */
static char words[6][32];
static char *argv_of(uint64_t id, unsigned depth, const char *way, char **argv)
{
	snprintf(words[0], sizeof words[0], "%llu", (unsigned long long)seed);
	snprintf(words[1], sizeof words[1], "%u", depth);
	snprintf(words[2], sizeof words[2], "%llu", (unsigned long long)id);
	snprintf(words[3], sizeof words[3], "%d", (int)getpid());
	snprintf(words[4], sizeof words[4], "%s", way);
	argv[0] = (char *)self;
	for (int i = 0; i < 5; i++)
		argv[i + 1] = words[i];
	argv[6] = NULL;
	return argv[0];
}

struct begin {
	uint64_t id;
	unsigned depth;
	pid_t parent;
};

static int cloned(void *given)
{
	const struct begin *begin = given;
	node(begin->id, begin->depth, begin->parent, "clone");
	return 0;
}

static void *forking_thread(void *given)
{
	const struct begin *begin = given;
	pid_t child = fork();
	if (child == 0)
		node(begin->id, begin->depth, begin->parent, "thread");
	return (void *)(intptr_t)child;
}

/* The child executes itself before anything else. */
static pid_t executed(pid_t child, char **argv)
{
	char *none[] = {NULL};
	if (child)
		return child;
	execve("/no/such/program", argv, none);
	execve(self, argv, none);
	_exit(99);
}

/* A shell starts it; the shell's own process is not logged. */
static void by_shell(uint64_t id, unsigned depth, pid_t parent, int piped)
{
	char command[8192];
	snprintf(command, sizeof command, "'%s' %llu %u %llu %d %s; exit 5", self,
		 (unsigned long long)seed, depth, (unsigned long long)id, (int)parent,
		 piped ? "popen" : "system");
	int status = piped ? pclose(popen(command, "r")) : system(command);
	if (status != 5 << 8)
		abort();
}

/* Makes a child in the way of this number; 0: it has been waited for. */
static pid_t child_begin(unsigned number, uint64_t id, unsigned depth)
{
	static char stack[1 << 18] __attribute__((aligned(16)));
	struct begin begin = {id, depth, getpid()};
	char *argv[7];
	pid_t child = 0;
	pthread_t thread;
	void *value;
	switch (number) {
	case 0:
		if ((child = fork()) == 0)
			node(id, depth, begin.parent, "fork");
		return child;
	case 1:
		if ((child = _Fork()) == 0)
			node(id, depth, begin.parent, "_Fork");
		return child;
	case 2:
		if ((child = (pid_t)syscall(SYS_fork)) == 0)
			node(id, depth, begin.parent, "raw");
		return child;
	case 3:
		return clone(cloned, stack + sizeof stack, SIGCHLD, &begin);
	case 4:
		if (pthread_create(&thread, NULL, forking_thread, &begin) ||
		    pthread_join(thread, &value))
			abort();
		return (pid_t)(intptr_t)value;
	case 5:
		argv_of(id, depth, "forkexec", argv);
		return executed(fork(), argv);
	case 6:
		argv_of(id, depth, "vfork", argv);
		child = vfork();
		if (child == 0) {
			execv(self, argv);
			_exit(99);
		}
		return child;
	case 7:
		argv_of(id, depth, "spawn", argv);
		if (posix_spawn(&child, self, NULL, NULL, argv, environ))
			abort();
		return child;
	case 8:
		by_shell(id, depth, begin.parent, 0);
		return 0;
	case 9:
		by_shell(id, depth, begin.parent, 1);
		return 0;
	default:
		/* Left to the root, which gets it when the process in between has ended. */
		if ((child = fork()) == 0) {
			if (fork() == 0)
				node(id, depth, begin.parent, "orphan");
			_exit(0);
		}
		return child;
	}
}

static void child_wait(unsigned way, pid_t child)
{
	siginfo_t info;
	int status;
	struct rusage usage;
	long result;
	do {
		result = way == 0   ? waitpid(child, &status, 0)
			 : way == 1 ? wait4(child, &status, 0, &usage)
				    : waitid(P_PID, (id_t)child, &info, WEXITED);
	} while (result < 0 && errno == EINTR);
	if (result < 0)
		abort();
}

enum { WAYS = 11, ENDS = 7 };
static const char *const ends[ENDS] = {"exit", "exit", "exit", "exit", "kill", "abort", "exec"};

/* All that a process does from its beginning to its end. Does not return. */
static void node(uint64_t id, unsigned depth, pid_t parent, const char *way)
{
	char line[256];
	unsigned count = 1 + chance(id, 1, 9), end = chance(id, 2, ENDS);
	unsigned status = chance(id, 3, 120);
	/* A shell checks that all succeeded; an image is replaced only once. */
	if (id == 1 || !strcmp(way, "system") || !strcmp(way, "popen"))
		end = 0;
	if (end == 6 && (!strcmp(way, "exec") || depth == 0))
		end = 1;
	unsigned told = end == 4 ? SIGKILL : end == 5 ? SIGABRT : end == 6 ? 0 : status;
	int length = snprintf(line, sizeof line, "%d %d %u %s %s %u\n", (int)getpid(), (int)parent,
			      count, way, ends[end], told);
	tell(line, length);
	writes(count - count / 2);
	for (unsigned i = 0; depth > 0 && end != 6 && i < 2 + chance(id, 4, 2); i++) {
		pid_t child = child_begin(chance(id, 10 + i, WAYS), id * 4 + i, depth - 1);
		if (child < 0)
			abort();
		if (child > 0)
			child_wait(chance(id, 20 + i, 3), child);
	}
	writes(count / 2);
	if (id == 1)
		while (wait(NULL) > 0 || errno != ECHILD)
			;
	switch (end) {
	case 0:
		exit((int)status);
	case 1:
		_exit((int)status);
	case 2:
		_Exit((int)status);
	case 3:
		quick_exit((int)status);
	case 4:
		kill(getpid(), SIGKILL);
		for (;;)
			pause();
	case 5:
		abort();
	default:
		break;
	}
	char *argv[7];
	argv_of(id * 4 + 3, depth, "exec", argv);
	execv(self, argv);
	abort();
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = {0, 0};
	if (argc != 3 && argc != 6)
		return 2;
	self = argv[0];
	seed = strtoull(argv[1], NULL, 10);
	setrlimit(RLIMIT_CORE, &no_core);
	out = open("out", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	log_file = open("log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (argc == 3)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	node(argc == 3 ? 1 : strtoull(argv[3], NULL, 10), (unsigned)atoi(argv[2]),
	     argc == 3 ? 0 : (pid_t)atoi(argv[4]), argc == 3 ? "root" : argv[5]);
	return 3;
}
