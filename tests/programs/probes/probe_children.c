/* Probe: the state of a child, started in every possible way, from a process that has changed everything that children inherit. See
 * tests/probes/say.h. `probe_children PROBE`: PROBE is the program that prints it. */
#include "../../probes/state.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

static char *probe;
static char *words[4];

static void handled(int signal)
{
	(void)signal;
}

/* Properties that children inherit, or should not. */
static void change_everything(void)
{
	sigset_t set;
	struct sigaction action = {.sa_handler = handled, .sa_flags = SA_RESTART};
	struct rlimit files = {80, 90}, core = {0, 0};
	struct itimerval timer = {{0, 0}, {1000, 0}};
	static char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, 50);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(52, &action, NULL);
	signal(SIGHUP, SIG_IGN);
	sigaltstack(&alternate, NULL);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &core);
	setitimer(ITIMER_REAL, &timer, NULL);
	umask(0124);
	nice(2);
	open("kept", O_RDWR | O_CREAT, 0600);
	open("closed", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	dup2(3, 33);
	dup3(3, 34, O_CLOEXEC);
	setenv("ADDED", "by setenv", 1);
	putenv((char *)"PUT=by putenv");
	unsetenv("HOME");
	prctl(PR_SET_NAME, "changed");
	prctl(PR_SET_TIMERSLACK, 70000);
#if defined(__x86_64__)
	/* Upward, in both units. */
	const unsigned control = 0x5f80;
	const unsigned short word = 0xb7f;
	__asm__ volatile("ldmxcsr %0; fldcw %1" ::"m"(control), "m"(word));
#endif
	raise(SIGUSR2);
}

static void reap(const char *way, pid_t child)
{
	int status = -1;
	pid_t got;
	while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	snprintf(said.who, sizeof said.who, "parent");
	say("%s ended with %#x, wait %s", way, (unsigned)status,
	    child > 0 && got == child ? "right" : "wrong");
	say_all();
}

static char **named(const char *way)
{
	words[0] = probe;
	words[1] = (char *)way;
	return words;
}

/* A forked child that prints at once. */
static void look_here(const char *way)
{
	snprintf(said.who, sizeof said.who, "%s", way);
	see_all();
	_exit(say_all() ? 99 : 7);
}

static void forks(void)
{
	pid_t child = fork();
	if (child == 0)
		look_here("fork");
	reap("fork", child);
	if ((child = _Fork()) == 0)
		look_here("_Fork");
	reap("_Fork", child);
	if ((child = (pid_t)syscall(SYS_fork)) == 0)
		look_here("SYS_fork");
	reap("SYS_fork", child);
	if ((child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)) == 0)
		look_here("SYS_clone");
	reap("SYS_clone", child);
}

static int cloned(void *way)
{
	look_here(way);
	return 0;
}

static int cloned_exec(void *way)
{
	execve(probe, named(way), environ);
	return 98;
}

static int cloned_returns(void *way)
{
	(void)way;
	return 21;
}

