/* Sink: making a run and attaching to one. See run.h. */
#include "sink/run/run.h"
#include "base/trace_files.h"
#include "sink/run/agree.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/key_values.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"
#include "codec/block.h"
#include "codec/inprocess/peephole.h"
#include "codec/rows.h"
#include "sink/data.h"
#include "sink/run/join.h"
#include "sink/run/pause.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NODE_MOST = (1 << 20) - 1 };
enum { RESOLUTION_DEFAULT = 100, LANE_SIZE_DEFAULT = 1 << 20, SCRATCH = 1 << 20 };

static void hex_add(char **at, const char *end, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < count; i++) {
		char pair[3] = {digits[bytes[i] >> 4], digits[bytes[i] & 15], 0};
		*at = text_add(*at, end, pair);
	}
}

static uint32_t best_clock(void)
{
#if defined(__x86_64__)
	char text[32];
	if (file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		      sizeof text) > 0 &&
	    memcmp(text, "tsc", 3) == 0)
		return CLOCK_KIND_TSC;
#endif
	return CLOCK_KIND_MONOTONIC;
}

static size_t description_write(const struct run_settings *settings, const struct control *control,
				char *text, size_t room)
{
	struct key_values list = {.bytes = text, .room = room};
	char hex[40], *hex_end = hex;
	hex_add(&hex_end, hex + sizeof hex, control->run_id, sizeof control->run_id);
	key_values_add(&list, "varve", VARVE_VERSION);
	key_values_add(&list, "run", hex);
	hex_end = hex;
	hex_add(&hex_end, hex + sizeof hex, control->boot_id, sizeof control->boot_id);
	key_values_add(&list, "boot", hex);
	key_values_add(&list, "host", control->host);
	key_values_add(&list, "clock", control->clock_kind == CLOCK_KIND_TSC ? "tsc" : "monotonic");
	key_values_add_number(&list, "resolution", control->resolution);
	key_values_add_number(&list, "start_realtime", (uint64_t)control->start_realtime);
	key_values_add_number(&list, "start_monotonic", (uint64_t)control->start_monotonic);
	key_values_add_number(&list, "buffer", control->lane_size);
	key_values_add_number(&list, "limit", control->limit);
	key_values_add_number(&list, "pointers", control->pointers);
	key_values_add_number(&list, "follow", !control->no_follow);
	if (settings->job)
		key_values_add(&list, "launch", settings->job);
	key_values_add_list(&list, settings->noted, settings->noted_length);
	key_values_add_list(&list, settings->description, settings->description_length);
	return list.length;
}

static void control_fill(struct control *control, const struct run_settings *settings)
{
	struct utsname name;
	control->version = CONTROL_VERSION;
	control->size = CONTROL_SIZE;
	sys6(SYS_getrandom, sys_address(control->run_id), sizeof control->run_id, 0, 0, 0, 0);
	process_boot_id(control->boot_id);
	control->pid_namespace = process_namespace();
	control->user_namespace = process_user_namespace();
	if (sys6(SYS_uname, sys_address(&name), 0, 0, 0, 0, 0) == 0)
		text_add(control->host, control->host + sizeof control->host, name.nodename);
	control->clock_kind = settings->clock_kind ? settings->clock_kind : best_clock();
	control->resolution = settings->resolution ? settings->resolution : RESOLUTION_DEFAULT;
	control->lane_size = settings->lane_size ? settings->lane_size : LANE_SIZE_DEFAULT;
	control->limit = settings->limit;
	control->pointers = settings->pointers;
	control->no_follow = settings->no_follow;
	control->no_keeper = settings->no_keeper;
	control->no_clocks = settings->no_clocks;
	control->codec.codec = settings->codec ? settings->codec : CODEC_COLUMNS;
	if (control->codec.codec == CODEC_PEEPHOLE && !settings->uncompressed)
		control->codec.window = settings->window ? settings->window - 1 : PEEPHOLE_WINDOW;
	control->expected = settings->expected;
	control->joined = 1;
	if (settings->job)
		text_add(control->job, control->job + sizeof control->job, settings->job);
	for (size_t i = 0; i < call_rows_count; i++)
		control->switches[call_rows[i].id] = settings->complete
							     ? settings->asked[call_rows[i].id]
						     : call_names[i].off ? SWITCH_OFF
									 : 0;
	control->choice = settings->choice;
	if (control->choice.start_after)
		control_pause(control, PAUSE_BEFORE);
	clock_pair(control->clock_kind == CLOCK_KIND_TSC, &control->start_counter,
		   &control->start_monotonic);
	control->start_realtime = clock_ns(CLOCK_REALTIME);
	text_add(control->trace, control->trace + sizeof control->trace, settings->trace);
	text_add(control->library, control->library + sizeof control->library, settings->library);
}

