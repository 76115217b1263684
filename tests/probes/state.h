/* Probes: the state of a process: descriptors, signals, limits, environment, identity, clocks, arithmetic. See say.h.
 *
 * Everything here only reads, so that it can be called at any moment and in any child. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include "say.h"

#include <dirent.h>
#include <link.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <wchar.h>

extern char **environ;

static int compare_numbers(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

/* Numbers in a folder of /proc, in order. */
static int numbers_in(const char *path, int *numbers, int most)
{
	int count = 0;
	DIR *folder = opendir(path);
	int own = folder ? dirfd(folder) : -1;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_name[0] != '.' && count < most && atoi(entry->d_name) != own)
			numbers[count++] = atoi(entry->d_name);
	if (folder)
		closedir(folder);
	qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
	return count;
}

static void see_descriptors(void)
{
	int numbers[1024];
	int count = numbers_in("/proc/self/fd", numbers, 1024);
	say("descriptors %d", count);
	for (int i = 0; i < count; i++) {
		char link[64], target[4096];
		snprintf(link, sizeof link, "/proc/self/fd/%d", numbers[i]);
		ssize_t length = readlink(link, target, sizeof target - 1);
		target[length > 0 ? length : 0] = 0;
		/* Pipes and sockets have a number that differs in each run. */
		target[strcspn(target, "[")] = 0;
		/* So has a file without a name. */
		if (strstr(target, " (deleted)"))
			snprintf(target, sizeof target, "(deleted)");
		struct stat found = {0};
		fstat(numbers[i], &found);
		say("descriptor %d %s mode %o flags %#x %#x offset %ld", numbers[i], target,
		    found.st_mode, (unsigned)fcntl(numbers[i], F_GETFD),
		    (unsigned)fcntl(numbers[i], F_GETFL),
		    S_ISREG(found.st_mode) ? (long)lseek(numbers[i], 0, SEEK_CUR) : -1L);
	}
}

static void see_set(const char *name, const sigset_t *set)
{
	char text[65];
	for (int i = 1; i <= 64; i++)
		text[i - 1] = sigismember(set, i) == 1 ? '1' : '0';
	text[64] = 0;
	say("%s %s", name, text);
}

static void see_signals(void)
{
	sigset_t set;
	sigprocmask(SIG_BLOCK, NULL, &set);
	see_set("blocked", &set);
	sigpending(&set);
	see_set("pending", &set);
	for (int i = 1; i <= 64; i++) {
		struct sigaction action;
		memset(&action, 0, sizeof action);
		int result = sigaction(i, NULL, &action);
		say("signal %d: %d %s flags %#x", i, result,
		    action.sa_handler == SIG_DFL   ? "default"
		    : action.sa_handler == SIG_IGN ? "ignored"
						   : "handled",
		    (unsigned)action.sa_flags);
		see_set("  mask", &action.sa_mask);
	}
	stack_t stack;
	sigaltstack(NULL, &stack);
	say("alternate stack %d %zu", stack.ss_flags, stack.ss_size);
}

static void see_limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;
		getrlimit((__rlimit_resource_t)i, &limit);
		say("limit %d: %llu %llu", i, (unsigned long long)limit.rlim_cur,
		    (unsigned long long)limit.rlim_max);
	}
}

