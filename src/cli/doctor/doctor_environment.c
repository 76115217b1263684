/* Command line: `varve doctor`: checks the environment: variables of Varve, and other preloaded libraries. */
#include "cli/doctor/doctor.h"
#include "cli/doctor/own_file.h"
#include "cli/verbs.h"
#include "sink/run/settings.h"
#include "sink/run/unrecorded.h"
#include "sink/run/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* Libraries that users often preload, by a part of their names, and whether they disturb recording. */
static const struct {
	const char *part;
	enum severity severity;
	const char *why;
	const char *remedy;
} preloads[] = {
	{"libdarshan", SEVERITY_LIMITS,
	 "both wrap the same calls: both are slower, and Varve also records the calls of Darshan",
	 "record without it; otherwise the trace also contains the calls that write its log"},
	{"librecorder", SEVERITY_LIMITS,
	 "both wrap the same calls: both are slower, and Varve also records the calls of Recorder",
	 "record without it"},
	{"libdftracer", SEVERITY_LIMITS,
	 "both wrap the same calls: both are slower, and Varve also records the calls of DFTracer",
	 "record without it"},
	{"libvarve-record", SEVERITY_LIMITS,
	 "every program is already recorded, including `varve record`",
	 "remove it from LD_PRELOAD and use `varve record`, or use LD_PRELOAD alone"},
	{"libjemalloc", SEVERITY_NOTE, "an allocator does not affect recording", "nothing"},
	{"libtcmalloc", SEVERITY_NOTE, "an allocator does not affect recording", "nothing"},
	{"libmimalloc", SEVERITY_NOTE, "an allocator does not affect recording", "nothing"},
	{"libasan", SEVERITY_NOTE, "Varve turns off its check of the order of libraries",
	 "nothing"},
	{"libtsan", SEVERITY_NOTE, "it works with Varve", "nothing"},
};

static void check_names(struct doctor *doctor)
{
	for (char **entry = environ; *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		char name[128] = "";
		if (strncmp(*entry, "VARVE_", 6) != 0 || variable_known(*entry, length))
			continue;
		memcpy(name, *entry, length < sizeof name ? length : sizeof name - 1);
		const char *known = variable_meant(*entry, length);
		doctor_find(doctor, SEVERITY_LIMITS, "variable-unknown",
			    "the variable has no effect",
			    "unset it, or correct its name; see `man varve`",
			    "unknown variable %s%s%s%s", name, known ? "; did you mean " : "",
			    known ? known : "", known ? "?" : "");
	}
}

static bool variable_is_on(const char *name)
{
	const char *value = getenv(name);
	return value && *value && *value != '0';
}

static void check_value(struct doctor *doctor, struct run_settings *settings, enum setting_id id)
{
	const char *name = settings_table[id].variable, *value = getenv(name);
	struct setting_fault fault;
	struct stat found;
	if (!value || !*value)
		return;
	bool good = setting_put(settings, id, value, &fault);
	const char *expected = good			   ? "the absolute path of a folder"
			       : fault.kind == FAULT_VALUE ? fault.expected
			       : fault.kind == FAULT_NAME  ? "a list of functions and layers"
							   : "a shorter list";
	if (good && (id != SETTING_LANES || (!stat(value, &found) && S_ISDIR(found.st_mode))))
		return;
	doctor_find(doctor, SEVERITY_BLOCKS, "variable-value",
		    "`varve record` refuses to start; the preload library without `varve record` "
		    "uses the default",
		    "correct or unset it", "%s must be %s, not '%s'", name, expected, value);
}

/* Checks the folder in which a trace would be created, if the name of the folder is known before the program runs. */
static void check_folder(struct doctor *doctor, const char *trace)
{
	char folder[DOCTOR_PATH];
	if (!trace || !*trace || strlen(trace) >= sizeof folder)
		return;
	const char *slash = strrchr(trace, '/');
	size_t length = slash ? (size_t)(slash - trace) : 0;
	snprintf(folder, sizeof folder, "%.*s", (int)length, trace);
	if (strchr(folder, '%'))
		return;
	const char *path = length ? folder : slash ? "/" : ".";
	struct stat found;
	int error = stat(path, &found)		? errno
		    : !S_ISDIR(found.st_mode)	? ENOTDIR
		    : access(path, W_OK | X_OK) ? errno
						: 0;
	if (error)
		doctor_find(doctor, SEVERITY_BLOCKS, "trace-folder",
			    "`varve record` refuses to start; the preload library without `varve "
			    "record` silently records nothing",
			    "create the folder, or correct VARVE_TRACE",
			    "VARVE_TRACE is %s, which cannot be created in %s: %s", trace, path,
			    strerror(error));
}

