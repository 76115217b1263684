/* Command line: `varve doctor`: finds leftover lane folders of the effective user: their trace was deleted, and no process
 * uses them.
 *
 * Lists them; `--clean` removes those without records, or the given one. Never changes the lanes of a trace that exists
 * (`varve pack` completes it) or may exist, on a file system that is not mounted or on another host. Uses descriptors of
 * folders and copies of files: files of other users are neither read nor removed.
 */
#include "base/folder.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/own_file.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "sink/lane_hold.h"
#include "sink/run/living.h"
#include "sink/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A lane folder that no process uses. */
struct left {
	int folder;	/* a descriptor */
	struct run run; /* its control page is a copy */
	uint64_t bytes;
	uint64_t records;
	uint64_t unread; /* number of files that may contain records */
};

typedef void leftover_visit(void *context, const struct left *left);

/* Lane folders whose traces cannot be found, because the folder of the trace was removed or is on a file system that is
 * not mounted. */
struct far {
	uint64_t count;
	uint64_t bytes;
	struct run first;
};

struct left_search {
	const char *place;
	leftover_visit *see;
	void *context;
	struct far *
		far; /* counts folders whose traces cannot be found; NULL: `see` is called for these too */
};

static void count_living(void *context, int pid)
{
	(void)pid;
	++*(int *)context;
}

/* Whether the folder of the trace exists and is not empty. An empty folder may be the mount point of a file system that is
 * not mounted. */
static bool parent_exists(const char *trace)
{
	char path[RUN_PATH];
	const char *slash = strrchr(trace, '/');
	size_t entries = 0;
	snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - trace) : 0, trace);
	DIR *folder = opendir(*path ? path : "/");
	while (folder && entries < 3 && readdir(folder))
		entries++;
	if (folder)
		closedir(folder);
	return entries > 2;
}

enum sight { TRACE_EXISTS, TRACE_GONE, TRACE_UNREACHABLE };

/* Whether the trace still refers to these lanes. If that cannot be checked, it counts as existing. */
static enum sight trace_look(const struct left *left)
{
	char path[RUN_PATH + 32] = "", lanes[RUN_PATH] = "";
	struct stat found, named, own;
	node_path(path, path + sizeof path, left->run.trace, TRACE_FILE_LANES,
		  left->run.control->node);
	int fd = own_file_open(AT_FDCWD, path, &found);
	if (fd < 0)
		return errno != ENOENT && errno != ENOTDIR ? TRACE_EXISTS
		       : !parent_exists(left->run.trace)   ? TRACE_UNREACHABLE
							   : TRACE_GONE;
	ssize_t length = pread(fd, lanes, sizeof lanes - 1, 0);
	close(fd);
	bool there =
		length < 0 || fstat(left->folder, &own) ||
		(!stat(lanes, &named) && named.st_dev == own.st_dev && named.st_ino == own.st_ino);
	return there ? TRACE_EXISTS : TRACE_GONE;
}

/* Whether a command or the keeper waits for the run: it locks the control page. */
static bool is_waited_for(const struct left *left)
{
	struct stat found;
	int fd = own_file_open(left->folder, LANES_CONTROL, &found);
	bool held = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;
	if (fd >= 0)
		close(fd);
	return held;
}

/* Whether a process uses these lanes, by the path that was given or by the real path that the kernel shows. */
static bool is_used(struct left *left)
{
	static char given[RUN_PATH], real[PATH_MAX];
	int living = 0;
	living_find(&left->run, count_living, &living);
	if (living || !realpath(left->run.lanes, real) || !strcmp(real, left->run.lanes))
		return living;
	memcpy(given, left->run.lanes, sizeof given);
	snprintf(left->run.lanes, sizeof left->run.lanes, "%s", real);
	living_find(&left->run, count_living, &living);
	memcpy(left->run.lanes, given, sizeof given);
	return living;
}

static bool is_leftover(struct left *left)
{
	return trace_look(left) == TRACE_GONE && !is_waited_for(left) && !is_used(left);
}

/* There can be hundreds of such folders, so this does not search for their processes. */
static bool is_unreachable(const struct left *left)
{
	return trace_look(left) == TRACE_UNREACHABLE && !is_waited_for(left);
}