static void see_environment(char **list)
{
	size_t count = 0;
	for (; list && list[count]; count++)
		say("variable %zu %s", count, list[count]);
	say("variables %zu", count);
	static const char *const names[] = {"LD_PRELOAD", "VARVE_RUN", "VARVE_LD_PRELOAD", "PATH"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		say("getenv %s %s", names[i], getenv(names[i]) ? getenv(names[i]) : "(none)");
}

static void see_auxiliary(void)
{
	static const unsigned long kinds[] = {AT_PHENT, AT_PHNUM,  AT_PAGESZ, AT_FLAGS,
					      AT_UID,	AT_EUID,   AT_GID,    AT_EGID,
					      AT_HWCAP, AT_HWCAP2, AT_CLKTCK, AT_SECURE};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		say("auxiliary %lu %#lx", kinds[i], getauxval(kinds[i]));
	say("executed as %s", (const char *)getauxval(AT_EXECFN));
}

/* Lines of /proc/self/status, except those with counts or numbers of processes. */
static void see_status(void)
{
	static const char *const wanted[] = {"Name",
					     "Umask",
					     "State",
					     "TracerPid",
					     "Uid",
					     "Gid",
					     "Groups",
					     "Threads",
					     "SigPnd",
					     "ShdPnd",
					     "SigBlk",
					     "SigIgn",
					     "SigCgt",
					     "CapInh",
					     "CapPrm",
					     "CapEff",
					     "CapBnd",
					     "CapAmb",
					     "NoNewPrivs",
					     "Seccomp",
					     "Seccomp_filters",
					     "CoreDumping",
					     "THP_enabled",
					     "Speculation_Store_Bypass",
					     "Cpus_allowed",
					     "Mems_allowed_list"};
	static char text[16384];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	text[length > 0 ? length : 0] = 0;
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n"));)
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			if (!strncmp(line, wanted[i], strlen(wanted[i])) &&
			    line[strlen(wanted[i])] == ':')
				say("status %s", line);
}

static void see_identity(void)
{
	char folder[4096], name[32] = "", group[32] = "";
	const char *given = getenv("PROBE_GROUP");
	int parent_signal = -1, tasks[64];
	snprintf(group, sizeof group, "%d", (int)getpgrp());
	say("folder %s", getcwd(folder, sizeof folder) ? folder : strerror(errno));
	mode_t mask = umask(0);
	umask(mask);
	say("mask of files %o", mask);
	say("group %s, leader %d, session leader %d",
	    given && !strcmp(group, given) ? "given" : "other", getpgrp() == getpid(),
	    getsid(0) == getpid());
	int terminal = open("/dev/tty", O_RDWR | O_NOCTTY);
	say("terminal %d %d", terminal >= 0, terminal >= 0 ? 0 : errno);
	if (terminal >= 0)
		close(terminal);
	say("ids %d %d %d %d", (int)getuid(), (int)geteuid(), (int)getgid(), (int)getegid());
	errno = 0;
	say("nice %d", getpriority(PRIO_PROCESS, 0));
	say("input and output %ld", syscall(SYS_ioprio_get, 1, 0));
	say("scheduling %d", sched_getscheduler(0));
	cpu_set_t processors;
	sched_getaffinity(0, sizeof processors, &processors);
	say("processors %d", CPU_COUNT(&processors));
	say("personality %#x", (unsigned)personality(0xffffffff));
	prctl(PR_GET_NAME, name);
	prctl(PR_GET_PDEATHSIG, &parent_signal);
	say("name %s", name);
	say("signal of the parent's end %d", parent_signal);
	say("dumpable %d, keeps capabilities %d, no new rights %d", prctl(PR_GET_DUMPABLE),
	    prctl(PR_GET_KEEPCAPS), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say("slack of timers %d", prctl(PR_GET_TIMERSLACK));
	for (int i = 0; i < 3; i++) {
		struct itimerval timer;
		getitimer((__itimer_which_t)i, &timer);
		say("timer %d: %d %ld", i, timer.it_value.tv_sec > 0,
		    (long)timer.it_interval.tv_sec);
	}
	say("threads %d", numbers_in("/proc/self/task", tasks, 64));
	say("barriers %ld", syscall(SYS_membarrier, 0, 0, 0));
}

static void see_arithmetic(void)
{
	unsigned control = 0;
	unsigned short word = 0;
#if defined(__x86_64__)
	__asm__ volatile("stmxcsr %0" : "=m"(control));
	__asm__ volatile("fnstcw %0" : "=m"(word));
#endif
	say("rounding and exceptions %#x %#x", control, word);
	say("locale %s, point '%s'", setlocale(LC_ALL, NULL), localeconv()->decimal_point);
}

static void see_streams(void)
{
	FILE *const streams[] = {stdin, stdout, stderr};
	for (int i = 0; i < 3; i++)
		say("stream %d: descriptor %d, buffer %zu, by lines %d, pending %zu, wide %d, end "
		    "%d, "
		    "error %d",
		    i, fileno(streams[i]), __fbufsize(streams[i]), __flbf(streams[i]),
		    __fpending(streams[i]), fwide(streams[i], 0), feof(streams[i]),
		    ferror(streams[i]));
}

static int see_object(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size, (void)context;
	const char *slash = strrchr(info->dlpi_name, '/');
	say("object %s", slash ? slash + 1 : info->dlpi_name);
	return 0;
}

static void see_all(void)
{
	see_descriptors();
	see_signals();
	see_limits();
	see_environment(environ);
	see_auxiliary();
	see_status();
	see_identity();
	see_arithmetic();
	see_streams();
	dl_iterate_phdr(see_object, NULL);
}

#endif