/* Reports programs that had the library preloaded without `varve record` and could not create their trace. */
static void check_unrecorded(struct doctor *doctor)
{
	char path[UNRECORDED_PATH], line[FINDING_TEXT / 2] = "", last[FINDING_TEXT / 2] = "";
	struct stat found;
	unrecorded_path(path, getenv("TMPDIR"));
	int fd = own_file_open(AT_FDCWD, path, &found);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t count = 0;
	while (file && fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = 0;
		memcpy(last, line, sizeof last);
		count++;
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	if (count)
		doctor_find(doctor, SEVERITY_NOTE, "unrecorded",
			    "the preload library without `varve record` prints nothing; if it "
			    "cannot create a trace, it writes a line to this file",
			    "correct VARVE_TRACE or VARVE_LANES, and remove the file",
			    "%s has %s; the last one: %s", path, counted(count, "lines").text,
			    last);
}

static void check_values(struct doctor *doctor)
{
	static struct run_settings settings;
	struct stat found;
	const char *trace = getenv("VARVE_TRACE");
	for (size_t id = 0; id < SETTING_COUNT; id++)
		check_value(doctor, &settings, (enum setting_id)id);
	if (trace && *trace && !strchr(trace, '%') && !stat(trace, &found))
		doctor_find(doctor, SEVERITY_BLOCKS, "trace-exists", "a trace is never overwritten",
			    "remove it, or use a name that differs in every run: "
			    "VARVE_TRACE='%e.%p.varve'",
			    "VARVE_TRACE is %s, which already exists", trace);
	check_folder(doctor, trace);
	if (variable_is_on("VARVE_DISABLE"))
		doctor_find(doctor, SEVERITY_BLOCKS, "disabled",
			    "the preload library records nothing", "unset VARVE_DISABLE",
			    "VARVE_DISABLE is set");
	if (variable_is_on("VARVE_RUN"))
		doctor_find(doctor, SEVERITY_LIMITS, "run",
			    "Varve sets it for programs that it records: this shell already "
			    "belongs to a run, or the variable was left over",
			    "unset VARVE_RUN", "VARVE_RUN is set: %s", getenv("VARVE_RUN"));
}

static void check_preloaded(struct doctor *doctor, const char *name, const char *where)
{
	for (size_t i = 0; i < sizeof preloads / sizeof *preloads; i++) {
		if (!strstr(name, preloads[i].part))
			continue;
		doctor_find(doctor, preloads[i].severity, "preloaded", preloads[i].why,
			    preloads[i].remedy, "%s preloads %s", where, name);
		return;
	}
	doctor_find(
		doctor, SEVERITY_NOTE, "preloaded",
		"it is loaded after Varve; if it wraps I/O calls, Varve also records its own calls",
		"nothing, unless it traces I/O", "%s preloads %s", where, name);
}

static void check_list(struct doctor *doctor, char *list, const char *separators, const char *where)
{
	char *rest = NULL;
	for (char *name = strtok_r(list, separators, &rest); name;
	     name = strtok_r(NULL, separators, &rest))
		check_preloaded(doctor, name, where);
}

void doctor_environment(struct doctor *doctor)
{
	char text[4096], path[DOCTOR_PATH + 64];
	check_names(doctor);
	check_values(doctor);
	check_unrecorded(doctor);
	const char *preload = getenv("LD_PRELOAD");
	if (preload) {
		snprintf(text, sizeof text, "%s", preload);
		check_list(doctor, text, ": ", "LD_PRELOAD");
	}
	snprintf(path, sizeof path, "%s/etc/ld.so.preload", doctor->root);
	FILE *file = fopen(path, "re");
	if (file) {
		size_t length = fread(text, 1, sizeof text - 1, file);
		text[length] = 0;
		fclose(file);
		check_list(doctor, text, ": \t\n", path);
	}
	if (variable_is_on("LD_AUDIT"))
		doctor_find(doctor, SEVERITY_NOTE, "audit",
			    "an auditing library can change how symbols are bound",
			    "if calls are missing, record without it", "LD_AUDIT is set: %s",
			    getenv("LD_AUDIT"));
}
