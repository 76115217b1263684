/* Command line: `varve record`: makes the run, starts the program with the library preloaded, completes the trace.
 *
 * Start-up is on a budget of milliseconds: nothing here waits for a disk before the program runs. The program's
 * descriptors are never touched, and nothing is printed when everything was recorded.
 */
#include "base/process.h"
#include "cli/child.h"
#include "cli/describe.h"
#include "cli/drain.h"
#include "cli/library.h"
#include "cli/report.h"
#include "cli/sanitizer.h"
#include "cli/verbs.h"
#include "sink/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LANE_LEAST = 64 << 10, LANE_MOST = 64 << 20 };
enum { WAIT_MS = 60000 };

extern char **environ;

static const char *setting(const struct arguments *arguments, const char *name,
			   const char *variable)
{
	const char *value = option(arguments, name);
	if (!value)
		value = getenv(variable);
	return value && *value ? value : option(arguments, name);
}

static bool wrong(const char *name, const char *value, const char *expected)
{
	message("record: --%s is %s, not '%s'", name, expected, value);
	return false;
}

static bool read_settings(const struct arguments *arguments, struct run_settings *settings)
{
	const char *buffer = setting(arguments, "buffer", "VARVE_BUFFER");
	const char *resolution = setting(arguments, "resolution", "VARVE_RESOLUTION");
	const char *limit = setting(arguments, "limit", "VARVE_LIMIT");
	const char *clock = setting(arguments, "clock", "VARVE_CLOCK");
	const char *pointers = getenv("VARVE_POINTERS");
	int64_t ns = 0;
	if (buffer && (!parse_size(buffer, &settings->lane_size) ||
		       settings->lane_size < LANE_LEAST || settings->lane_size > LANE_MOST))
		return wrong("buffer", buffer, "a size from 64K to 64M");
	settings->lane_size = (settings->lane_size + 4095) / 4096 * 4096;
	if (resolution && (!parse_time(resolution, &ns) || ns < 1 || ns > 1000000000))
		return wrong("resolution", resolution, "a time from 1ns to 1s");
	settings->resolution = (uint32_t)ns;
	if (limit && !parse_size(limit, &settings->limit))
		return wrong("limit", limit, "a size as in 500M");
	if (clock && strcmp(clock, "tsc") && strcmp(clock, "monotonic"))
		return wrong("clock", clock, "tsc or monotonic");
	if (clock)
		settings->clock_kind = strcmp(clock, "tsc") ? CLOCK_KIND_MONOTONIC : CLOCK_KIND_TSC;
	settings->pointers = option(arguments, "pointers") || (pointers && !strcmp(pointers, "1"));
	settings->no_follow = option(arguments, "no-follow") != NULL;
	settings->lane_folder = setting(arguments, "lanes", "VARVE_LANES");
	struct stat found;
	if (settings->lane_folder &&
	    (settings->lane_folder[0] != '/' || stat(settings->lane_folder, &found) ||
	     !S_ISDIR(found.st_mode)))
		return wrong("lanes", settings->lane_folder, "the absolute path of a folder");
	return true;
}

