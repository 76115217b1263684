/* Writes single bytes to a file that is opened for appending, in the way that its first argument names: the length of the file is
 * the true number of writes. libraries: -lpthread -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 50 };

static int fd;
static char *self;
static char stack[1 << 18] __attribute__((aligned(64)));

static void writes(int count)
{
	for (int i = 0; i < count; i++)
		if (write(fd, "x", 1) != 1)
			_exit(9);
}

static void *thread(void *unused)
{
	writes(COUNT);
	return unused;
}

static void in_a_thread(void)
{
	pthread_t made;
	if (!pthread_create(&made, NULL, thread, NULL))
		pthread_join(made, NULL);
}

static void in_a_child(void)
{
	if (fork() == 0) {
		writes(COUNT);
		_exit(0);
	}
	wait(NULL);
}

static void everywhere(void)
{
	writes(COUNT);
	in_a_thread();
	in_a_child();
}

static int cloned(void *unused)
{
	(void)unused;
	writes(COUNT);
	return 0;
}

static void in_a_clone(int flags)
{
	int pid = clone(cloned, stack + sizeof stack, flags, NULL);
	if (pid > 0 && flags & SIGCHLD)
		waitpid(pid, NULL, 0);
	else
		usleep(100000);
	writes(COUNT);
}

static void limit(int which, rlim_t value)
{
	struct rlimit limit = {value, value};
	setrlimit(which, &limit);
}

/* Only these calls; for all others `action`. */
static void allow_writes(unsigned action)
{
	static const int allowed[] = {SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn};
	struct sock_filter rules[16] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	enum { CALLS = sizeof allowed / sizeof *allowed };
	for (int i = 0; i < CALLS; i++)
		rules[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							    (unsigned)allowed[i],
							    (unsigned char)(CALLS - i), 0);
	rules[1 + CALLS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	rules[2 + CALLS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {3 + CALLS, rules};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void handler(int number)
{
	(void)number;
	writes(1);
}

static void by_pointer(ssize_t (*function)(int, const void *, size_t))
{
	for (int i = 0; function && i < COUNT; i++)
		if (function(fd, "x", 1) != 1)
			_exit(9);
}

static void *write_of(void *library)
{
	return dlsym(library, "write");
}

/* Direct system calls of the program. */
static long own_call(long number, long a, long b, long c)
{
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void run_self(char **environment, int own)
{
	char *words[] = {self, "plain", NULL};
	if (fork() == 0) {
		if (own)
			own_call(SYS_execve, (long)self, (long)words, (long)environment);
		else
			execve(self, words, environment);
		_exit(9);
	}
	wait(NULL);
}

static void remove_all(const char *variable, const char *what)
{
	char command[4096];
	if (!getenv(variable))
		return;
	snprintf(command, sizeof command, what, getenv(variable));
	if (system(command))
		_exit(9);
}

static void end(const char *way)
{
	writes(COUNT);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "quick"))
		quick_exit(3);
	if (!strcmp(way, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(way, "fault"))
		raise(SIGSEGV);
	if (!strcmp(way, "own-exit"))
		own_call(SYS_exit_group, 3, 0, 0);
	pthread_t made;
	pthread_create(&made, NULL, thread, NULL);
	pthread_exit(NULL);
}

static void start(const char *way)
{
	char *none[] = {NULL};
	extern char **environ;
	if (!strcmp(way, "exec-none"))
		run_self(none, 0);
	else if (!strcmp(way, "exec-own"))
		run_self(environ, 1);
	else if (!strcmp(way, "exec-own-none"))
		run_self(none, 1);
	else if (!strcmp(way, "fork-number") && syscall(SYS_fork) == 0)
		in_a_thread(), _exit(0);
	else if (!strcmp(way, "fork-own") && own_call(SYS_fork, 0, 0, 0) == 0)
		writes(COUNT), _exit(0);
	else if (!strcmp(way, "fork-twice") && fork() == 0) {
		in_a_child();
		_exit(0);
	} else if (!strcmp(way, "vfork") && vfork() == 0) {
		writes(COUNT);
		_exit(0);
	} else if (!strcmp(way, "clone-files"))
		in_a_clone(CLONE_FILES | SIGCHLD);
	else if (!strcmp(way, "clone-vm"))
		in_a_clone(CLONE_VM | SIGCHLD);
	else if (!strcmp(way, "clone-thread"))
		in_a_clone(CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM);
	while (wait(NULL) > 0)
		;
}

static void restrict_by(const char *way)
{
	if (!strcmp(way, "strict")) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		writes(COUNT);
		syscall(SYS_exit, 0);
	} else if (!strcmp(way, "filter-kill") || !strcmp(way, "filter-errno")) {
		allow_writes(way[7] == 'k' ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
		writes(20000);
		_exit(0);
	} else if (!strcmp(way, "clock"))
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	else if (!strcmp(way, "memory"))
		limit(RLIMIT_AS, 1 << 20);
	else if (!strcmp(way, "data"))
		limit(RLIMIT_DATA, 1 << 16);
	else if (!strcmp(way, "descriptors"))
		limit(RLIMIT_NOFILE, (rlim_t)fd + 1);
	else if (!strcmp(way, "no-descriptors"))
		limit(RLIMIT_NOFILE, 0);
	else if (!strcmp(way, "file-size"))
		limit(RLIMIT_FSIZE, 1 << 15);
	else if (!strcmp(way, "processes"))
		limit(RLIMIT_NPROC, 1);
	else if (!strcmp(way, "closed")) {
		for (int i = 3; i < 1024; i++)
			if (i != fd)
				close(i);
		closefrom(fd + 1);
	} else if (!strcmp(way, "user") && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
		_exit(77);
	else if (!strcmp(way, "root") && (chroot("/proc") || chdir("/")))
		_exit(77);
	else if (!strcmp(way, "namespaces") && unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET))
		_exit(77);
	else if (!strcmp(way, "pids") && unshare(CLONE_NEWPID))
		_exit(77);
	else if (!strcmp(way, "lanes"))
		remove_all("WAYS_LANES", "rm -rf %s/varve-*");
	everywhere();
}

static void find_by(const char *way)
{
	if (!strcmp(way, "next"))
		by_pointer(write_of(RTLD_NEXT));
	else if (!strcmp(way, "default"))
		by_pointer(write_of(RTLD_DEFAULT));
	else if (!strcmp(way, "handle"))
		by_pointer(write_of(dlopen("libc.so.6", RTLD_NOW)));
	else if (!strcmp(way, "namespace"))
		by_pointer(write_of(dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW)));
	else if (!strcmp(way, "number"))
		for (int i = 0; i < COUNT; i++)
			syscall(SYS_write, fd, "x", 1);
	else if (!strcmp(way, "own"))
		__asm__ volatile("mov $1, %%eax\n\tsyscall"
				 :
				 : "D"(fd), "S"("x"), "d"(1)
				 : "rax", "rcx", "r11", "memory");
}

int main(int count, char **words)
{
	const char *way = count > 1 ? words[1] : "plain", *file = getenv("WAYS_FILE");
	self = "/proc/self/exe";
	/* Without an environment the descriptor is inherited. */
	fd = file ? open(file, O_WRONLY | O_APPEND | O_CREAT, 0666) : 50;
	if (fd < 0)
		return 8;
	if (file && fd != 50)
		fd = dup2(fd, 50);
	if (!strcmp(way, "handler")) {
		signal(SIGALRM, handler);
		for (int i = 0; i < COUNT; i++)
			raise(SIGALRM);
	}
	if (!strcmp(way, "plain"))
		everywhere();
	else if (!strncmp(way, "end-", 4))
		end(way + 4);
	else if (!strncmp(way, "start-", 6))
		start(way + 6);
	else if (!strncmp(way, "restrict-", 9))
		restrict_by(way + 9);
	else if (!strncmp(way, "find-", 5))
		find_by(way + 5);
	return 0;
}