static void clones(void)
{
	static char stack[1 << 20] __attribute__((aligned(16)));
	char *top = stack + sizeof stack;
	reap("clone", clone(cloned, top, SIGCHLD, "clone"));
	reap("clone returns", clone(cloned_returns, top, SIGCHLD, NULL));
	reap("clone vfork",
	     clone(cloned_exec, top, CLONE_VM | CLONE_VFORK | SIGCHLD, "clone vfork"));
	reap("clone vfork returns",
	     clone(cloned_returns, top, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
	reap("clone files", clone(cloned, top, CLONE_FILES | CLONE_FS | SIGCHLD, "clone files"));
}

static void executes(const char *way, int number)
{
	char *some[] = {"ONLY=this", getenv("PROBE_FILE") - strlen("PROBE_FILE="), NULL};
	char *none[] = {some[1], NULL};
	pid_t child = fork();
	if (child != 0) {
		reap(way, child);
		return;
	}
	int fd;
	switch (number) {
	case 0:
		execve(probe, named(way), some);
		break;
	case 1:
		execv(probe, named(way));
		break;
	case 2:
		execvp(probe, named(way));
		break;
	case 3:
		execvpe(probe, named(way), some);
		break;
	case 4:
		execl(probe, probe, way, (char *)NULL);
		break;
	case 5:
		execle(probe, probe, way, (char *)NULL, some);
		break;
	case 6:
		execlp(probe, probe, way, (char *)NULL);
		break;
	case 7:
		fd = open(probe, O_RDONLY | O_CLOEXEC);
		fexecve(fd, named(way), some);
		break;
	case 8:
		execveat(AT_FDCWD, probe, named(way), some, 0);
		break;
	case 9:
		execve(probe, named(way), none);
		break;
	case 10:
		clearenv();
		putenv(some[1]);
		execv(probe, named(way));
		break;
	case 11:
		execl("/bin/sh", "sh", "-c", "exec \"$0\" \"$1\"", probe, way, (char *)NULL);
		break;
	default:
		/* Fails first. */
		execv("/no/such/program", named(way));
		execv("/", named(way));
		execv(probe, named(way));
	}
	_exit(97);
}

static void vforks(void)
{
	named("vfork");
	pid_t child = vfork();
	if (child == 0) {
		execve(probe, words, environ);
		_exit(97);
	}
	reap("vfork", child);
	child = vfork();
	if (child == 0)
		_exit(33);
	reap("vfork _exit", child);
}

static void *in_thread(void *unused)
{
	(void)unused;
	pid_t child = fork();
	if (child == 0) {
		execv(probe, named("thread"));
		_exit(97);
	}
	reap("thread", child);
	return NULL;
}

/* One spawn with this attribute and these actions. */
static void spawn(const char *way, short flags, int act)
{
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t actions;
	sigset_t set;
	struct sched_param parameter = {.sched_priority = 0};
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_setflags(&attributes, flags);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	posix_spawnattr_setsigmask(&attributes, &set);
	sigaddset(&set, SIGHUP);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setschedpolicy(&attributes, SCHED_BATCH);
	posix_spawnattr_setschedparam(&attributes, &parameter);
	if (act) {
		posix_spawn_file_actions_addopen(&actions, 7, "opened", O_WRONLY | O_CREAT, 0600);
		posix_spawn_file_actions_adddup2(&actions, 3, 9);
		posix_spawn_file_actions_addclose(&actions, 33);
		posix_spawn_file_actions_addchdir_np(&actions, "/");
	}
	if (act > 1)
		posix_spawn_file_actions_addclosefrom_np(&actions, 8);
	pid_t child = -1;
	int result =
		act % 2 ? posix_spawnp(&child, probe, &actions, &attributes, named(way), environ)
			: posix_spawn(&child, probe, &actions, &attributes, named(way), environ);
	snprintf(said.who, sizeof said.who, "parent");
	say("%s gives %d", way, result);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (result == 0)
		reap(way, child);
}

static void spawns(void)
{
	spawn("spawn", 0, 0);
	spawn("spawn ids", POSIX_SPAWN_RESETIDS, 0);
	spawn("spawn group", POSIX_SPAWN_SETPGROUP, 0);
	spawn("spawn defaults", POSIX_SPAWN_SETSIGDEF, 0);
	spawn("spawn mask", POSIX_SPAWN_SETSIGMASK, 0);
	spawn("spawn parameter", POSIX_SPAWN_SETSCHEDPARAM, 0);
	spawn("spawn scheduler", POSIX_SPAWN_SETSCHEDULER, 0);
	spawn("spawn vfork", POSIX_SPAWN_USEVFORK, 0);
	spawn("spawn session", POSIX_SPAWN_SETSID, 0);
	spawn("spawn actions", 0, 1);
	spawn("spawn closes", POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF, 2);
	pid_t child = -1;
	int result = posix_spawn(&child, "/no/such/program", NULL, NULL, words, environ);
	say("spawn of nothing gives %d", result);
	say_all();
}

static void shells(void)
{
	char command[8192], line[256];
	snprintf(command, sizeof command, "'%s' system; exit 4", probe);
	int status = system(command);
	snprintf(said.who, sizeof said.who, "parent");
	say("system gives %#x", (unsigned)status);
	say("system without a command gives %d", system(NULL) != 0);
	say_all();
	snprintf(command, sizeof command, "'%s' popen; echo from the shell; exit 5", probe);
	FILE *stream = popen(command, "r");
	const char *got = fgets(line, sizeof line, stream);
	line[got ? strcspn(line, "\n") : 0] = 0;
	say("popen gives %d, %s", fileno(stream), line);
	say("pclose gives %#x", (unsigned)pclose(stream));
	snprintf(command, sizeof command, "read word; '%s' \"$word\"", probe);
	stream = popen(command, "we");
	fputs("popenwrite\n", stream);
	say_all();
	say("pclose gives %#x", (unsigned)pclose(stream));
	say_all();
}

static void daemons(void)
{
	int both[2];
	char byte;
	if (pipe(both))
		return;
	pid_t child = fork();
	if (child == 0) {
		if (daemon(0, 0) < 0)
			_exit(96);
		execv(probe, named("daemon"));
		_exit(97);
	}
	close(both[1]);
	/* Until the daemon has ended. */
	if (read(both[0], &byte, 1) != 0)
		abort();
	close(both[0]);
	reap("daemon", child);
}

int main(int count, char **given)
{
	static const char *const ways[] = {
		"execve",  "execv",    "execvp",  "execvpe", "execl",	     "execle",	  "execlp",
		"fexecve", "execveat", "nothing", "cleared", "by the shell", "second try"};
	if (count < 2)
		return 2;
	probe = given[1];
	say_to("parent");
	change_everything();
	see_all();
	say_all();
	forks();
	clones();
	for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++)
		executes(ways[i], i);
	vforks();
	pthread_t thread;
	if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
		return 3;
	spawns();
	shells();
	daemons();
	snprintf(said.who, sizeof said.who, "parent");
	see_all();
	return say_all() ? 99 : 7;
}
