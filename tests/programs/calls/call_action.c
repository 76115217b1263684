/* Calls: what a spawned process does with its descriptors first. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <spawn.h>

static posix_spawn_file_actions_t actions;

static void opening(const struct variant *variant)
{
	int (*call_it)(posix_spawn_file_actions_t *, int, const char *, int, mode_t) =
		use("posix_spawn_file_actions_addopen", variant);
	TRY(call_it(&actions, 1, "out", O_WRONLY | O_CREAT, 0640));
	line_errno("fd=1, path=\"out\", flags=O_WRONLY|O_CREAT, mode=0640");
	TRY(call_it(&actions, -5, "out", O_RDONLY, 0));
	line_errno("fd=-5, path=\"out\", flags=O_RDONLY, mode=0");
}

static void doubling(const struct variant *variant)
{
	int (*call_it)(posix_spawn_file_actions_t *, int, int) =
		use("posix_spawn_file_actions_adddup2", variant);
	TRY(call_it(&actions, 1, 2));
	line_errno("fd=1, newfd=2");
	TRY(call_it(&actions, 1, -1));
	line_errno("fd=1, newfd=-1");
}

static void closing(const struct variant *variant)
{
	int (*call_it)(posix_spawn_file_actions_t *, int) = use(variant->symbol, variant);
	const char *argument = strstr(variant->symbol, "closefrom") ? "first" : "fd";
	TRY(call_it(&actions, 40));
	line_errno("%s=40", argument);
	TRY(call_it(&actions, -1));
	line_errno("%s=-1", argument);
}

static void going(const struct variant *variant)
{
	int (*call_it)(posix_spawn_file_actions_t *, const char *) =
		use("posix_spawn_file_actions_addchdir_np", variant);
	TRY(call_it(&actions, "/"));
	line_errno("path=\"/\"");
}

int main(void)
{
	posix_spawn_file_actions_init(&actions);
	RUN(opening, LINKED(posix_spawn_file_actions_addopen));
	RUN(doubling, LINKED(posix_spawn_file_actions_adddup2));
	RUN(closing, LINKED(posix_spawn_file_actions_addclose),
	    LINKED(posix_spawn_file_actions_addclosefrom_np),
	    LINKED(posix_spawn_file_actions_addfchdir_np),
	    LINKED(posix_spawn_file_actions_addtcsetpgrp_np));
	RUN(going, LINKED(posix_spawn_file_actions_addchdir_np));
	posix_spawn_file_actions_destroy(&actions);
	return 0;
}
