/* Forbids itself system calls, then continues. Usage: filters HOW COUNT [SPIN]
 *
 * COUNT one-byte writes into `out` before and COUNT after; from then on every call other than write and the end of the process
 * kills it. `strict` uses the mode without a filter, `filter` and `syscall` the two ways to set one, `tsc` forbids the clock.
 * `strict-number`, `filter-number` and `tsc-number` do it by the number of prctl, `strict-seccomp` by that of seccomp. SPIN turns
 * of an empty loop after every 500 writes give other processes time without a system call. `twice` forbids calls that a recorder
 * might make, and a child that it forks then allows itself only the minimum, as before. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int forbid_some(void)
{
	static const unsigned forbidden[] = {
		SYS_madvise,  SYS_futex, SYS_mmap,	SYS_openat,	SYS_fallocate,
		SYS_pwrite64, SYS_fstat, SYS_prlimit64, SYS_faccessat2, SYS_readlinkat};
	enum { COUNT = sizeof forbidden / sizeof *forbidden };
	struct sock_filter filter[COUNT + 3];
	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (int i = 0; i < COUNT; i++)
		filter[1 + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], (unsigned char)(COUNT - i), 0);
	filter[1 + COUNT] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[2 + COUNT] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	struct sock_fprog program = {COUNT + 3, filter};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int forbid(const char *how)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	if (strcmp(how, "strict") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (strcmp(how, "tsc") == 0)
		return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (strcmp(how, "strict-number") == 0)
		return (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (strcmp(how, "strict-seccomp") == 0)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	if (strcmp(how, "tsc-number") == 0)
		return (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(how, "filter") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	if (strcmp(how, "filter-number") == 0)
		return (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static void rest(long turns)
{
	for (volatile long turn = 0; turn < turns; turn++)
		;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "filter";
	long count = argc > 2 ? atol(argv[2]) : 100, spin = argc > 3 ? atol(argv[3]) : 0;
	int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (strcmp(how, "twice") == 0) {
		if (write(out, "x", 1) != 1 || forbid_some() != 0)
			_exit(3);
		/* A number and a program that were not used before. */
		if (dup2(out, 200) != 200 || execl("/nonexistent", "none", (char *)NULL) != -1)
			_exit(3);
		pid_t child = fork();
		int status = 0;
		if (child > 0) {
			if (waitpid(child, &status, 0) != child)
				_exit(4);
			syscall(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : 9);
		}
	}
	for (int forbidden = 0; forbidden < 2; forbidden++) {
		for (long i = 0; i < count; i++) {
			if (write(out, "x", 1) != 1)
				_exit(4);
			if (i % 500 == 499)
				rest(spin);
		}
		if (!forbidden && forbid(how) != 0)
			_exit(3);
	}
	if (write(1, "done\n", 5) != 5)
		_exit(5);
	/* Strict mode allows a thread to end, but not the process. */
	if (strncmp(how, "strict", strlen("strict")) == 0)
		syscall(SYS_exit, 6);
	_exit(6);
}
