/* Command line: `varve doctor`: lane folders that nobody will come back for: their trace is gone, and no process holds them.
 *
 * Lists them, and removes them for `--clean`. Never touches the lanes of a trace that is there: `varve pack` completes that.
 */
#include "base/folder.h"
#include "base/process.h"
#include "cli/doctor.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "sink/join.h"
#include "sink/living.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void see_lanes(void *context, struct run *run, uint64_t bytes);

struct lanes_search {
	const char *place;
	see_lanes *see;
	void *context;
};

static void count_living(void *context, int pid)
{
	(void)pid;
	++*(int *)context;
}

/* Whether the trace that the lanes belong to still names them. What cannot be looked at counts as there. */
static bool trace_there(const struct run *run)
{
	char path[RUN_PATH + 32] = "", lanes[RUN_PATH];
	node_path(path, path + sizeof path, run->trace, "lanes", run->control->node);
	long length = file_read(path, lanes, sizeof lanes);
	return length == -ENOENT || length == -ENOTDIR ? false
	       : length < 0			       ? true
						       : !strcmp(lanes, run->lanes);
}

/* The command or the keeper that waits for the run holds its control page. */
static bool is_waited_for(const struct run *run)
{
	char path[RUN_PATH + 16];
	snprintf(path, sizeof path, "%s/control", run->lanes);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool held = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;
	if (fd >= 0)
		close(fd);
	return held;
}

static bool is_forsaken(const struct run *run)
{
	int living = 0;
	if (trace_there(run) || is_waited_for(run))
		return false;
	living_find(run, count_living, &living);
	return !living;
}

/* What its files take. */
static uint64_t folder_bytes(const char *path)
{
	uint64_t bytes = 0;
	DIR *folder = opendir(path);
	struct stat found;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (!fstatat(dirfd(folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(found.st_mode))
			bytes += (uint64_t)found.st_blocks * 512;
	if (folder)
		closedir(folder);
	return bytes;
}

/* A folder of lanes of its owner, by its name: varve-UID-HASH. */
static void folder_see(void *context, const char *name)
{
	const struct lanes_search *search = context;
	static char path[RUN_PATH];
	static struct run run;
	struct stat found;
	char *end;
	if (strncmp(name, "varve-", 6) != 0 || strlen(name) > 64)
		return;
	unsigned long user = strtoul(name + 6, &end, 10);
	snprintf(path, sizeof path, "%s/%s", search->place, name);
	if (end == name + 6 || *end != '-' || lstat(path, &found) || !S_ISDIR(found.st_mode) ||
	    found.st_uid != user || (geteuid() && found.st_uid != geteuid()) ||
	    run_attach(path, &run, NULL) != STATUS_OK)
		return;
	if (is_forsaken(&run))
		search->see(search->context, &run, folder_bytes(path));
	if (run.control)
		run_detach(&run);
}

static void lanes_search(see_lanes *see, void *context)
{
	const char *own = getenv("VARVE_LANES");
	const char *const places[] = {"/dev/shm", "/tmp", own && *own == '/' ? own : NULL};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct lanes_search search = {places[i], see, context};
		if (places[i])
			folder_list(places[i], folder_see, &search);
	}
}

static void lanes_find(void *context, struct run *run, uint64_t bytes)
{
	doctor_find(context, SEVERITY_NOTE, "lanes-left",
		    "its trace is not there any more, and no process holds it",
		    "`varve doctor --clean` removes it; if the trace was only moved, run `varve "
		    "pack` on it before",
		    "%s takes %llu KiB of memory; it was of %s", run->lanes,
		    (unsigned long long)(bytes + 1023) >> 10, run->trace);
}

void doctor_lanes(struct doctor *doctor)
{
	lanes_search(lanes_find, doctor);
}

static void lanes_clean(void *context, struct run *run, uint64_t bytes)
{
	int lock = lanes_lock(run->lanes, false);
	/* Somebody may have come since. */
	if (lock >= 0 && is_forsaken(run)) {
		lanes_remove(run);
		bool gone = access(run->lanes, F_OK) != 0;
		put_format("%s %s, %llu KiB, of %s\n", gone ? "removed" : "not removed", run->lanes,
			   (unsigned long long)(bytes + 1023) >> 10, run->trace);
		*(int *)context = gone ? *(int *)context : EXIT_NO;
	}
	if (lock >= 0)
		close(lock);
}

int doctor_clean(void)
{
	int result = EXIT_YES;
	lanes_search(lanes_clean, &result);
	output_flush();
	return result;
}
