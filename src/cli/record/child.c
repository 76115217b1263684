/* Command line: the recorded program as a child process. See child.h.
 *
 * Installs no signal handlers: signals are blocked and taken with sigtimedwait(), so that the program inherits the dispositions
 * and the mask of this command. A signal from the terminal reaches the whole foreground group, including the program; only a
 * signal that a process sent to this command alone is passed on.
 */
#include "cli/record/child.h"

#include "base/clock.h"
#include "base/program/executable.h"
#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int passed_on[] = {SIGTERM, SIGINT,   SIGHUP,  SIGQUIT, SIGUSR1,
				SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};

bool child_is_here(const char *name)
{
	struct stat found;
	return !strchr(name, '/') && !stat(name, &found) && S_ISREG(found.st_mode);
}

static int not_found_message(const char *name, int error)
{
	bool absent = error == ENOENT || error == ENOTDIR;
	if (absent && child_is_here(name))
		message("record: %s is not in PATH; for the one in this folder give ./%s", name,
			name);
	else if (absent)
		message("record: %s: program not found; %s", name,
			strchr(name, '/') ? "check the path"
					  : "give its path, or add its folder to PATH");
	else
		message("record: cannot execute %s: %s; %s", name, strerror(error),
			error == EISDIR ? "name a program in this folder"
					: "check its permissions (`ls -l`)");
	return absent ? EXIT_NO_PROGRAM : EXIT_NOT_EXECUTABLE;
}

int child_find(const char *name, char path[4096])
{
	int error = child_look(name, path);
	return error ? not_found_message(name, error) : 0;
}

int child_look(const char *name, char path[4096])
{
	return executable_find(name, getenv("PATH"), path, 4096);
}

void child_prepare(struct child *child)
{
	sigemptyset(&child->watched);
	sigaddset(&child->watched, SIGCHLD);
	for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaddset(&child->watched, passed_on[i]);
	sigprocmask(SIG_BLOCK, &child->watched, &child->mask);
	/* If SIGCHLD were ignored, the status of the program would be lost. */
	struct sigaction standard = {.sa_handler = SIG_DFL};
	sigaction(SIGCHLD, &standard, &child->on_child_end);
}

int child_start(struct child *child, const char *path, char **words, char **environment)
{
	volatile int error = 0;
	/* posix_spawn() cannot restore an ignored SIGCHLD that this command has inherited, and fork() copies the page
	 * tables. The child shares memory with this process but neither dispositions nor mask, and this process has no
	 * handler that could run in it.
	 * NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
	pid_t pid = vfork();
	if (pid == 0) {
		sigaction(SIGCHLD, &child->on_child_end, NULL);
		sigprocmask(SIG_SETMASK, &child->mask, NULL);
		execve(path, words, environment);
		error = errno;
		_exit(EXIT_OWN);
	}
	/* NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
	if (pid < 0)
		return errno;
	if (error) {
		waitpid(pid, NULL, 0);
		return error;
	}
	child->pid = pid;
	return 0;
}

/* True: the program has ended. If job control stopped the program, this command stops too, so that the shell notices it. */
static bool child_reap(const struct child *child, int *status)
{
	pid_t pid;
	while ((pid = waitpid(child->pid, status, WNOHANG | WUNTRACED)) != 0) {
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0) {
			*status = 0;
			return true;
		}
		if (!WIFSTOPPED(*status))
			return true;
		int signal = WSTOPSIG(*status);
		if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
			raise(SIGSTOP);
	}
	return false;
}

bool child_wait(struct child *child, int milliseconds, int *status)
{
	int64_t end = clock_ns(CLOCK_MONOTONIC) + milliseconds * 1000000ll;
	for (;;) {
		if (child_reap(child, status))
			return true;
		int64_t left = end - clock_ns(CLOCK_MONOTONIC);
		if (left <= 0)
			return false;
		struct timespec wait = {.tv_sec = (time_t)(left / 1000000000),
					.tv_nsec = (long)(left % 1000000000)};
		siginfo_t info;
		int signal = sigtimedwait(&child->watched, &info, &wait);
		if (signal > 0 && signal != SIGCHLD && info.si_code <= 0 &&
		    info.si_pid != child->pid)
			kill(child->pid, signal);
	}
}
