/* Sink: several programs in one run. See join.h. */
#include "sink/run/join.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "codec/block.h"
#include "sink/run/settings.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>

enum { NAP_NS = 2000000, DESCRIPTION_MOST = 1 << 20 };

static void join_nap(void)
{
	struct timespec time = {0, NAP_NS};
	sys6(SYS_nanosleep, sys_address(&time), 0, 0, 0, 0, 0);
}

static int64_t join_deadline(void)
{
	return clock_ns(CLOCK_MONOTONIC) + JOIN_SECONDS * 1000000000ll;
}

/* Waits for a lock, but not longer than until this time. */
static int lock_until(int fd, int how, int64_t until)
{
	int result;
	while ((result = sys_flock(fd, how | LOCK_NB)) == -EAGAIN || result == -EINTR) {
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return -EAGAIN;
		join_nap();
	}
	return result;
}

/* Opens the folder if it belongs to our user: any user may create one in /dev/shm. If users are admitted individually, the
 * group bits are the mask of the access list, so only the bits for others are checked. */
static int folder_open(const char *path)
{
	struct stat found;
	int fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	if (sys_fstat(fd, &found) == 0 && (found.st_mode & 07) == 0 &&
	    (long)found.st_uid == sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0))
		return fd;
	sys_close(fd);
	return -EPERM;
}

