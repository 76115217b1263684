/* Record: starts the keeper. See keeper_start.h.
 *
 * Two forks, each without a signal at its end: the program gets the same results of wait and the same signals as without Varve. The
 * first child starts a new session and ends at once; the second one becomes `varve`, without the recorder in it.
 */
#include "record/process/keeper_start.h"

#include "base/sys.h"
#include "base/text.h"
#include "record/recorder.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Finds the command from the path of the library: in the same folder, or as installed. */
static bool command_find(const char *library, char path[CONTROL_PATH])
{
	static const char *const places[] = {VARVE_COMMAND, "../bin/" VARVE_COMMAND,
					     "../../bin/" VARVE_COMMAND};
	const char *slash = strrchr(library, '/');
	size_t length = slash ? (size_t)(slash + 1 - library) : 0;
	if (!length || length + 32 > CONTROL_PATH)
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		memcpy(path, library, length);
		path[length] = 0;
		text_add(path + length, path + CONTROL_PATH, places[i]);
		if (sys_access(path, 1) == 0)
			return true;
	}
	return false;
}

/* Whether orphans become children of the program, which would then have a child that it did not make. */
static bool orphans_adopted(void)
{
	int adopter = 0;
	return sys_getpid() == 1 ||
	       (sys6(SYS_prctl, PR_GET_CHILD_SUBREAPER, sys_address(&adopter), 0, 0, 0, 0) == 0 &&
		adopter);
}

/* As fork, but without a signal at the end: only a wait with __WALL or __WCLONE returns such a child. */
static int fork_unnoticed(void)
{
	return (int)sys6(SYS_clone, 0, 0, 0, 0, 0, 0);
}

static _Noreturn void keeper_leave(void)
{
	for (;;)
		sys6(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

static _Noreturn void keeper_become(const char *command, const char *lanes)
{
	char name[] = "varve", verb[] = "keep";
	const char *const words[] = {name, verb, lanes, NULL};
	char *const none[] = {NULL};
	sys6(SYS_close_range, 0, ~0u, 0, 0, 0, 0);
	sys6(SYS_execve, sys_address(command), sys_address(words), sys_address(none), 0, 0, 0);
	keeper_leave();
}

void keeper_start(const struct run *run)
{
	static char command[CONTROL_PATH];
	if (run->control->no_keeper || run->control->collector_pid || recorder.together ||
	    orphans_adopted() || !command_find(run->control->library, command))
		return;
	__atomic_store_n(&run->control->keeper_coming, 1, __ATOMIC_RELEASE);
	int first = fork_unnoticed();
	if (first < 0) {
		run->control->keeper_coming = 0;
		return;
	}
	if (first == 0) {
		sys6(SYS_setsid, 0, 0, 0, 0, 0, 0);
		if (fork_unnoticed() == 0)
			keeper_become(command, run->lanes);
		keeper_leave();
	}
	while (sys6(SYS_wait4, first, 0, __WALL, 0, 0, 0) == -EINTR)
		;
}