/* What stands for %letter in a name, or NULL. */
static const char *template_value(char letter, const char *program, char *scratch, size_t room)
{
	const char *slash = strrchr(program, '/');
	time_t now = time(NULL);
	struct tm calendar;
	scratch[0] = 0;
	switch (letter) {
	case 'e':
		return slash ? slash + 1 : program;
	case 'h':
		gethostname(scratch, room - 1);
		return scratch;
	case 'p':
		snprintf(scratch, room, "%d", (int)getpid());
		return scratch;
	case 'r':
		return launcher_rank() ? launcher_rank() : "0";
	case 'j':
		return launcher_job() ? launcher_job() : "nojob";
	case 'u':
		return getenv("USER") ? getenv("USER") : "nobody";
	case 't':
		if (localtime_r(&now, &calendar))
			strftime(scratch, room, "%Y%m%dT%H%M%S", &calendar);
		return scratch;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

/* The absolute path of the trace. */
static bool trace_path(const struct arguments *arguments, char path[RUN_PATH])
{
	const char *name = setting(arguments, "output", "VARVE_TRACE");
	size_t length = 0;
	path[0] = 0;
	if (!name)
		name = "%e.%p.varve";
	if (name[0] != '/') {
		if (!getcwd(path, RUN_PATH - 1)) {
			message("record: the working directory is not known: %s", strerror(errno));
			return false;
		}
		length = strlen(path);
		if (length > 1)
			path[length++] = '/';
	}
	for (; *name; name++) {
		char scratch[256] = {*name, 0};
		const char *piece = scratch;
		if (*name == '%' && name[1])
			piece = template_value(*++name, arguments->operands[0], scratch,
					       sizeof scratch);
		if (!piece) {
			message("record: %%%c means nothing in the name of a trace; see `varve "
				"record --help`",
				*name);
			return false;
		}
		size_t more = strlen(piece);
		if (length + more >= RUN_PATH - 64) {
			message("record: the name of the trace is too long");
			return false;
		}
		memcpy(path + length, piece, more + 1);
		length += more;
	}
	while (length > 1 && path[length - 1] == '/')
		path[--length] = 0;
	struct stat found;
	if (!lstat(path, &found)) {
		message("record: %s is there already; a trace is never overwritten: remove it or "
			"choose another name with -o",
			path);
		return false;
	}
	return true;
}

struct environment {
	char **list;
	char *preload;
	char *original;
	char *run;
	char *sanitizer; /* NULL: not needed */
};

static void environment_clear(struct environment *environment)
{
	free(environment->list);
	free(environment->preload);
	free(environment->original);
	free(environment->run);
	free(environment->sanitizer);
}

/* ASAN_OPTIONS for a program that cannot be told otherwise; false: no memory. */
static bool sanitizer_make(struct environment *made, const char *path)
{
	struct elf elf;
	if (elf_open(path, &elf) != ELF_OK)
		return true;
	bool wanted = sanitizer_wants_order(&elf);
	elf_close(&elf);
	const char *old = getenv("ASAN_OPTIONS");
	/* What stands later wins. */
	if (wanted && asprintf(&made->sanitizer, "ASAN_OPTIONS=" SANITIZER_ORDER "%s%s",
			       old ? ":" : "", old ? old : "") < 0)
		made->sanitizer = NULL;
	return !wanted || made->sanitizer;
}

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);
	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Our environment with the library preloaded, as the recorder lays it out for children (exec_environment.c); false: no
 * memory. */
static bool environment_make(struct environment *made, const char *path, const char *library,
			     const char *lanes)
{
	size_t count = 0, kept = 0;
	while (environ && environ[count])
		count++;
	*made = (struct environment){.list = calloc(count + 4, sizeof *made->list)};
	const char *old = getenv("LD_PRELOAD");
	if (asprintf(&made->preload, "LD_PRELOAD=%s%s%s", library, old && *old ? ":" : "",
		     old ? old : "") < 0)
		made->preload = NULL;
	if (asprintf(&made->original, "VARVE_LD_PRELOAD=%s", old ? old : "") < 0)
		made->original = NULL;
	if (asprintf(&made->run, "VARVE_RUN=%s", lanes) < 0)
		made->run = NULL;
	if (!sanitizer_make(made, path) || !made->list || !made->preload || !made->original ||
	    !made->run)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (is_variable(environ[i], "VARVE_LD_PRELOAD") ||
		    is_variable(environ[i], "VARVE_RUN"))
			continue;
		bool preload = is_variable(environ[i], "LD_PRELOAD");
		if (made->sanitizer && is_variable(environ[i], "ASAN_OPTIONS"))
			continue;
		made->list[kept++] = preload ? made->preload : environ[i];
	}
	if (made->sanitizer)
		made->list[kept++] = made->sanitizer;
	made->list[kept++] = old ? made->original : made->preload;
	made->list[kept++] = made->run;
	return true;
}

