/* Command line: `varve doctor`: what is set around a program: variables of Varve, other libraries that are preloaded. */
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

/* Libraries that people preload, by a part of their names, and whether they get into our way. */
static const struct {
	const char *part;
	enum severity severity;
	const char *why;
	const char *remedy;
} others[] = {
	{"libdarshan", SEVERITY_LIMITS,
	 "both wrap the same calls: each is slower, and Varve records what Darshan does for itself",
	 "record without it, or keep in mind that its log is written by the program"},
	{"librecorder", SEVERITY_LIMITS,
	 "both wrap the same calls: each is slower, and Varve records what Recorder does for "
	 "itself",
	 "record without it"},
	{"libdftracer", SEVERITY_LIMITS,
	 "both wrap the same calls: each is slower, and Varve records what DFTracer does for "
	 "itself",
	 "record without it"},
	{"libvarve-record", SEVERITY_LIMITS,
	 "every program is recorded already, `varve record` among them",
	 "take it out of LD_PRELOAD and use `varve record`, or use it alone"},
	{"libjemalloc", SEVERITY_NOTE, "an allocator does not get into our way", "nothing"},
	{"libtcmalloc", SEVERITY_NOTE, "an allocator does not get into our way", "nothing"},
	{"libmimalloc", SEVERITY_NOTE, "an allocator does not get into our way", "nothing"},
	{"libasan", SEVERITY_NOTE, "its check of the order of libraries is switched off by Varve",
	 "nothing"},
	{"libtsan", SEVERITY_NOTE, "works together with Varve", "nothing"},
};

static void check_names(struct doctor *doctor)
{
	for (char **entry = environ; *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		char name[128] = "";
		if (strncmp(*entry, "VARVE_", 6) != 0 || variable_known(*entry, length))
			continue;
		memcpy(name, *entry, length < sizeof name ? length : sizeof name - 1);
		const char *meant = variable_meant(*entry, length);
		doctor_find(doctor, SEVERITY_LIMITS, "variable-unknown",
			    "it changes nothing, which may not be what was meant",
			    "unset it, or correct its name; `man varve` has them all",
			    "unknown variable %s%s%s", name, meant ? "; did you mean " : "",
			    meant ? meant : "");
	}
}

static bool on(const char *name)
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
		    "`varve record` refuses to start with it; a library that is preloaded alone "
		    "takes the default",
		    "correct or unset it", "%s is %s, not '%s'", name, expected, value);
}

/* The folder that a trace is to be made in, as far as its name is known before the program runs. */
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
			    "`varve record` refuses to start; a library that is preloaded alone "
			    "records nothing and is silent",
			    "make the folder, or correct VARVE_TRACE",
			    "VARVE_TRACE names %s, which cannot be made in %s: %s", trace, path,
			    strerror(error));
}

/* Programs with the library preloaded alone that could not make their trace. */
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
			    "a library that is preloaded alone prints nothing: it leaves a line "
			    "in this file when it cannot make a trace",
			    "correct VARVE_TRACE and VARVE_LANES, and remove the file",
			    "%s: %s, the last one: %s", path, counted(count, "lines").text, last);
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
			    "remove it, or let names differ: VARVE_TRACE='%e.%p.varve'",
			    "VARVE_TRACE names %s, which is there already", trace);
	check_folder(doctor, trace);
	if (on("VARVE_DISABLE"))
		doctor_find(doctor, SEVERITY_BLOCKS, "disabled", "the library then records nothing",
			    "unset VARVE_DISABLE", "VARVE_DISABLE is set");
	if (on("VARVE_RUN"))
		doctor_find(doctor, SEVERITY_LIMITS, "run",
			    "Varve sets it for the programs that it records: this one belongs to a "
			    "run already, or the variable was left over",
			    "unset VARVE_RUN", "VARVE_RUN is set: %s", getenv("VARVE_RUN"));
}

static void check_preloaded(struct doctor *doctor, const char *name, const char *where)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (!strstr(name, others[i].part))
			continue;
		doctor_find(doctor, others[i].severity, "preloaded", others[i].why,
			    others[i].remedy, "%s preloads %s", where, name);
		return;
	}
	doctor_find(doctor, SEVERITY_NOTE, "preloaded",
		    "it is kept and comes after Varve; when it wraps I/O calls, Varve records what "
		    "it does for itself",
		    "nothing, unless it traces I/O itself", "%s preloads %s", where, name);
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
	if (on("LD_AUDIT"))
		doctor_find(doctor, SEVERITY_NOTE, "audit",
			    "an auditing library sees and may change how symbols are bound",
			    "record without it if calls are missing", "LD_AUDIT is set: %s",
			    getenv("LD_AUDIT"));
}