/* Whether the path still leads to the open folder. */
static bool still_there(int fd, const char *path)
{
	struct stat held, named;
	return sys_fstat(fd, &held) == 0 && sys_stat(path, &named) == 0 &&
	       held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

int lanes_lock(const char *lanes, bool wait)
{
	int fd = sys_open(lanes, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	int result = wait ? -EINTR : lock_until(fd, LOCK_EX, join_deadline());
	while (result == -EINTR)
		result = sys_flock(fd, LOCK_EX);
	if (result < 0) {
		sys_close(fd);
		return result;
	}
	return fd;
}

/* Joins an existing run and returns true. Returns false if it still has to be made, or belongs to others (then `*error` is
 * set). */
static bool join_present(const struct run_settings *settings, struct run *run, int *error)
{
	char trace[RUN_PATH];
	uint8_t boot_id[16];
	memcpy(trace, run->trace, sizeof trace);
	char lanes[RUN_PATH];
	memcpy(lanes, run->lanes, sizeof lanes);
	enum varve_status status = run_attach(lanes, run, NULL);
	process_boot_id(boot_id);
	*error = 0;
	if (status == VARVE_OK &&
	    (settings->job ? !strcmp(run->control->job, settings->job)
			   : !strcmp(run->control->trace, settings->trace)) &&
	    memcmp(boot_id, run->control->boot_id, sizeof boot_id) == 0) {
		__atomic_fetch_add(&run->control->joined, 1, __ATOMIC_RELAXED);
		return true;
	}
	if (status != VARVE_ABSENT)
		*error = EEXIST;
	if (status == VARVE_OK)
		run_detach(run);
	memcpy(run->lanes, lanes, sizeof lanes);
	memcpy(run->trace, trace, sizeof trace);
	return false;
}

/* Joins the run in the lane folder run->lanes, which is created if it does not exist. VARVE_ABSENT: not possible in this place. */
static enum varve_status folder_join(const struct run_settings *settings, struct run *run,
				     struct varve_causes *causes)
{
	int64_t until = join_deadline();
	int error = 0;
	for (;;) {
		int made = sys_mkdir(run->lanes, LANES_MODE);
		if (made < 0 && made != -EEXIST)
			return cause(causes, VARVE_ABSENT,
				     "cannot create the lane folder %s: %s; choose another place "
				     "with --lanes",
				     run->lanes, strerrordesc_np(-made));
		int fd = folder_open(run->lanes);
		if (fd == -ENOENT && clock_ns(CLOCK_MONOTONIC) < until)
			continue;
		int locked = fd < 0 ? fd : lock_until(fd, LOCK_EX, until);
		if (fd >= 0 && locked == 0 && !still_there(fd, run->lanes)) {
			/* The last process has just left, and has removed the folder. */
			sys_close(fd);
			continue;
		}
		enum varve_status status = VARVE_ABSENT;
		if (locked < 0)
			status = cause(causes, status,
				       "cannot use the lane folder of the job %s: %s", run->lanes,
				       locked == -EAGAIN ? "another process keeps it locked"
							 : strerrordesc_np(-locked));
		else if (join_present(settings, run, &error))
			status = VARVE_OK;
		else if (error)
			status = cause(causes, status, "%s contains the lanes of another run",
				       run->lanes);
		else {
			status = run_fill(settings, run, causes);
			if (status != VARVE_OK)
				lanes_remove(run);
		}
		if (fd >= 0)
			sys_close(fd);
		return status;
	}
}

/* varve-UID-HASH: the same for all programs of the job that use the same trace. */
static void job_folder(const struct run_settings *settings, char *name, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t hash = hash64(settings->job, strlen(settings->job), 0);
	if (settings->trace_name)
		hash = hash64(settings->trace, strlen(settings->trace), hash);
	char hex[17] = "";
	for (int i = 0; i < 16; i++)
		hex[i] = digits[hash >> (60 - 4 * i) & 15];
	name = text_add(name, end, "varve-");
	name = text_add_number(name, end, (uint64_t)sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0));
	text_add(text_add(name, end, "-"), end, hex);
}

/* Joins or makes the run in the first place that works. */
static enum varve_status join_somewhere(const struct run_settings *settings, const char *folder,
					struct run *run, struct varve_causes *causes)
{
	const char *const places[] = {settings->lane_folder ? settings->lane_folder : "/dev/shm",
				      settings->lane_folder ? NULL : "/tmp"};
	enum varve_status status = VARVE_ABSENT;
	for (size_t i = 0; i < 2 && places[i] && status == VARVE_ABSENT; i++) {
		struct varve_causes found = {0};
		const char *end = run->lanes + sizeof run->lanes;
		memset(run, 0, sizeof *run);
		text_add(run->trace, run->trace + sizeof run->trace, settings->trace);
		text_add(text_add(text_add(run->lanes, end, places[i]), end, "/"), end, folder);
		status = folder_join(settings, run, &found);
		if (causes)
			*causes = found;
	}
	return status;
}

enum varve_status run_join(const struct run_settings *settings, struct run *run,
			   struct varve_causes *causes)
{
	char folder[64] = "";
	if (strlen(settings->trace) >= RUN_PATH - 32)
		return cause(causes, VARVE_USAGE, "the path of the trace is too long");
	job_folder(settings, folder, folder + sizeof folder);
	enum varve_status status = join_somewhere(settings, folder, run, causes);
	if (status != VARVE_ABSENT)
		return status;
	/* A separate run, but in the same trace if possible: the key identifies it. */
	return run_create(settings, run, causes);
}

/* Reads the strings of the first block of a trace; returns their length, 0 if there is no such block. */
static size_t description_read(const char *trace, char *text, size_t room, uint8_t run_id[16])
{
	char path[RUN_PATH + 16];
	struct block_header header;
	text_add(text_add(path, path + sizeof path, trace), path + sizeof path,
		 "/" TRACE_FIRST_DATA);
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	long got = sys_pread(fd, text, room, 0);
	sys_close(fd);
	const uint8_t *bytes = (const uint8_t *)text;
	if (got < (long)sizeof header ||
	    block_open(bytes, (size_t)got, &header, NULL) != VARVE_OK || header.type != BLOCK_RUN ||
	    block_check(bytes, &header, NULL) != VARVE_OK)
		return 0;
	memcpy(run_id, header.run_id, sizeof header.run_id);
	size_t length = header.length - header.header_length;
	memmove(text, text + header.header_length, length);
	text[length] = 0;
	return length;
}

/* Value of the next string that begins with `key`, from `*at` on; NULL: none. `key` ends with `=`, or is the beginning of a
 * key. */
static const char *string_next(const char *text, size_t length, const char *key, size_t *at)
{
	while (*at < length) {
		const char *string = text + *at;
		*at += strlen(string) + 1;
		if (!strncmp(string, key, strlen(key)))
			return string + strlen(key);
	}
	return NULL;
}

static bool lanes_left(const char *trace)
{
	char path[RUN_PATH + 16];
	struct stat found;
	text_add(text_add(path, path + sizeof path, trace), path + sizeof path,
		 "/" TRACE_FIRST_LANES);
	return sys_stat(path, &found) == 0;
}

/* Whether no program can join it any more: a packed trace, in one file or several, or a file that is not a trace. */
static bool is_closed(const char *trace)
{
	char path[RUN_PATH + 16];
	struct stat found;
	text_add(text_add(path, path + sizeof path, trace), path + sizeof path,
		 "/" TRACE_FIRST_PACKED);
	return sys_stat(path, &found) == 0 ||
	       (sys_stat(trace, &found) == 0 && !S_ISDIR(found.st_mode));
}

enum varve_status run_same(const char *trace, const char *job, uint8_t run_id[16])
{
	int64_t until = join_deadline();
	char *text = sys_memory(DESCRIPTION_MOST + 1);
	if (!text)
		return VARVE_BUSY;
	size_t length;
	while (!(length = description_read(trace, text, DESCRIPTION_MOST, run_id)) &&
	       !is_closed(trace) && clock_ns(CLOCK_MONOTONIC) < until)
		join_nap();
	size_t at = 0;
	const char *launch = string_next(text, length, "launch=", &at);
	enum varve_status status =
		!length		    ? is_closed(trace) ? VARVE_FOREIGN : VARVE_BUSY
		: job		    ? (launch && !strcmp(launch, job) ? VARVE_OK : VARVE_FOREIGN)
		: lanes_left(trace) ? VARVE_OK
				    : VARVE_FOREIGN;
	sys_munmap(text, DESCRIPTION_MOST + 1);
	return status;
}

/* Whether these strings belong to a run that began on another host. */
static bool host_is_other(const char *text, size_t length)
{
	struct utsname name;
	size_t at = 0;
	const char *host = string_next(text, length, "host=", &at);
	return host && sys6(SYS_uname, sys_address(&name), 0, 0, 0, 0, 0) == 0 &&
	       strncmp(host, name.nodename, sizeof((struct control *)0)->host - 1) != 0;
}

/* Reads the settings of the run that its first node has stored. */
static void settings_take(struct run_settings *settings, const char *text, size_t length)
{
	struct setting_fault fault;
	size_t at = 0;
	for (const char *word; (word = string_next(text, length, "setting.", &at));) {
		size_t name = strcspn(word, "=");
		for (size_t i = 0; i < SETTING_COUNT && word[name]; i++)
			if (i != SETTING_TRACE && strlen(settings_table[i].name) == name &&
			    !memcmp(settings_table[i].name, word, name) &&
			    !setting_put(settings, (enum setting_id)i, word + name + 1, &fault))
				break;
	}
	settings_complete(settings);
}

/* Makes another node of the run with this trace; settings point into `text`. */
static enum varve_status node_make(const char *trace, char *text, const char *folder,
				   const char *library, struct run *run)
{
	static struct run_settings settings;
	uint8_t run_id[16];
	size_t length = description_read(trace, text, DESCRIPTION_MOST, run_id);
	bool hidden = length && !host_is_other(text, length);
	if (!length || (hidden && !lanes_left(trace)))
		return VARVE_ABSENT;
	settings = (struct run_settings){.trace = trace, .library = library, .lanes = folder};
	settings_take(&settings, text, length);
	/* The run is on this host, but its lanes are not visible, because the program has its own /dev. The trace folder is
	 * visible on both sides, so the lanes are made there, and the command that completes the run finds them. A keeper would
	 * keep the namespace from ending. */
	if (hidden) {
		settings.lane_folder = trace;
		settings.no_keeper = 1;
	}
	size_t at = 0;
	settings.job = string_next(text, length, "launch=", &at);
	enum varve_status status = join_somewhere(&settings, folder, run, NULL);
	/* The lanes are collected later, so what waits in them until then is not lost. */
	if (status == VARVE_OK && hidden)
		run->control->keeper_coming = 1;
	/* The folder in the settings may exist on the first host only. */
	if (status != VARVE_ABSENT || !settings.lane_folder || hidden)
		return status;
	settings.lane_folder = NULL;
	return join_somewhere(&settings, folder, run, NULL);
}

enum varve_status run_named(const char *named, const char *library, struct run *run,
			    struct varve_causes *causes)
{
	static char lanes[RUN_PATH];
	const char *trace = strstr(named, ":/");
	size_t length = trace ? (size_t)(trace - named) : strlen(named);
	if (length >= sizeof lanes)
		return cause(causes, VARVE_ABSENT, "the path of the lanes is too long");
	memcpy(lanes, named, length);
	lanes[length] = 0;
	enum varve_status status = run_attach(lanes, run, causes);
	const char *folder = strrchr(lanes, '/');
	uint8_t boot_id[16];
	process_boot_id(boot_id);
	/* Lanes on a shared file system belong to one of the hosts. */
	if (status == VARVE_OK && memcmp(boot_id, run->control->boot_id, sizeof boot_id) != 0) {
		run_detach(run);
		status = VARVE_ABSENT;
	}
	if (status != VARVE_ABSENT || !trace || !folder)
		return status;
	char *text = sys_memory(DESCRIPTION_MOST + 1);
	if (!text)
		return VARVE_NO_MEMORY;
	status = node_make(trace + 1, text, folder + 1, library, run);
	sys_munmap(text, DESCRIPTION_MOST + 1);
	return status;
}

int run_enter(const struct run *run)
{
	char path[RUN_PATH + 16];
	text_add(text_add(path, path + sizeof path, run->lanes), path + sizeof path,
		 "/" LANES_CONTROL);
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	int result;
	while ((result = sys_flock(fd, LOCK_SH)) == -EINTR)
		;
	if (result == 0)
		return fd;
	sys_close(fd);
	return result;
}

bool run_alone(int member)
{
	return member < 0 || sys_flock(member, LOCK_EX | LOCK_NB) == 0;
}

void run_share(int member)
{
	while (member >= 0 && sys_flock(member, LOCK_SH) == -EINTR)
		;
}

void run_exit(int *member)
{
	if (*member >= 0)
		sys_close(*member);
	*member = -1;
}

enum varve_status run_outlive(const struct run *run)
{
	char path[RUN_PATH + 16];
	text_add(text_add(path, path + sizeof path, run->lanes), path + sizeof path,
		 "/" LANES_CONTROL);
	int result, fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return VARVE_ABSENT;
	while ((result = sys_flock(fd, LOCK_EX)) == -EINTR)
		;
	sys_close(fd);
	return result == 0 ? VARVE_OK : VARVE_SYSTEM;
}

void run_note_end(struct control *control, enum run_end end, int status)
{
	uint64_t now = (uint64_t)end << 32 | (uint32_t)status;
	uint64_t old = __atomic_load_n(&control->ended, __ATOMIC_RELAXED);
	control->ended_monotonic = clock_ns(CLOCK_MONOTONIC);
	/* A signal is worse than a status, and any status is worse than 0. */
	while (now > old && !__atomic_compare_exchange_n(&control->ended, &old, now, 0,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}