/* One of the two files of the control page: which bytes of the page it contains, and how it is opened. */
struct page_file {
	const char *name;
	uint64_t from, to;
	int flags; /* for opening; with O_CREAT it is created */
	mode_t mode;
};

/* Every user who may search the folder can read it. */
#define FACTS_NEW                                                                                  \
	{                                                                                          \
		"/" LANES_FACTS, 0, CONTROL_FACTS, O_RDWR | O_CREAT | O_EXCL, 0644                 \
	}
#define FACTS_THERE                                                                                \
	{                                                                                          \
		"/" LANES_FACTS, 0, CONTROL_FACTS, O_RDONLY, 0                                     \
	}
/* It has another name while it is being created, so that a process that finds it finds it complete. */
#define CONTROL_NEW                                                                                \
	{                                                                                          \
		"/" LANES_CONTROL_NEW, CONTROL_FACTS, CONTROL_SIZE, O_RDWR | O_CREAT | O_EXCL,     \
			0600                                                                       \
	}
#define CONTROL_THERE                                                                              \
	{                                                                                          \
		"/" LANES_CONTROL, CONTROL_FACTS, CONTROL_SIZE, O_RDWR, 0                          \
	}

static void lanes_path(char path[RUN_PATH + 16], const char *lanes, const char *name)
{
	*path = 0;
	text_add(text_add(path, path + RUN_PATH + 16, lanes), path + RUN_PATH + 16, name);
}

/* Whether the file belongs to the user who created the folder: an admitted user may create files there, too. */
static bool is_genuine(int fd, const char *lanes, uint64_t size)
{
	struct stat found, folder;
	return sys_fstat(fd, &found) == 0 && sys_stat(lanes, &folder) == 0 &&
	       found.st_uid == folder.st_uid && S_ISREG(found.st_mode) &&
	       (uint64_t)found.st_size >= size;
}

/* Maps the file to its place in the page. Returns 0 or an errno. */
static int page_file_map(const char *lanes, const struct page_file *file, void *page)
{
	char path[RUN_PATH + 16];
	bool create = file->flags & O_CREAT, written = (file->flags & O_ACCMODE) == O_RDWR;
	lanes_path(path, lanes, file->name);
	if (create)
		sys_unlink(path);
	int fd = sys_open(path, file->flags | O_NOFOLLOW | O_NONBLOCK, file->mode);
	if (fd < 0)
		return -fd;
	int error = 0;
	if (create) {
		/* Sets the mode regardless of the umask. */
		error = -(int)sys6(SYS_fchmod, fd, file->mode, 0, 0, 0, 0);
		if (!error)
			error = -(int)sys_fallocate(fd, file->from, file->to - file->from);
	}
	if (!error && !is_genuine(fd, lanes, file->to))
		error = EINVAL;
	if (!error)
		sys_mmap((char *)page + file->from, file->to - file->from,
			 PROT_READ | (written ? PROT_WRITE : 0), MAP_SHARED | MAP_FIXED, fd,
			 file->from, &error);
	sys_close(fd);
	if (create && error)
		sys_unlink(path);
	return error;
}

static struct control *control_map(const char *lanes, bool create, int *error)
{
	static const struct page_file files[2][2] = {{CONTROL_THERE, FACTS_THERE},
						     {CONTROL_NEW, FACTS_NEW}};
	void *page =
		sys_mmap(NULL, CONTROL_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, error);
	if (!page)
		return NULL;
	*error = page_file_map(lanes, &files[create][0], page);
	if (!*error)
		*error = page_file_map(lanes, &files[create][1], page);
	if (*error) {
		sys_munmap(page, CONTROL_SIZE);
		page = NULL;
	}
	return page;
}

/* Creates `base`/varve-UID-RUN. Returns 0 or an errno. */
static int lanes_make(const char *base, struct run *run, const uint8_t id[8])
{
	const char *end = run->lanes + sizeof run->lanes;
	char *at = text_add(run->lanes, end, base);
	at = text_add(at, end, "/varve-");
	at = text_add_number(at, end, (uint64_t)sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0));
	at = text_add(at, end, "-");
	hex_add(&at, end, id, 8);
	return -sys_mkdir(run->lanes, LANES_MODE);
}

