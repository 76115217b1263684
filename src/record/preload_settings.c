/* Record: settings of a program that was preloaded without `varve record`. See preload_settings.h.
 *
 * Besides start.c, the only place of the recorder that reads the environment. Prints nothing: a variable with an invalid value is
 * ignored, and noted in the trace.
 */
#include "record/preload_settings.h"

#include "base/parse.h"
#include "base/program/launchers.h"
#include "base/sys.h"
#include "base/text.h"
#include "sink/run/job.h"
#include "sink/run/join.h"
#include "sink/run/settings.h"
#include "sink/run/trace_name.h"
#include "sink/run/unrecorded.h"
#include "sink/run/variables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *settings_rank(void)
{
	return launcher_rank(getenv);
}

bool rank_excluded(const struct control *control, uint64_t rank)
{
	bool good;
	return control->choice.ranks[0] && !parse_ranks(control->choice.ranks, rank, &good);
}

const char *settings_world(void)
{
	return launcher_size(getenv);
}

/* Open MPI numbers the worlds of a job in the lower half of a number, or after an @; MPICH only stores that a world is not the
 * first. */
uint32_t settings_world_number(void)
{
	enum { LATER = 2, LOWER = 0xffff };
	const char *name = launcher_namespace(getenv), *spawned = launcher_spawned(getenv);
	const char *at = name ? strrchr(name, '@') : NULL;
	uint64_t number = 1;
	if (name && parse_number(at ? at + 1 : name, UINT32_MAX, &number))
		number &= LOWER;
	else if (spawned && *spawned && strcmp(spawned, "0") != 0)
		number = LATER;
	return number ? (uint32_t)number : 1;
}

uint32_t settings_local(void)
{
	struct job job;
	return job_find(&job, getenv) ? job.local : 0;
}

/* Path of the program; empty: not known. */
static const char *own_program(void)
{
	static char exe[RUN_PATH];
	long length = sys_readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[length > 0 ? length : 0] = 0;
	return exe;
}

bool settings_launcher(void)
{
	static const char *const names[] = {"orterun", "prterun",	"prun",		  "prte",
					    "mpirun",  "mpiexec",	"srun",		  "aprun",
					    "jsrun",   "mpiexec.hydra", "hydra_pmi_proxy"};
	const char *exe = own_program(), *slash = strrchr(exe, '/'),
		   *name = slash ? slash + 1 : exe;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

struct reading {
	struct run_settings settings;
	char pieces[4096]; /* patterns, each with its final 0 */
	size_t used;
	char ignored[1024]; /* ignored=VARIABLE strings */
	size_t ignored_length;
};

static void setting_ignore(struct reading *reading, const char *variable)
{
	char *at = reading->ignored + reading->ignored_length;
	const char *end = reading->ignored + sizeof reading->ignored;
	if ((size_t)(end - at) < strlen(variable) + sizeof "ignored=")
		return;
	at = text_add(text_add(at, end, "ignored="), end, variable);
	reading->ignored_length = (size_t)(at - reading->ignored) + 1;
}

/* Stores the patterns of a list that is separated by colons. */
static bool patterns_put(struct reading *reading, enum setting_id id, const char *value)
{
	struct setting_fault fault;
	bool good = true;
	while (*value) {
		size_t length = strcspn(value, ":");
		char *copy = reading->pieces + reading->used;
		if (reading->used + length + 1 > sizeof reading->pieces)
			return false;
		memcpy(copy, value, length);
		copy[length] = 0;
		reading->used += length + 1;
		if (length)
			good &= setting_put(&reading->settings, id, copy, &fault);
		value += length + (value[length] == ':');
	}
	return good;
}

static void variables_read(struct reading *reading)
{
	struct setting_fault fault;
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		enum setting_id id = (enum setting_id)i;
		const char *variable = settings_table[i].variable, *value = getenv(variable);
		if (!value || !*value)
			continue;
		bool patterns = id == SETTING_INCLUDE || id == SETTING_EXCLUDE;
		if (patterns ? !patterns_put(reading, id, value)
			     : !setting_put(&reading->settings, id, value, &fault))
			setting_ignore(reading, variable);
	}
}

/* Notes variables whose names look like misspelled settings. */
static void names_read(struct reading *reading)
{
	for (char **entry = environ; entry && *entry; entry++) {
		char name[128];
		size_t length = strcspn(*entry, "=");
		if (length >= sizeof name || !variable_meant(*entry, length))
			continue;
		memcpy(name, *entry, length);
		name[length] = 0;
		setting_ignore(reading, name);
	}
}

/* Drops settings that contradict each other all together: then all rows and files are recorded, all the time. */
static void settings_agree(struct reading *reading)
{
	struct run_settings *settings = &reading->settings;
	if (!settings_complete(settings))
		return;
	setting_ignore(reading, "contradictory");
	settings->complete = false;
	settings->choice.patterns[0] = 0;
	settings->choice.start_after = settings->choice.stop_after = 0;
}

/* Makes the run, or notes that nothing is recorded. */
static bool run_created(const struct run_settings *settings, struct run *run)
{
	enum varve_status status = run_create(settings, run, NULL);
	if (status != VARVE_OK)
		unrecorded_note(getenv("TMPDIR"), own_program(), settings->trace, status);
	return status == VARVE_OK;
}

bool settings_run(struct run *run, const char *library)
{
	static struct reading reading;
	static char trace[RUN_PATH];
	struct run_settings *settings = &reading.settings;
	variables_read(&reading);
	names_read(&reading);
	settings_agree(&reading);
	static struct job job;
	bool shared = job_shares(settings->trace_name) && job_find(&job, getenv);
	const char *batch = launcher_batch_job(getenv);
	const char *exe = own_program();
	const struct trace_name known = {
		.program = *exe ? exe : "program",
		.rank = settings_rank(),
		.job = shared && (!batch || !settings->trace_name) ? job.id : batch,
		.user = getenv("USER"),
	};
	const char *standard = shared ? JOB_TRACE : settings_table[SETTING_TRACE].otherwise;
	int wrong = trace_name_make(settings->trace_name ? settings->trace_name : standard, &known,
				    trace, sizeof trace);
	if (wrong && settings->trace_name) {
		setting_ignore(&reading, "VARVE_TRACE");
		wrong = trace_name_make(standard, &known, trace, sizeof trace);
	}
	/* No usable path: too long, or there is no working directory. */
	if (wrong) {
		char *at = text_add(trace, trace + sizeof trace, "/tmp/program.");
		text_add(text_add_number(at, trace + sizeof trace, (uint64_t)sys_getpid()),
			 trace + sizeof trace, ".varve");
	}
	settings->trace = trace;
	settings->library = library;
	settings->description = reading.ignored;
	settings->description_length = reading.ignored_length;
	if (!shared)
		return run_created(settings, run);
	settings->job = job.key;
	settings->expected = job.local;
	if (run_join(settings, run, NULL) == VARVE_OK)
		return true;
	/* Joining failed: a trace for this process alone is better than none. */
	size_t end = strlen(trace);
	text_add_number(text_add(trace + end, trace + sizeof trace, "."), trace + sizeof trace,
			(uint64_t)sys_getpid());
	settings->job = NULL;
	return run_created(settings, run);
}
