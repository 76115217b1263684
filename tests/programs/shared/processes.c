/* Makes processes in every way; each writes a known number of bytes. Usage: processes WAY [COUNT [RESTFUL]]
 *
 * A child that is a program runs `processes write N`, which makes N writes and ends with status N. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *self;
static int out;

/* After this number of writes it pauses for 2 ms; 0: never. */
static long restful;

static void writes(long count)
{
	for (long i = 0; i < count; i++) {
		if (pwrite(out, "x", 1, i % 512) != 1)
			abort();
		if (restful && i % restful == 0)
			usleep(2000);
	}
}

static void wait_for(pid_t child, const char *what)
{
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) != child)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: status %x\n", what, (unsigned)status);
	fflush(stdout);
}

static void vforks(void)
{
	char *words[] = {self, "write", "3", NULL}, *wrong[] = {"none", NULL};
	pid_t child = vfork();
	if (child == 0) {
		execv(self, words);
		_exit(99);
	}
	wait_for(child, "vfork exec");
	child = vfork();
	if (child == 0)
		_exit(7);
	wait_for(child, "vfork _exit");
	child = vfork();
	if (child == 0) {
		execv("/no/such/program", wrong);
		_exit(errno);
	}
	wait_for(child, "vfork exec fails");
	child = vfork();
	if (child == 0) {
		if (pwrite(out, "v", 1, 0) != 1)
			_exit(1);
		execve(self, words, NULL);
		_exit(98);
	}
	wait_for(child, "vfork write exec");
	writes(5);
}

static void spawns(void)
{
	char *words[] = {self, "write", "4", NULL},
	     *sh[] = {"sh", "-c", "exec \"$0\" write 5", self, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child = -1;
	printf("%d\n", posix_spawn(&child, self, NULL, NULL, words, environ));
	wait_for(child, "spawn");
	printf("%d\n", posix_spawnp(&child, "sh", NULL, NULL, sh, environ));
	wait_for(child, "spawnp");
	printf("%d\n", posix_spawn(&child, "/no/such/program", NULL, NULL, words, environ));
	char *empty[] = {NULL};
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	printf("%d\n", posix_spawn(&child, self, &actions, NULL, words, empty));
	wait_for(child, "spawn without environment");
	writes(5);
}

static void forks(long count)
{
	writes(count);
	pid_t child = fork();
	if (child == 0) {
		writes(2 * count);
		pid_t grandchild = fork();
		if (grandchild == 0) {
			writes(3 * count);
			_exit(3);
		}
		waitpid(grandchild, NULL, 0);
		exit(2);
	}
	wait_for(child, "fork");
	child = (pid_t)syscall(SYS_fork);
	if (child == 0) {
		writes(count);
		_exit(5);
	}
	wait_for(child, "raw fork");
	writes(count);
}

static volatile sig_atomic_t handled;
static volatile pid_t last_child;

/* Forks by number, without the C library. */
static int raw;

/* The child continues what the signal interrupted. */
static void fork_in_handler(int number)
{
	(void)number;
	if (handled >= 40)
		return;
	handled++;
	last_child = raw ? (pid_t)syscall(SYS_fork) : fork();
}

static void handler_forks(void)
{
	struct sigaction action = {.sa_handler = fork_in_handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	pid_t first = getpid();
	FILE *stream = fopen("/dev/null", "w");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 40) {
		if (fwrite("12345678", 8, 1, stream) != 1 || pwrite(out, "x", 1, 0) != 1)
			abort();
		if (getpid() != first) {
			/* A child that has returned from the handler: a few more calls, then the end. */
			for (int i = 0; i < 20; i++)
				if (pwrite(out, "c", 1, 1) != 1)
					abort();
			_exit(0);
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	int status, bad = 0, children = 0;
	pid_t child;
	if (getpid() != first)
		_exit(0);
	while ((child = wait(&status)) > 0 || errno == EINTR)
		if (child > 0)
			children++, bad += status != 0;
	printf("%d children, %d bad\n", children, bad);
}

static void cleared(const char *target)
{
	char *empty[] = {NULL}, *words[] = {(char *)target, "write", "6", NULL};
	pid_t child = fork();
	if (child == 0) {
		execve(target, words, empty);
		_exit(errno);
	}
	wait_for(child, "execve");
	child = fork();
	if (child == 0) {
		clearenv();
		execv(target, words);
		_exit(errno);
	}
	wait_for(child, "clearenv execv");
	child = fork();
	if (child == 0) {
		unsetenv("LD_PRELOAD");
		unsetenv("VARVE_RUN");
		execvp(target, words);
		_exit(errno);
	}
	wait_for(child, "unsetenv execvp");
	child = fork();
	if (child == 0) {
		execve(target, words, NULL);
		_exit(errno);
	}
	wait_for(child, "execve NULL");
}

/* By number, without the C library: plain, without an environment, from a folder, and failing. */
static void numbered(const char *target)
{
	char *words[] = {(char *)target, "write", "6", NULL};
	for (int way = 0; way < 4; way++) {
		pid_t child = fork();
		if (child == 0) {
			long result = -1;
			if (way == 0)
				result = syscall(SYS_execve, target, words, environ);
			else if (way == 1)
				result = syscall(SYS_execve, target, words, NULL);
			else if (way == 2)
				result = syscall(SYS_execveat, AT_FDCWD, target, words, environ, 0);
			else
				result = syscall(SYS_execve, "/no/such/program", words, environ);
			_exit(result == -1 ? errno : 99);
		}
		wait_for(child, "exec by number");
	}
	pid_t child = vfork();
	if (child == 0) {
		syscall(SYS_execve, target, words, environ);
		_exit(errno);
	}
	wait_for(child, "vfork exec by number");
	printf("%ld\n", syscall(SYS_execve, target, words, (char **)1));
	printf("%s\n", strerror(errno));
	printf("%ld\n", syscall(SYS_execveat, -1, "", words, environ, AT_EMPTY_PATH));
	printf("%s\n", strerror(errno));
}

static int never_written[2];
static volatile pid_t reader_tid;

static void *read_for_ever(void *unused)
{
	char byte;
	(void)unused;
	reader_tid = gettid();
	if (read(never_written[0], &byte, 1) != 1)
		abort();
	return NULL;
}

static void *exec_in_thread(void *unused)
{
	char *words[] = {(char *)self, "write", "9", NULL}, path[64], number[2] = "";
	(void)unused;
	/* Until the other thread is in its read: system call 0. */
	while (number[0] != '0' || number[1] != ' ') {
		snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)reader_tid);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && pread(fd, number, sizeof number, 0) != sizeof number)
			number[0] = 0;
		close(fd);
	}
	execv("/no/such/program", words);
	execv(self, words);
	abort();
}