/* Removes lanes that were never used: spare ones, and those whose owner was killed before they were complete. */
static void lane_remove(void *context, const char *name)
{
	const struct run *run = context;
	char path[RUN_PATH + 64];
	const char *end = path + sizeof path;
	if (strncmp(name, LANES_LANE, sizeof LANES_LANE - 1) != 0)
		return;
	text_add(text_add(text_add(path, end, run->lanes), end, "/"), end, name);
	sys_unlink(path);
}

void lanes_remove(struct run *run)
{
	static const char *const names[] = {"/" LANES_CONTROL, "/" LANES_CONTROL_NEW,
					    "/" LANES_FACTS};
	char path[RUN_PATH + 16];
	folder_list(run->lanes, lane_remove, run);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		lanes_path(path, run->lanes, names[i]);
		sys_unlink(path);
	}
	sys_rmdir(run->lanes);
}

void node_path(char *path, const char *end, const char *trace, enum trace_file file, uint32_t node)
{
	trace_file_name(text_add(text_add(path, end, trace), end, "/"), end, file, node);
}

void run_remove_lanes(struct run *run)
{
	char path[RUN_PATH + 32];
	node_path(path, path + sizeof path, run->trace, TRACE_FILE_LANES, run->control->node);
	ranks_agreed_remove(run->trace, run->control->node);
	lanes_remove(run);
	sys_unlink(path);
}

/* Writes a file of the trace folder; with NEW it must not exist yet. */
enum { NEW = O_CREAT | O_EXCL };

static int trace_file(const char *path, int how, const void *bytes, size_t length)
{
	if (!sys_size_allowed(length))
		return -EFBIG;
	int fd = sys_open(path, O_WRONLY | how, 0644);
	if (fd < 0)
		return fd;
	long wrote = length ? sys_pwrite(fd, bytes, length, 0) : 0;
	sys_close(fd);
	if (wrote == (long)length)
		return 0;
	sys_unlink(path);
	return wrote < 0 ? (int)wrote : -ENOSPC;
}

/* Removes the files of a node that could not be created; for the first node, also the trace folder. */
static void trace_remove(const struct run *run)
{
	static const enum trace_file files[] = {TRACE_FILE_DATA, TRACE_FILE_LANES};
	char path[RUN_PATH + 32];
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		node_path(path, path + sizeof path, run->trace, files[i], run->control->node);
		sys_unlink(path);
	}
	if (!run->control->node)
		sys_rmdir(run->trace);
}

void run_undo(struct run *run)
{
	/* Others may be using it. */
	if (run->control->joined < 2) {
		trace_remove(run);
		lanes_remove(run);
	}
	run_detach(run);
}

/* Writes the data file and the file with the path of the lanes. The process that creates the data file has its number. The data
 * file is filled last, so that a reader that finds data of a run in progress also finds its lanes. */
static int node_write(struct run *run, const uint8_t *blocks, size_t length)
{
	char data[RUN_PATH + 32], lanes[RUN_PATH + 32];
	int result;
	for (;; run->control->node++) {
		node_path(data, data + sizeof data, run->trace, TRACE_FILE_DATA,
			  run->control->node);
		result = trace_file(data, NEW, NULL, 0);
		if (result != -EEXIST || !run->control->node || run->control->node == NODE_MOST)
			break;
	}
	if (result)
		return result;
	run->control->data_tail = length;
	node_path(lanes, lanes + sizeof lanes, run->trace, TRACE_FILE_LANES, run->control->node);
	result = trace_file(lanes, NEW, run->lanes, strlen(run->lanes));
	return result ? result : trace_file(data, 0, blocks, length);
}

static int trace_fill(struct run *run, const struct run_settings *settings)
{
	size_t size = SCRATCH + block_plain_size(tables_blob_size);
	uint8_t *scratch = sys_memory(size);
	if (!scratch)
		return -ENOMEM;
	char *text = (char *)scratch + SCRATCH / 2;
	size_t length = description_write(settings, run->control, text, SCRATCH / 2);
	size_t used = block_plain(scratch, BLOCK_RUN, run->control->run_id, 0, text, length);
	used += block_plain(scratch + used, BLOCK_TABLES, run->control->run_id, 0, tables_blob,
			    tables_blob_size);
	int result = node_write(run, scratch, used);
	sys_munmap(scratch, size);
	return result;
}

/* Creates the trace folder, or joins an existing one of the same job. */
static int trace_make(struct run *run, const struct run_settings *settings)
{
	int result = sys_mkdir(run->trace, 0755);
	if (result != -EEXIST || (!settings->job && !settings->lanes))
		return result;
	enum varve_status found = run_same(run->trace, settings->job, run->control->run_id);
	if (found != VARVE_OK)
		return found == VARVE_BUSY ? -EBUSY : -EEXIST;
	run->control->node = 1;
	return 0;
}