/* Computes the memory that the folder uses and, with `records`, which takes longer, its records. */
static void folder_count(struct left *left, bool records)
{
	struct stat found;
	int copy = openat(left->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	left->unread = folder == NULL;
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (!fstatat(left->folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(found.st_mode))
			left->bytes += (uint64_t)found.st_blocks * 512;
		if (!records || strncmp(entry->d_name, LANES_LANE, sizeof LANES_LANE - 1) != 0)
			continue;
		int fd = own_file_open(left->folder, entry->d_name, &found);
		left->unread +=
			fd < 0 || !lane_records(fd, (uint64_t)found.st_size, &left->records);
		if (fd >= 0)
			close(fd);
	}
	if (folder)
		closedir(folder);
	else if (copy >= 0)
		close(copy);
}

/* Reads the first `size` bytes of a file in the folder. */
static bool part_copy(const struct left *left, const char *name, void *bytes, size_t size)
{
	struct stat found;
	int fd = own_file_open(left->folder, name, &found);
	bool good = fd >= 0 && pread(fd, bytes, size, 0) == (ssize_t)size;
	if (fd >= 0)
		close(fd);
	return good;
}

/* Copies the control page; the facts are in another file. False for lanes of another host, which a command there must
 * handle. */
static bool control_copy(struct left *left, struct control *control)
{
	char host[sizeof control->host] = "";
	bool good = part_copy(left, LANES_CONTROL, control, sizeof *control) &&
		    part_copy(left, LANES_FACTS, control, CONTROL_FACTS) &&
		    control->magic == CONTROL_MAGIC && control->version == CONTROL_VERSION &&
		    memchr(control->trace, 0, sizeof control->trace) && *control->trace == '/';
	file_read("/proc/sys/kernel/hostname", host, sizeof host);
	host[strcspn(host, "\n")] = 0;
	left->run.control = control;
	return good && !strncmp(host, control->host, sizeof host);
}

static void unreachable_add(struct far *far, const struct left *left)
{
	if (!far->count++)
		far->first = left->run;
	far->bytes += left->bytes;
}

/* Checks a folder with a name of the form varve-UID-HASH. */
static void folder_visit(void *context, const char *name)
{
	struct left_search *search = context;
	static struct control control;
	static struct left left;
	char *end;
	if (strncmp(name, "varve-", 6) != 0 || strlen(name) > 64)
		return;
	unsigned long user = strtoul(name + 6, &end, 10);
	if (end == name + 6 || *end != '-' || user != geteuid())
		return;
	memset(&left, 0, sizeof left);
	snprintf(left.run.lanes, sizeof left.run.lanes, "%s/%s", search->place, name);
	left.folder = own_folder_open(left.run.lanes);
	if (left.folder < 0)
		return;
	if (control_copy(&left, &control)) {
		snprintf(left.run.trace, sizeof left.run.trace, "%s", control.trace);
		bool gone = is_leftover(&left), far = !gone && is_unreachable(&left);
		if (gone || far)
			folder_count(&left, gone || !search->far);
		if (far && search->far)
			unreachable_add(search->far, &left);
		else if (gone || far)
			search->see(search->context, &left);
	}
	close(left.folder);
}

bool doctor_is_lanes(const char *path)
{
	char control[RUN_PATH];
	int length = snprintf(control, sizeof control, "%s/" LANES_CONTROL, path);
	char *real = realpath(path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	bool named = slash && !strncmp(slash + 1, "varve-", 6);
	free(real);
	return named && length < RUN_PATH && !access(control, F_OK);
}

static void left_search(leftover_visit *see, void *context, struct far *far)
{
	const char *own = getenv("VARVE_LANES");
	const char *const places[] = {"/dev/shm", "/tmp", own && *own == '/' ? own : NULL};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct left_search search = {places[i], see, context, far};
		if (places[i])
			folder_list(places[i], folder_visit, &search);
	}
}

static void leftover_report(void *context, const struct left *left)
{
	const char *why = "its trace was deleted or moved, and no process uses it";
	unsigned long long size = (left->bytes + 1023) >> 10;
	if (!left->records && !left->unread)
		doctor_find(context, SEVERITY_NOTE, "lanes-left", why,
			    "`varve doctor --clean` removes it",
			    "%s uses %llu KiB of memory and has no records of %s", left->run.lanes,
			    size, left->run.trace);
	else
		doctor_find(context, SEVERITY_NOTE, "lanes-left", why,
			    "if the trace was moved, run `varve pack` on it; otherwise `varve "
			    "doctor --clean FOLDER` removes the folder with its records",
			    "%s uses %llu KiB of memory and has %s%s of %s", left->run.lanes, size,
			    counted(left->records, "records").text,
			    left->unread ? " and unreadable lanes" : "", left->run.trace);
}

void doctor_lanes(struct doctor *doctor)
{
	static struct far far;
	far.count = far.bytes = 0;
	left_search(leftover_report, doctor, &far);
	if (far.count)
		doctor_find(
			doctor, SEVERITY_NOTE, "lanes-far",
			"the folders of their traces are missing or empty: deleted, or on a file "
			"system that is not mounted",
			"mount the file system, and run `varve pack` on the traces; if they were "
			"deleted, `varve doctor --clean FOLDER` removes a folder with its records",
			"%s with %llu KiB of memory; for example %s for %s",
			counted(far.count, "lane folders").text,
			(unsigned long long)(far.bytes + 1023) >> 10, far.first.lanes,
			far.first.trace);
}

/* What is to be removed, and the result. */
struct cleaning {
	bool named; /* only the folder with this device and inode */
	dev_t device;
	ino_t inode;
	bool met;
	int result;
	uint64_t filled; /* leftover folders that stay because they have records */
	uint64_t far;	 /* those that stay because the folder of the trace cannot be found */
};

/* Uses the descriptor of the folder, so that nothing elsewhere is removed if the name now means another folder. */
static bool folder_remove(const struct left *left)
{
	DIR *folder = fdopendir(openat(left->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (!strncmp(entry->d_name, LANES_LANE, sizeof LANES_LANE - 1))
			unlinkat(left->folder, entry->d_name, 0);
	if (folder)
		closedir(folder);
	unlinkat(left->folder, LANES_CONTROL, 0);
	unlinkat(left->folder, LANES_CONTROL_NEW, 0);
	unlinkat(left->folder, LANES_FACTS, 0);
	return !rmdir(left->run.lanes);
}

static void leftover_clean(void *context, const struct left *left)
{
	struct cleaning *cleaning = context;
	struct left now = *left;
	struct stat found;
	if (cleaning->named && (fstat(left->folder, &found) || found.st_dev != cleaning->device ||
				found.st_ino != cleaning->inode))
		return;
	if (!cleaning->named && is_unreachable(left)) {
		cleaning->far++;
		return;
	}
	if (!cleaning->named && (left->records || left->unread)) {
		cleaning->filled++;
		return;
	}
	/* Another process may have begun to use it. */
	if (flock(left->folder, LOCK_EX | LOCK_NB) ||
	    (!is_leftover(&now) && !(is_unreachable(&now) && !is_used(&now))))
		return;
	cleaning->met = true;
	bool gone = folder_remove(left);
	put_text(gone ? "removed " : "not removed ");
	put_escaped(left->run.lanes, strlen(left->run.lanes), 0x7f);
	put_format(", %llu KiB, %s, for ", (unsigned long long)(left->bytes + 1023) >> 10,
		   counted(left->records, "records").text);
	put_escaped(left->run.trace, strlen(left->run.trace), 0x7f);
	put_char('\n');
	cleaning->result = gone ? cleaning->result : EXIT_NO;
}

/* Prints what `--clean` without a folder did not remove, and why. */
static void report_kept(const struct cleaning *cleaning)
{
	const char *begin = cleaning->met ? "" : "nothing removed; ";
	if (cleaning->filled)
		note("%s%s still with records; `varve doctor` lists them, and `varve doctor "
		     "--clean FOLDER` removes one with its records",
		     begin, counted(cleaning->filled, "leftover lane folders").text);
	if (cleaning->far)
		note("%s%s of traces that may be on a file system that is not mounted; `varve "
		     "doctor` shows one, and `varve doctor --clean FOLDER` removes it",
		     cleaning->filled ? "" : begin, counted(cleaning->far, "lane folders").text);
	if (!cleaning->met && !cleaning->filled && !cleaning->far)
		note("nothing removed; there is no leftover lane folder");
}

int doctor_clean(const char *folder)
{
	struct cleaning cleaning = {.named = folder != NULL, .result = EXIT_YES};
	struct stat found;
	if (folder && lstat(folder, &found)) {
		message("doctor: %s: %s; `varve doctor` lists leftover lane folders", folder,
			strerror(errno));
		return EXIT_USAGE;
	}
	if (folder) {
		cleaning.device = found.st_dev;
		cleaning.inode = found.st_ino;
	}
	left_search(leftover_clean, &cleaning, NULL);
	output_flush();
	if (!folder)
		report_kept(&cleaning);
	if (!folder || cleaning.met)
		return cleaning.result;
	message("doctor: %s was not removed: it is not a lane folder of this user in /dev/shm, "
		"/tmp or VARVE_LANES, or a process uses it, or its trace exists or cannot be "
		"checked; `varve doctor` lists folders that can be removed",
		folder);
	return EXIT_USAGE;
}