/* Waits for the program; a thread takes what is handed over meanwhile. */
static int wait_for(struct child *child, struct run *run)
{
	struct drain drain;
	int status = 0;
	drain_start(&drain, run);
	while (!child_wait(child, WAIT_MS, &status))
		;
	drain_stop(&drain);
	return status;
}

/* Completes the trace and says what is missing in it. */
static bool finish(struct run *run, int status)
{
	struct collected collected = {0};
	struct causes causes = {0};
	bool killed = WIFSIGNALED(status);
	/* Not even the library's start was seen: the program never loaded it. */
	if (run->control->next_process == 0)
		run->control->loss[LOSS_UNTRACED]++;
	enum status done = collect_finish(run, killed ? RUN_KILLED : RUN_EXITED,
					  killed ? WTERMSIG(status) : WEXITSTATUS(status),
					  &collected, &causes);
	uint64_t loss[LOSS_ROOM];
	for (size_t i = 0; i < LOSS_ROOM; i++)
		loss[i] = run->control->loss[i];
	report_losses(loss);
	if (done != STATUS_OK) {
		failed(done, &causes);
		message("the trace %s could not be completed; `varve pack --recover` tries again",
			run->trace);
	}
	if (collected.alive)
		message("%" PRIu64 " threads of the program's children still run (process %d is "
			"one); when they have ended, "
			"`varve pack --recover %s` completes the trace",
			collected.alive, collected.alive_pid, run->trace);
	return done == STATUS_OK;
}

static int run_program(struct run *run, const char *path, char **words, const char *library)
{
	struct environment environment;
	struct child child;
	child_prepare(&child);
	int error = ENOMEM;
	if (environment_make(&environment, path, library, run->lanes))
		error = child_start(&child, path, words, environment.list);
	environment_clear(&environment);
	if (error) {
		struct collected collected;
		struct causes causes = {0};
		message("record: %s cannot be run: %s", path, strerror(error));
		if (collect_finish(run, RUN_EXITED, EXIT_NOT_EXECUTABLE, &collected, &causes) !=
		    STATUS_OK)
			failed(STATUS_SYSTEM, &causes);
		return error == ENOENT			    ? EXIT_NO_PROGRAM
		       : error == ENOMEM || error == EAGAIN ? EXIT_OWN
							    : EXIT_NOT_EXECUTABLE;
	}
	int status = wait_for(&child, run);
	finish(run, status);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cmd_record(const struct arguments *arguments)
{
	char program[4096], library[LIBRARY_PATH], trace[RUN_PATH];
	struct run_settings settings = {.trace = trace, .library = library};
	arguments->operands[arguments->count] =
		NULL; /* main()'s list ends here or held the options that are read */
	if (!read_settings(arguments, &settings))
		return EXIT_OWN;
	int missing = child_find(arguments->operands[0], program);
	if (missing)
		return missing;
	if (!library_find(library)) {
		message("record: the preload library is not there (looked at %s); see `varve "
			"config`",
			library);
		return EXIT_OWN;
	}
	if (strpbrk(library, ": ")) {
		message("record: the preload library's path %s has a space or a colon in it, which "
			"LD_PRELOAD cannot name",
			library);
		return EXIT_OWN;
	}
	if (!trace_path(arguments, trace))
		return EXIT_OWN;
	struct description *description = malloc(sizeof *description);
	struct causes causes = {0};
	struct run run;
	if (!description) {
		message("record: out of memory");
		return EXIT_OWN;
	}
	description->length = 0;
	describe_run(description, program, arguments->operands);
	settings.description = description->bytes;
	settings.description_length = description->length;
	enum status status = run_create(&settings, &run, &causes);
	free(description);
	if (status != STATUS_OK) {
		failed(status, &causes);
		return EXIT_OWN;
	}
	run.control->collector_start = process_start(getpid(), NULL, NULL);
	run.control->collector_pid = (uint32_t)getpid();
	int result = run_program(&run, program, arguments->operands, library);
	run_detach(&run);
	return result;
}
