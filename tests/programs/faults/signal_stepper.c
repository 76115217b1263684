/* A handler that makes calls, at one instruction after the other: the process steps through its child and sends the signal.
 *
 * Usage: signal_stepper COUNT GAP CALLS FILE. The child makes COUNT rounds of three calls; every GAP instructions its handler makes
 * CALLS more. FILE gets the number of calls that handlers made. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int out;
static long calls;
static volatile long handled;

/* The offset distinguishes calls of the recorded program from the handler's, and contains how often handlers had written. */
static void handler_writes(int number)
{
	int saved = errno;
	(void)number;
	for (long i = 0; i < calls; i++) {
		if (pwrite(out, "h", 1, (1 << 20) + handled) != 1)
			abort();
		handled++;
	}
	errno = saved;
	/* From here on it is stepped through again. */
	__asm__ volatile("int3");
}

static void child_runs(long count, const char *path)
{
	struct sigaction action = {.sa_handler = handler_writes, .sa_flags = SA_RESTART};
	FILE *stream = fopen("/dev/null", "w");
	sigaction(SIGALRM, &action, NULL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i) != 1 || fwrite("12345678", 8, 1, stream) != 1 ||
		    access("/no/such/file", F_OK) == 0)
			abort();
	signal(SIGALRM, SIG_IGN);
	FILE *file = fopen(path, "w");
	fprintf(file, "%ld\n", handled);
	fclose(file);
	_exit(0);
}

/* Like wait4(), but without a name that could be recorded: there are millions of calls. */
static long wait_unseen(pid_t pid, int *status)
{
	register long usage __asm__("r10") = 0;
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_wait4), "D"(pid), "S"(status), "d"(__WALL), "r"(usage)
			 : "rcx", "r11", "memory");
	return result;
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	long gap = atol(argv[2]), steps = 0;
	calls = atol(argv[3]);
	out = open("/dev/null", O_WRONLY);
	pid_t child = fork();
	if (child == 0)
		child_runs(atol(argv[1]), argv[4]);
	int status = 0;
	while (wait_unseen(child, &status) == child && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);
		if (number != SIGTRAP && number != SIGSTOP)
			ptrace(PTRACE_CONT, child, NULL, (void *)(long)number);
		else if (steps++ < gap)
			ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		else if (ptrace(PTRACE_CONT, child, NULL, (void *)(long)SIGALRM) == 0)
			steps = 0;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