/* When the name `control` exists, everything is complete. From here on the facts are read-only for all processes, including
 * this one. */
static int control_publish(const struct run *run)
{
	static const struct page_file facts = FACTS_THERE;
	char path[RUN_PATH + 16], final[RUN_PATH + 16];
	lanes_path(path, run->lanes, "/" LANES_CONTROL_NEW);
	lanes_path(final, run->lanes, "/" LANES_CONTROL);
	run->control->magic = CONTROL_MAGIC;
	int error = page_file_map(run->lanes, &facts, run->control);
	return error ? -error : sys_rename(path, final);
}

static enum varve_status no_trace(const struct run_settings *settings, int error, bool made,
				  struct varve_causes *causes)
{
	if (error == EEXIST)
		return cause(causes, VARVE_BUSY,
			     "%s already exists; a trace is never overwritten: remove it, or "
			     "choose another name with -o",
			     settings->trace);
	if (error == EBUSY)
		return cause(causes, VARVE_ABSENT,
			     "%s is being created by another program of the job, but does not "
			     "exist after %d seconds",
			     settings->trace, JOIN_SECONDS);
	return cause(causes, VARVE_SYSTEM, "cannot %s the trace %s: %s", made ? "write" : "create",
		     settings->trace, strerrordesc_np(error));
}

enum varve_status run_fill(const struct run_settings *settings, struct run *run,
			   struct varve_causes *causes)
{
	int error = 0;
	run->control = control_map(run->lanes, true, &error);
	if (!run->control)
		return cause(
			causes, VARVE_SYSTEM,
			"cannot create the lane folder %s: %s; choose another place with --lanes",
			run->lanes, strerrordesc_np(error));
	control_fill(run->control, settings);
	int result = trace_make(run, settings);
	bool made = result == 0;
	if (made)
		result = trace_fill(run, settings);
	if (result == 0)
		result = control_publish(run);
	if (result == 0) {
		run->made = true;
		return VARVE_OK;
	}
	if (made)
		trace_remove(run);
	run_detach(run);
	return no_trace(settings, -result, made, causes);
}

enum varve_status run_create(const struct run_settings *settings, struct run *run,
			     struct varve_causes *causes)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};
	uint8_t id[8];
	int error = ENOENT, before = causes ? causes->count : 0;
	memset(run, 0, sizeof *run);
	if (strlen(settings->trace) >= RUN_PATH - 32)
		return cause(causes, VARVE_USAGE, "the path of the trace is too long");
	text_add(run->trace, run->trace + sizeof run->trace, settings->trace);
	sys6(SYS_getrandom, sys_address(id), sizeof id, 0, 0, 0, 0);
	enum varve_status status = VARVE_SYSTEM;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *base = settings->lane_folder ? settings->lane_folder : places[i];
		bool last = settings->lane_folder || i + 1 == sizeof places / sizeof *places;
		error = lanes_make(base, run, id);
		if (error && last)
			return cause(causes, VARVE_SYSTEM,
				     "cannot create the lane folder %s: %s; choose another place "
				     "with --lanes",
				     run->lanes, strerrordesc_np(error));
		if (error)
			continue;
		status = run_fill(settings, run, causes);
		if (status == VARVE_OK)
			return status;
		lanes_remove(run);
		if (status != VARVE_SYSTEM || last)
			break;
		if (causes)
			causes->count = before;
	}
	return status;
}

enum varve_status run_attach(const char *lanes, struct run *run, struct varve_causes *causes)
{
	int error = 0;
	memset(run, 0, sizeof *run);
	text_add(run->lanes, run->lanes + sizeof run->lanes, lanes);
	run->control = control_map(lanes, false, &error);
	if (!run->control)
		return cause(causes, error == ENOENT ? VARVE_ABSENT : VARVE_SYSTEM,
			     "cannot open the control page of %s: %s", lanes,
			     strerrordesc_np(error));
	if (run->control->magic != CONTROL_MAGIC || run->control->version != CONTROL_VERSION) {
		run_detach(run);
		return cause(causes, VARVE_DAMAGED,
			     "%s/control is not a control page of this version of Varve", lanes);
	}
	text_add(run->trace, run->trace + sizeof run->trace, run->control->trace);
	return VARVE_OK;
}

void run_detach(struct run *run)
{
	if (run->control)
		sys_munmap(run->control, CONTROL_SIZE);
	run->control = NULL;
}
