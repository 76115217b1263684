/* Command line: `varve control`: pauses, resumes and flushes a recording while it runs.
 *
 * Finds the run from the control page that the process has mapped, and stores into this page. Sends no signal and stops
 * nothing; reads the state of threads from the headers of their lanes.
 */
#include "base/clock.h"
#include "base/folder.h"
#include "base/parse.h"
#include "base/program/process.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "codec/block.h"
#include "codec/lane.h"
#include "sink/run/pause.h"
#include "sink/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LANES_MOST = 65536, POLL_MS = 2, RESUME_MS = 20, FLUSH_MS = 1000 };
static const int64_t WAIT_MOST_NS = 3600000000000000ll;

/* A lane of a living thread, as it was when the command started. */
struct thread_lane {
	char name[32];
	uint64_t generation;
};

struct target {
	struct run run;
	int pid;
	enum output_format format;
	bool whole;	  /* for the run, not for one process */
	uint32_t process; /* number of the process; 0: it has no lane yet */
	uint32_t processes;
	int64_t wait;
	struct thread_lane *lanes;
	size_t count;
};

/* The folder of the control page that the process has mapped; false: it has none. */
static bool run_find(int pid, char lanes[RUN_PATH])
{
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = 0;
		char *name = strchr(line, '/'), *end = name ? strrchr(name, '/') : NULL;
		if (!end || strcmp(end, "/" LANES_CONTROL) || !strstr(name, "/varve-") ||
		    end - name >= RUN_PATH)
			continue;
		*end = 0;
		text_add(lanes, lanes + RUN_PATH, name);
		found = true;
	}
	free(line);
	fclose(maps);
	return found;
}

/* Whether the process is a `varve record` or the keeper; a job can have many. */
static bool is_command(int pid)
{
	char path[64], exe[RUN_PATH];
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	ssize_t length = readlink(path, exe, sizeof exe - 1);
	exe[length > 0 ? length : 0] = 0;
	const char *slash = strrchr(exe, '/');
	return slash && !strcmp(slash + 1, VARVE_COMMAND);
}

