/* Runs a program with a clock that the test moves: moved_clock FILE PROGRAM ... The program and its children read, as
 * CLOCK_MONOTONIC, the kernel's clock plus the number of nanoseconds at the beginning of FILE. The kernel's object (vDSO) is hidden
 * from each image, so that reading the clock is a system call, and this program answers it (ptrace). */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

static void begin(char **words)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		_exit(125);
	execv(words[0], words);
	_exit(126);
}

static long peek(pid_t pid, unsigned long at)
{
	return ptrace(PTRACE_PEEKDATA, pid, (void *)at, NULL);
}

/* The auxiliary vector follows the arguments and the environment of a new image. */
static void hide_object(pid_t pid)
{
	struct user_regs_struct registers;
	ptrace(PTRACE_GETREGS, pid, NULL, &registers);
	unsigned long at = registers.rsp + 8;
	for (int list = 0; list < 2; list++, at += 8)
		while (peek(pid, at))
			at += 8;
	for (long kind; (kind = peek(pid, at)) != AT_NULL; at += 16)
		if (kind == AT_SYSINFO_EHDR)
			ptrace(PTRACE_POKEDATA, pid, (void *)at, (void *)AT_IGNORE);
}

static void answer(pid_t pid)
{
	struct user_regs_struct registers;
	struct timespec now;
	ptrace(PTRACE_GETREGS, pid, NULL, &registers);
	if ((clockid_t)registers.rdi != CLOCK_MONOTONIC)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ns = now.tv_nsec + *offset % 1000000000;
	long seconds = now.tv_sec + *offset / 1000000000 + ns / 1000000000;
	ptrace(PTRACE_POKEDATA, pid, (void *)registers.rsi, (void *)seconds);
	ptrace(PTRACE_POKEDATA, pid, (void *)(registers.rsi + 8), (void *)(ns % 1000000000));
	registers.orig_rax = ~0ull;
	registers.rax = 0;
	ptrace(PTRACE_SETREGS, pid, NULL, &registers);
}

int main(int argc, char **argv)
{
	int file = argc > 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1, status;
	offset = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
	if (offset == MAP_FAILED)
		return 125;
	pid_t first = fork(), pid;
	if (first == 0)
		begin(argv + 2);
	waitpid(first, &status, 0);
	ptrace(PTRACE_SETOPTIONS, first, NULL,
	       (void *)(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
			PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
	ptrace(PTRACE_CONT, first, NULL, NULL);
	int result = 125;
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
			continue;
		}
		int event = status >> 16, signal = WSTOPSIG(status);
		if (event == PTRACE_EVENT_EXEC)
			hide_object(pid);
		if (event == PTRACE_EVENT_SECCOMP)
			answer(pid);
		/* A new process or thread begins with a stop. */
		bool ours = event || signal == SIGSTOP || signal == SIGTRAP;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(ours ? 0 : signal));
	}
	return result;
}