/* The thread that executes is the only one that remains. */
static void thread_executes(void)
{
	pthread_t reader, executer;
	if (pipe2(never_written, O_CLOEXEC) || pthread_create(&reader, NULL, read_for_ever, NULL) ||
	    pthread_create(&executer, NULL, exec_in_thread, NULL))
		abort();
	pthread_join(executer, NULL);
}

static void daemonise(void)
{
	pid_t child = fork();
	if (child == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		for (int fd = 0; fd < 256; fd++)
			if (fd != out)
				close(fd);
		for (int i = 0; i < 10; i++) {
			usleep(300000);
			writes(10);
		}
		unlink("running");
		_exit(0);
	}
	wait_for(child, "daemon");
	writes(5);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 10;
	restful = argc > 3 ? atol(argv[3]) : 0;
	self = argv[0];
	out = open("out", O_RDWR | O_CREAT, 0666);
	if (strcmp(way, "write") == 0) {
		writes(count);
		return (int)count;
	}
	if (strcmp(way, "vfork") == 0)
		vforks();
	else if (strcmp(way, "spawn") == 0)
		spawns();
	else if (strcmp(way, "fork") == 0)
		forks(count);
	else if (strcmp(way, "handler") == 0 || strcmp(way, "rawhandler") == 0) {
		raw = *way == 'r';
		handler_forks();
	} else if (strcmp(way, "cleared") == 0)
		cleared(self);
	else if (strcmp(way, "run") == 0 && argc > 2)
		cleared(argv[2]);
	else if (strcmp(way, "number") == 0)
		numbered(argc > 2 ? argv[2] : self);
	else if (strcmp(way, "execthread") == 0)
		thread_executes();
	else if (strcmp(way, "daemon") == 0) {
		close(open("running", O_CREAT | O_RDWR, 0600));
		daemonise();
	} else if (strcmp(way, "system") == 0) {
		char command[4096];
		snprintf(command, sizeof command, "'%s' write 6", self);
		printf("%x\n", (unsigned)system(command));
		FILE *stream = popen(command, "r");
		printf("%x\n", (unsigned)pclose(stream));
	} else if (strcmp(way, "chroot") == 0) {
		mkdir("root", 0755);
		writes(count);
		printf("%d\n", chroot("root"));
		printf("%d\n", chdir("/"));
		writes(count);
		printf("%d\n", open("/etc/passwd", O_RDONLY));
		pid_t child = fork();
		if (child == 0) {
			writes(10);
			_exit(4);
		}
		wait_for(child, "fork in chroot");
		printf("%d\n", execl("/bin/true", "true", (char *)NULL));
	} else if (strcmp(way, "unreachable") == 0) {
		/* All other descriptors closed, in an empty folder. */
		mkdir("root", 0755);
		printf("%d\n", chroot("root"));
		printf("%d\n", close_range((unsigned)out + 1, ~0u, 0));
		writes(count);
	} else if (strcmp(way, "setuid") == 0) {
		writes(count);
		printf("%d\n", setgroups(0, NULL));
		printf("%d\n", setgid(65534));
		printf("%d\n", setuid(65534));
		writes(count);
		pid_t child = fork();
		if (child == 0) {
			writes(10);
			_exit(4);
		}
		wait_for(child, "fork as nobody");
		char *words[] = {self, "write", "7", NULL};
		execv(self, words);
	}
	writes(1);
	return 8;
}