static bool lane_head_read(const struct target *target, const char *name, struct lane *head)
{
	char path[RUN_PATH + 64];
	snprintf(path, sizeof path, "%s/%s", target->run.lanes, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool whole = pread(fd, head, sizeof *head, 0) == (ssize_t)sizeof *head &&
		     head->magic == LANE_MAGIC && head->version == LANE_VERSION;
	close(fd);
	return whole;
}

static bool lane_pending(const struct lane *head)
{
	return head->state == LANE_FULL || head->state == LANE_TAKEN ||
	       (head->state == LANE_FILLING && (head->position > LANE_HEADER || head->stash_used));
}

static bool lane_lives(const struct target *target, const struct lane *head)
{
	return process_alive(head->pid, head->process_start, head->boot_id, head->pid_namespace,
			     target->run.control->pid_namespace, NULL);
}

/* Finds the number of the process, and the lanes with records. */
static void lane_visit(void *context, const char *name)
{
	struct target *target = context;
	struct lane head;
	if (strncmp(name, LANES_LANE, sizeof LANES_LANE - 1) ||
	    strlen(name) >= sizeof target->lanes->name || !lane_head_read(target, name, &head) ||
	    !lane_lives(target, &head))
		return;
	if (!target->whole && head.pid != target->pid)
		return;
	if (head.process > target->process)
		target->process = head.process;
	if (!lane_pending(&head) || target->count == LANES_MOST)
		return;
	struct thread_lane *lane = &target->lanes[target->count++];
	text_add(lane->name, lane->name + sizeof lane->name, name);
	lane->generation = head.generation;
}

/* The kernel can forbid reading a file even if its mode allows it: only opening it shows that. */
static bool is_readable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int no_process_message(int pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	if (access(path, F_OK))
		message("control: there is no process %d; `pgrep -a PROGRAM` lists the processes "
			"of a program",
			pid);
	else if (!is_readable(path))
		message("control: cannot read /proc/%d/maps: %s; if the process belongs to another "
			"user, run the command as that user",
			pid, strerror(errno));
	else
		message("control: process %d is not being recorded; start its program with `varve "
			"record`, or run `varve doctor` to see why it is not recorded",
			pid);
	return EXIT_NO;
}

static int control_result(const struct target *target, bool changed, const char *already)
{
	if (changed)
		return EXIT_YES;
	message("control: process %d is already %s; `varve control %d status` shows more",
		target->pid, already, target->pid);
	return EXIT_NO;
}

static int control_do_pause(struct target *target)
{
	struct control *control = target->run.control;
	if (target->whole)
		return control_result(target, control_pause(control, PAUSE_ASKED), "paused");
	if (target->process < PAUSABLE)
		return control_result(target, control_pause_process(control, target->process),
				      "paused");
	message("control: only the first %d processes of a run can be paused individually; pause "
		"the whole run: `varve control %u pause`",
		PAUSABLE, control->collector_pid);
	return EXIT_NO;
}

static int control_do_resume(struct target *target)
{
	struct control *control = target->run.control;
	/* Threads that make a call during this time store in their lanes that there was a pause. */
	control_look_begin(control);
	bool changed = target->whole ? control_resume(control, PAUSE_ASKED)
				     : control_resume_process(control, target->process);
	if (changed)
		usleep(RESUME_MS * 1000);
	control_look_end(control);
	if (changed && control->pause)
		message("control: %s",
			control->pause & PAUSE_AFTER
				? "the time of --stop-after has passed, and nothing more is "
				  "recorded; run the program again with a later time"
			: control->pause & PAUSE_BEFORE
				? "the time of --start-after is not reached; recording starts then"
				: "the whole run is paused; resume it with the pid of `varve "
				  "record`");
	return control_result(target, changed, "recording");
}

/* Whether the first block in the lane's stash is from this generation or an earlier one. */
static bool stash_holds(const struct target *target, const char *name, const struct lane *head,
			uint64_t generation)
{
	struct block_header first;
	char path[RUN_PATH + 64];
	if (!head->stash_used)
		return false;
	snprintf(path, sizeof path, "%s/%s", target->run.lanes, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool whole = pread(fd, &first, sizeof first, (off_t)head->size) == (ssize_t)sizeof first;
	close(fd);
	return whole && first.sequence <= generation;
}

/* The number of lanes that still contain the records that they contained. */
static size_t lanes_left(const struct target *target)
{
	size_t left = 0;
	struct lane head;
	for (size_t i = 0; i < target->count; i++) {
		const struct thread_lane *lane = &target->lanes[i];
		left += lane_head_read(target, lane->name, &head) && lane_pending(&head) &&
			(head.generation == lane->generation ||
			 stash_holds(target, lane->name, &head, lane->generation)) &&
			lane_lives(target, &head);
	}
	return left;
}

static int control_do_flush(struct target *target)
{
	struct control *control = target->run.control;
	int64_t end = clock_ns(CLOCK_MONOTONIC) + target->wait;
	size_t left;
	__atomic_fetch_add(&control->flush, 1, __ATOMIC_SEQ_CST);
	control_look_begin(control);
	while ((left = lanes_left(target)) && clock_ns(CLOCK_MONOTONIC) < end)
		usleep(POLL_MS * 1000);
	control_look_end(control);
	if (!left)
		return EXIT_YES;
	message("control: %zu of %s made no call in time, so their records are still in "
		"memory; a thread writes them at its next call or exit: wait longer with `--wait "
		"10s`",
		left, counted(target->count, "threads").text);
	return EXIT_NO;
}

static void put_status_text(const struct target *target, bool paused)
{
	const struct control *control = target->run.control;
	uint32_t why = control->pause;
	put_format("trace      %s\n", control->trace);
	put_format("run        %s\n",
		   why & PAUSE_ASKED	? "paused on request"
		   : why & PAUSE_AFTER	? "paused: the time of --stop-after has passed"
		   : why & PAUSE_BEFORE ? "paused: the time of --start-after is not reached"
					: "recording");
	if (!target->whole)
		put_format("process    %u, %s\n", target->process, paused ? "paused" : "recording");
	put_format("processes  %u so far, %u paused individually\n", control->next_process,
		   control->paused_processes);
	put_format("threads    %zu with records in memory\n", target->count);
	put_format("data       %" PRIu64 " bytes\n", control->data_tail);
	put_format("excluded   %s, ",
		   counted(control_count(control, NOTE_FILES), "file calls").text);
	put_format("%s\n", counted(control_count(control, NOTE_PAUSED), "calls in pauses").text);
}

static void put_status_json(const struct target *target, bool paused)
{
	const struct control *control = target->run.control;
	uint32_t why = control->pause;
	put_json_member("{\"trace\":", control->trace);
	put_format(",\"recording\":%s", why ? "false" : "true");
	put_json_member(",\"paused_by\":", why & PAUSE_ASKED	? "request"
					   : why & PAUSE_AFTER	? "stop-after"
					   : why & PAUSE_BEFORE ? "start-after"
								: NULL);
	if (!target->whole)
		put_format(",\"process\":{\"number\":%u,\"recording\":%s}", target->process,
			   paused ? "false" : "true");
	put_format(",\"processes\":%u,\"paused_processes\":%u,\"threads_in_memory\":%zu",
		   control->next_process, control->paused_processes, target->count);
	put_format(",\"data_bytes\":%" PRIu64 ",\"left_out_files\":%" PRIu64
		   ",\"left_out_paused\":%" PRIu64 "}\n",
		   control->data_tail, control_count(control, NOTE_FILES),
		   control_count(control, NOTE_PAUSED));
}

static int control_do_status(struct target *target)
{
	const struct control *control = target->run.control;
	bool paused =
		!target->whole && (control->pause || control_paused(control, target->process));
	if (target->format == FORMAT_JSON)
		put_status_json(target, paused);
	else
		put_status_text(target, paused);
	output_flush();
	return EXIT_YES;
}

static const struct {
	const char *name;
	int (*run)(struct target *target);
} commands[] = {
	{"pause", control_do_pause},
	{"resume", control_do_resume},
	{"flush", control_do_flush},
	{"status", control_do_status},
};

/* The table of verbs lists the same commands: arguments_read() refuses others. */
static int command_run(struct target *target, const char *name)
{
	size_t i = 0;
	while (strcmp(commands[i].name, name) != 0)
		i++;
	return commands[i].run(target);
}

static int target_run(struct target *target, const char *command)
{
	char lanes[RUN_PATH];
	struct varve_causes causes = {0};
	if (!run_find(target->pid, lanes))
		return no_process_message(target->pid);
	enum varve_status status = run_attach(lanes, &target->run, &causes);
	if (status != VARVE_OK)
		return failed(status, &causes);
	target->whole = is_command(target->pid);
	target->lanes = calloc(LANES_MOST, sizeof *target->lanes);
	int result = EXIT_SYSTEM;
	if (!target->lanes)
		message("control: out of memory; free some memory, or raise the limit (`ulimit "
			"-v`)");
	else if (folder_list(target->run.lanes, lane_visit, target))
		message("control: cannot read %s; run the command as the user of the run",
			target->run.lanes);
	else if (!target->whole && !target->process)
		message("control: process %d has not recorded anything yet; try again later",
			target->pid);
	else
		result = command_run(target, command);
	free(target->lanes);
	run_detach(&target->run);
	return result;
}

int cmd_control(const struct arguments *arguments)
{
	static struct target target;
	const char *word = arguments->operands[1], *wait = option(arguments, "wait");
	uint64_t pid;
	target = (struct target){.wait = FLUSH_MS * 1000000ll, .format = option_format(arguments)};
	if (!parse_number(arguments->operands[0], INT32_MAX, &pid) || !pid) {
		message("control: '%s' is not a process id; usage: varve %s",
			arguments->operands[0], arguments->verb->usage);
		return EXIT_USAGE;
	}
	if (wait && (!parse_time(wait, &target.wait) || target.wait > WAIT_MOST_NS)) {
		message("control: --wait must be a time up to 1000h, as in 500ms or 2s, not '%s'",
			wait);
		return EXIT_USAGE;
	}
	if (wait && strcmp(word, "flush") != 0) {
		message("control: --wait cannot be used with %s: only flush waits for threads; "
			"remove --wait",
			word);
		return EXIT_USAGE;
	}
	if (target.format != FORMAT_TEXT && strcmp(word, "status") != 0) {
		message("control: --format json cannot be used with %s: only status prints a "
			"result; remove --format",
			word);
		return EXIT_USAGE;
	}
	target.pid = (int)pid;
	return target_run(&target, word);
}
