/* Sink: which processes of a run are still alive. See living.h.
 *
 * A child between fork and its first call has no lane; neither has a program between exec and its start. /proc shows both: the
 * first has mapped the control page, the second has the run in its environment.
 */
#include "sink/run/living.h"

#include "base/folder.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Whether the process still exists: after it was reaped, the kernel only denies access to its files. */
static bool is_there(const char *pid)
{
	char path[64];
	struct stat about;
	text_add(text_add(path, path + sizeof path, "/proc/"), path + sizeof path, pid);
	return sys_stat(path, &about) == 0;
}

/* Whether the path of our lanes leads to our folder in this process, and not to one in a container with the same path. False
 * for a process that has ended meanwhile. */
static bool means_ours(const struct run *run, const char *pid)
{
	char path[RUN_PATH + 64];
	const char *end = path + sizeof path;
	struct stat ours, its;
	char *at = text_add(text_add(path, end, "/proc/"), end, pid);
	text_add(at, end, "/ns/mnt");
	int found = sys_stat(path, &its);
	if (found == -ENOENT || found == -ESRCH)
		return false;
	if (found != 0)
		return is_there(pid);
	if (sys_stat("/proc/self/ns/mnt", &ours) != 0 || ours.st_ino == its.st_ino)
		return true;
	text_add(text_add(text_add(at, end, "/root"), end, run->lanes), end, "/" LANES_CONTROL);
	found = sys_stat(path, &its);
	if (found == -ENOENT)
		return false;
	if (found != 0)
		return is_there(pid);
	return sys_stat(path + (at - path) + strlen("/root"), &ours) != 0 ||
	       (ours.st_ino == its.st_ino && ours.st_dev == its.st_dev);
}

static bool process_belongs(const struct run *run, const char *pid)
{
	char path[64], text[RUN_PATH + 16];
	const char *end = path + sizeof path;
	text_add(text_add(text, text + sizeof text, "VARVE_RUN="), text + sizeof text, run->lanes);
	char *at = text_add(text_add(path, end, "/proc/"), end, pid);
	text_add(at, end, "/environ");
	bool holds = file_holds(path, text);
	text_add(at, end, "/maps");
	return (holds || file_holds(path, run->lanes)) && means_ours(run, pid);
}

struct search {
	const struct run *run;
	void (*found)(void *context, int pid);
	void *context;
};

static void process_see(void *context, const char *name)
{
	const struct search *search = context;
	int pid = 0;
	for (const char *digit = name; *digit >= '0' && *digit <= '9'; digit++)
		pid = pid * 10 + (*digit - '0');
	/* The keeper does not belong to the program. */
	bool keeper = pid > 0 && (uint32_t)pid == search->run->control->keeper_pid;
	if (pid > 0 && pid != sys_getpid() && !keeper && process_belongs(search->run, name))
		search->found(search->context, pid);
}

void living_find(const struct run *run, void (*found)(void *context, int pid), void *context)
{
	struct search search = {run, found, context};
	folder_list("/proc", process_see, &search);
}
