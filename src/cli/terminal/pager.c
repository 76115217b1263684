/* Command line: the pager. See pager.h.
 *
 * It starts with the first data, so that earlier messages are on the terminal first; later messages are deferred until it
 * ends. Its exit status is ignored. Reads variables and starts a shell; does not decide what is printed.
 */
#include "cli/terminal/pager.h"

#include "cli/record/child.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct pager pager;

static pid_t process;
static int terminal_fd = -1; /* standard output before the pager was started */
/* Settings of the terminal, to restore them if a pager dies before it does. */
static struct termios settings;
static char *deferred;
static size_t deferred_length;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Whether the first program of a simple command exists. A command that needs a shell is assumed to exist. */
static bool command_exists(const char *command)
{
	char word[256], path[4096];
	size_t length = strcspn(command, " \t");
	if (length >= sizeof word || strpbrk(command, "'\"\\$`;|&<>()*?[{=~#\n"))
		return true;
	memcpy(word, command, length);
	word[length] = 0;
	return !child_look(word, path);
}

/* The command of the pager, or NULL for no pager. */
static const char *pager_command(void)
{
	const char *command = getenv("VARVE_PAGER");
	if (!command)
		command = getenv("PAGER");
	if (!command)
		return command_exists("less") ? "less -FRX" : NULL;
	if (!*command || !strcmp(command, "cat"))
		return NULL;
	if (command_exists(command))
		return command;
	note("cannot find the pager '%s'; set VARVE_PAGER to another command, or use --no-pager",
	     command);
	return NULL;
}

static int pager_wait(void)
{
	int status = 0;
	close(STDOUT_FILENO);
	/* This also runs in a signal handler, which must not use errno: kill() checks whether the pager still exists. */
	while (waitpid(process, &status, 0) < 0 && !kill(process, 0))
		;
	if (WIFSIGNALED(status) && terminal_fd >= 0)
		tcsetattr(terminal_fd, TCSADRAIN, &settings);
	return status;
}

/* On a signal, waits until the pager has ended, because the pager uses the terminal, and then ends. */
static void end_handler(int number)
{
	pager_wait();
	signal(number, SIG_DFL);
	raise(number);
}

static void pager_exec(const char *command, int from)
{
	dup2(from, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	/* As in git and systemd: end at once if the text fits on one screen, show colours, leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(EXIT_NO_PROGRAM);
}

void pager_start(void)
{
	int ends[2];
	pager.wanted = false;
	const char *command = pager_command();
	if (!command || pipe(ends))
		return;
	if (!tcgetattr(STDOUT_FILENO, &settings))
		terminal_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	fflush(stderr);
	process = fork();
	if (process == 0) {
		close(ends[1]);
		pager_exec(command, ends[0]);
	}
	close(ends[0]);
	if (process > 0) {
		dup2(ends[1], STDOUT_FILENO);
		pager.runs = true;
		signal(SIGPIPE, SIG_IGN);
		for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
			if (signal(ending[i], end_handler) == SIG_IGN)
				signal(ending[i], SIG_IGN);
	}
	close(ends[1]);
}

bool pager_defer(const char *text, size_t length)
{
	char *larger = realloc(deferred, deferred_length + length);
	if (!larger)
		return false;
	deferred = larger;
	memcpy(deferred + deferred_length, text, length);
	deferred_length += length;
	return true;
}

void pager_end(void)
{
	if (!pager.runs)
		return;
	/* All data was written: a ^C is for the pager only. */
	signal(SIGINT, SIG_IGN);
	int status = pager_wait();
	pager.runs = false;
	if (deferred)
		fwrite(deferred, 1, deferred_length, stderr);
	free(deferred);
	deferred = NULL;
	deferred_length = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) >= EXIT_NOT_EXECUTABLE)
		message("cannot start the pager; set VARVE_PAGER to another command, or use "
			"--no-pager");
}
