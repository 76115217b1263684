/* flags: -static
 *
 * Runs a program to its trap, continues instruction by instruction, and kills it at a given one (faults/kill_steps*.py).
 *
 *   kill_stepper HOW WHO NUMBER TRACE COUNTERS PROGRAM WORD...
 *
 * HOW is `step`: kill after NUMBER instructions; `state`: kill at the NUMBER-th event, which is a change of a shared mapping (its
 * lanes, the control page) or the return of a system call; `torn`: write only NUMBER bytes of the first block, then kill. WHO is
 * `self` or `child`, the first process that it forks. The status is 0 if it was killed there, 3 if the call was over before, 2 after
 * an error. Static, so that it is not traced itself.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED = 0, WRONG = 2, OVER = 3, ENDED = 4, FILES_MOST = 16, BLOCK_LEAST = 64 };

/* The head of struct shared in kill_worker.c. */
struct shared {
	uint32_t next_slot;
	uint32_t phase;
	uint32_t steps;
	uint32_t syscalls;
	uint32_t events;
};

/* A mapped file of the lane folder and its content at the last comparison. */
struct file {
	char name[64];
	const uint8_t *bytes;
	uint8_t *before;
	size_t size;
};

static struct file files[FILES_MOST];
static size_t file_count;
static char lane_folder[4096];
static volatile struct shared *shared;

static _Noreturn void wrong(const char *what)
{
	fprintf(stderr, "kill_stepper: %s: %s\n", what, strerror(errno));
	exit(WRONG);
}

static void paths_find(const char *trace)
{
	char path[4200];
	snprintf(path, sizeof path, "%s/lanes", trace);
	int fd = open(path, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, lane_folder, sizeof lane_folder - 1);
	if (length <= 0)
		wrong(path);
	close(fd);
}

/* Maps new files of the lane folder. */
static void files_look(void)
{
	DIR *list = opendir(lane_folder);
	if (!list)
		wrong(lane_folder);
	for (struct dirent *entry; (entry = readdir(list));) {
		bool known = entry->d_name[0] == '.';
		for (size_t i = 0; i < file_count && !known; i++)
			known = strcmp(files[i].name, entry->d_name) == 0;
		if (known || file_count == FILES_MOST ||
		    strlen(entry->d_name) >= sizeof files->name)
			continue;
		struct stat found;
		struct file *file = &files[file_count];
		int fd = openat(dirfd(list), entry->d_name, O_RDONLY);
		if (fd >= 0 && fstat(fd, &found) == 0 && found.st_size > 0) {
			file->size = (size_t)found.st_size;
			file->bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
			file->before = malloc(file->size);
			if (file->bytes == MAP_FAILED || !file->before)
				wrong("mmap");
			memcpy(file->before, file->bytes, file->size);
			strcpy(file->name, entry->d_name);
			file_count++;
		}
		if (fd >= 0)
			close(fd);
	}
	closedir(list);
}

/* Whether the mapped files have changed since the last comparison. */
static bool memory_changed(void)
{
	static uint64_t phase;
	bool changed = shared->phase != phase;
	phase = shared->phase;
	for (size_t i = 0; i < file_count; i++) {
		if (memcmp(files[i].before, files[i].bytes, files[i].size) == 0)
			continue;
		memcpy(files[i].before, files[i].bytes, files[i].size);
		changed = true;
	}
	return changed;
}

static void reap_all(void)
{
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		;
}

/* Waits for a stop of `pid`; false: it has ended. */
static bool stopped(pid_t pid, int *status)
{
	while (waitpid(pid, status, __WALL) < 0)
		if (errno != EINTR)
			wrong("waitpid");
	return WIFSTOPPED(*status);
}

/* Runs to the program's trap. */
static void run_to_trap(pid_t pid)
{
	int status, signal = 0;
	for (;;) {
		if (ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)signal) != 0 ||
		    !stopped(pid, &status))
			wrong("the program ended before its trap");
		signal = WSTOPSIG(status);
		if (signal == SIGTRAP && shared->phase == 1)
			return;
		if (signal == SIGTRAP)
			signal = 0;
	}
}

/* Lets `pid` fork and returns the child, stopped where it begins. */
static pid_t child_catch(pid_t pid)
{
	int status;
	unsigned long child = 0;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(intptr_t)PTRACE_O_TRACEFORK) != 0)
		wrong("PTRACE_O_TRACEFORK");
	do {
		if (ptrace(PTRACE_CONT, pid, NULL, NULL) != 0 || !stopped(pid, &status))
			wrong("the program ended before it forked");
	} while (status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8));
	ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child);
	if (!stopped((pid_t)child, &status))
		wrong("the child is gone");
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return (pid_t)child;
}

/* Steps until `number` instructions, or events if `states` is set, have passed. */
static int step(pid_t pid, unsigned long number, bool states)
{
	int status, signal = 0;
	if (states) {
		files_look();
		memory_changed();
	}
	while ((states ? shared->events : shared->steps) < number) {
		struct user_regs_struct registers;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(intptr_t)signal) != 0 ||
		    !stopped(pid, &status))
			return ENDED;
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		shared->steps++;
		if (shared->phase == 2)
			return OVER;
		/* A system call leaves its return address in rcx. */
		ptrace(PTRACE_GETREGS, pid, NULL, &registers);
		bool called = registers.rcx == registers.rip;
		/* Calls of the program, not those that the recorder makes for itself. */
		shared->syscalls += called && (registers.orig_rax == SYS_pwrite64 ||
					       registers.orig_rax == SYS_openat);
		if (!states)
			continue;
		bool changed = memory_changed();
		shared->events += called || changed;
		if (called)
			files_look();
	}
	return KILLED;
}

/* Shortens the first pwrite of a block; the program's own are smaller. */
static int tear(pid_t pid, unsigned long number)
{
	struct user_regs_struct registers;
	int status;
	do {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0 || !stopped(pid, &status))
			return ENDED;
		ptrace(PTRACE_GETREGS, pid, NULL, &registers);
	} while (registers.orig_rax != SYS_pwrite64 || registers.rdx < BLOCK_LEAST);
	shared->events = (uint32_t)registers.rdx;
	if (registers.rdx < number)
		return OVER;
	registers.rdx = number;
	ptrace(PTRACE_SETREGS, pid, NULL, &registers);
	if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0 || !stopped(pid, &status))
		wrong("the torn pwrite");
	return KILLED;
}

int main(int count, char **words)
{
	if (count < 8)
		return WRONG;
	const char *how = words[1], *who = words[2];
	unsigned long number = strtoul(words[3], NULL, 10);
	int status, fd = open(words[5], O_RDWR);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		wrong(words[5]);
	close(fd);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* On one processor a step is a switch, not a wake-up: several times faster. */
	cpu_set_t here;
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof here, &here);
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(words[6], words + 6);
		_exit(127);
	}
	if (pid < 0 || !stopped(pid, &status))
		wrong(words[6]);
	run_to_trap(pid);
	paths_find(words[4]);
	pid_t victim = strcmp(who, "child") == 0 ? child_catch(pid) : pid;
	int result = strcmp(how, "torn") == 0 ? tear(victim, number)
					      : step(victim, number, strcmp(how, "state") == 0);
	/* A process that ended is reaped: its pid may already be used again. */
	if (result != ENDED)
		kill(victim, SIGKILL);
	if (victim != pid)
		kill(pid, SIGKILL);
	reap_all();
	return result == ENDED ? OVER : result;
}
