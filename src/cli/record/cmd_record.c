/* Command line: `varve record`: creates the run, starts the program with the library preloaded, completes the trace.
 *
 * Start takes a few milliseconds: nothing waits for a disk before the program runs. The descriptors of the program are not
 * changed, and nothing is printed if everything was recorded.
 */
#include "base/key_values.h"
#include "base/program/executable.h"
#include "base/program/launchers.h"
#include "base/program/preload_path.h"
#include "base/program/process.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "cli/packing.h"
#include "cli/preload_library.h"
#include "cli/record/child.h"
#include "cli/record/describe.h"
#include "cli/record/drain.h"
#include "cli/record/keeper.h"
#include "cli/record/run_settings.h"
#include "cli/record/sanitized_program.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "sink/collect.h"
#include "sink/run/job.h"
#include "sink/run/join.h"
#include "sink/run/living.h"
#include "sink/run/trace_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ENDING_MS: how long to wait for processes that outlive the program; README.md contains it. */
enum { WAIT_MS = 60000, LAUNCHER_MS = 5000, ENDING_MS = 1000, NAP_MS = 10 };

extern char **environ;

/* The absolute path of the trace, with its % sequences replaced. An existing trace is only checked later if it may be that
 * of this job. */
static bool trace_path(const struct arguments *arguments, const char *name, const struct job *job,
		       char path[RUN_PATH])
{
	const char *batch = launcher_batch_job(getenv);
	const struct trace_name known = {
		.program = arguments->operands[0],
		.rank = launcher_rank(getenv),
		.job = job && !name ? job->id
		       : batch	    ? batch
		       : job	    ? job->id
				    : NULL,
		.user = getenv("USER"),
	};
	const char *usual = job ? JOB_TRACE : settings_table[SETTING_TRACE].otherwise;
	int wrong = trace_name_make(name ? name : usual, &known, path, RUN_PATH);
	if (wrong > 0)
		message("record: unknown %%%c in the name of the trace; see -o in `varve record "
			"--help`",
			wrong);
	else if (wrong)
		message("record: %s",
			wrong == -1
				? "the name of the trace is too long; choose a shorter one with -o"
			: wrong == -3
				? "the name of the trace ends with %; write %% for a percent sign"
				: "the working directory does not exist any more; change to "
				  "another one");
	struct stat found;
	if (!wrong && !job && !lstat(path, &found)) {
		message("record: %s already exists; a trace is never overwritten: remove it, or "
			"choose another name with -o",
			path);
		return false;
	}
	return !wrong;
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

/* Makes ASAN_OPTIONS for a program that accepts this setting only from the variable; false: no memory. */
static bool sanitizer_make(struct environment *made, const char *path)
{
	struct elf elf;
	if (elf_open(path, &elf) != ELF_OK)
		return true;
	bool wanted = sanitizer_needs_order(&elf);
	elf_close(&elf);
	const char *old = getenv("ASAN_OPTIONS");
	/* a later option overrides an earlier one */
	if (wanted && asprintf(&made->sanitizer, "ASAN_OPTIONS=" SANITIZER_ORDER "%s%s",
			       old ? ":" : "", old ? old : "") < 0)
		made->sanitizer = NULL;
	return !wanted || made->sanitizer;
}

/* This command's environment with the library preloaded, in the layout that the recorder uses for children
 * (exec_environment.c); `unseen`: the started program is not recorded, so programs that it starts are not checked. False:
 * no memory. */
static bool environment_make(struct environment *made, const char *path, const char *library,
			     const struct run *run, bool unseen)
{
	size_t count = 0, kept = 0;
	while (environ && environ[count])
		count++;
	*made = (struct environment){.list = calloc(count + 4, sizeof *made->list)};
	const char *old = NULL;
	size_t place = count;
	/* If there are several, the loader uses the last one. */
	for (size_t i = 0; i < count; i++)
		if (key_value(environ[i], "LD_PRELOAD")) {
			old = environ[i] + strlen("LD_PRELOAD=");
			place = i;
		}
	if (asprintf(&made->preload, "LD_PRELOAD=%s%s%s%s", unseen ? PRELOAD_ORIGIN : "", library,
		     old && *old ? ":" : "", old ? old : "") < 0)
		made->preload = NULL;
	if (asprintf(&made->original, "VARVE_LD_PRELOAD=%s", old ? old : "") < 0)
		made->original = NULL;
	if (asprintf(&made->run, "VARVE_RUN=%s:%s", run->lanes, run->trace) < 0)
		made->run = NULL;
	if (!sanitizer_make(made, path) || !made->list || !made->preload || !made->original ||
	    !made->run)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (key_value(environ[i], "VARVE_LD_PRELOAD") || key_value(environ[i], "VARVE_RUN"))
			continue;
		if (made->sanitizer && key_value(environ[i], "ASAN_OPTIONS"))
			continue;
		made->list[kept++] = i == place ? made->preload : environ[i];
	}
	if (made->sanitizer)
		made->list[kept++] = made->sanitizer;
	made->list[kept++] = old ? made->original : made->preload;
	made->list[kept++] = made->run;
	return true;
}

/* Waits for the program; a thread takes lanes that are handed over in that time. */
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

/* Prints which programs and objects are missing, as far as the trace shows this. */
static void report_missing(const char *path, bool complete)
{
	struct varve_trace *trace;
	static struct varve_causes causes;
	enum varve_status status = varve_open(path, 0, &trace, &causes);
	if (status != VARVE_OK) {
		failed_reading(status, &causes);
		return;
	}
	report_programs(trace, true, complete);
	report_objects(trace);
	varve_close(trace);
}

static void living_note(void *context, int pid)
{
	(void)pid;
	*(bool *)context = true;
}

/* A launcher that has used other hosts can end before the processes (ssh) through which it reached them. These end soon. */
static void wait_for_launcher(const struct run *run)
{
	char other[RUN_PATH + 32];
	node_path(other, other + sizeof other, run->trace, TRACE_FILE_DATA, run->control->node + 1);
	bool living = access(other, F_OK) == 0;
	for (int ms = 0; living && ms < LAUNCHER_MS; ms += NAP_MS) {
		living = false;
		living_find(run, living_note, &living);
		if (living)
			usleep(NAP_MS * 1000);
	}
}

/* If packing fails, the trace stays a folder. */
static void pack_at_end(const char *trace)
{
	int lock;
	if (packing_lock(trace, &lock) != EXIT_YES)
		return;
	packing_at_end(trace);
	pack_unlock(lock);
}

/* On a terminal, prints the path of the trace, relative to the working directory. */
static void name_trace(const char *trace)
{
	char folder[RUN_PATH];
	size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
	bool here = length > 1 && !strncmp(trace, folder, length) && trace[length] == '/';
	if (isatty(STDERR_FILENO))
		note("trace written to %s", here ? trace + length + 1 : trace);
}

/* Prints a message about processes of the run that outlive the program. */
static void report_living(const struct run *run, const struct run_settings *settings, int pid,
			  int keeper)
{
	char path[64], name[32] = "?";
	snprintf(path, sizeof path, "/proc/%d/comm", pid);
	file_read(path, name, sizeof name);
	name[strcspn(name, "\n")] = 0;
	if (keeper > 0)
		message("processes of the run are still running (for example %d, %s); when they "
			"have ended, process %d completes%s the trace %s; until then, `varve "
			"control %d flush` writes records from memory to the trace",
			pid, name, keeper, settings->no_pack ? "" : " and packs", run->trace, pid);
	else
		message("processes of the run are still running (for example %d, %s); when they "
			"have ended, run `varve pack %s` to complete and pack the trace",
			pid, name, run->trace);
}

/* The last command of the run completes the trace. It waits for processes that end soon: daemons of launchers, ranks of a
 * job that was aborted. */
static enum varve_status run_complete(struct run *run, int *member, struct collected *collected,
				      bool *last, struct varve_causes *causes)
{
	enum varve_status status = collect_leave(run, member, collected, last, causes);
	if (!*last || status != VARVE_OK || !collected->alive)
		return status;
	keeper_wait(run, ENDING_MS);
	return collect_finish(run, RUN_RECOVERED, 0, collected, causes);
}

/* Completes nodes that programs of this run added on this host because they could not reach its lanes: their lanes are in
 * the trace folder. */
static void finish_hidden(const struct run *run)
{
	static char path[RUN_PATH + 32], lanes[RUN_PATH];
	static struct run hidden;
	static struct varve_causes causes;
	size_t length = strlen(run->trace);
	for (uint32_t node = 1;; node++) {
		node_path(path, path + sizeof path, run->trace, TRACE_FILE_DATA, node);
		if (access(path, F_OK))
			return;
		node_path(path, path + sizeof path, run->trace, TRACE_FILE_LANES, node);
		if (file_read(path, lanes, sizeof lanes) <= 0 ||
		    strncmp(lanes, run->trace, length) != 0 || lanes[length] != '/')
			continue;
		struct collected collected;
		if (collect_open(run->trace, node, &hidden, &causes) != VARVE_OK)
			continue;
		if (collect_finish(&hidden, RUN_RECOVERED, 0, &collected, &causes) == VARVE_OK)
			report_losses(hidden.control, true);
		run_detach(&hidden);
	}
}

/* Leaves the run; the last command of a job prints what is missing in the trace. */
static void run_finish(struct run *run, const struct run_settings *settings, int member, int keeper,
		       enum untraced why, int status)
{
	struct collected collected = {0};
	static struct varve_causes causes;
	bool killed = WIFSIGNALED(status), last;
	/* Not even the start of the library was recorded: the program never loaded it. */
	if (why == UNTRACED_NOT && run->control->next_process == 0 &&
	    !run->control->loss[NOTE_RANKS])
		__atomic_fetch_add(&run->control->loss[LOSS_UNTRACED], 1, __ATOMIC_RELAXED);
	if (run->control->programs < 2)
		wait_for_launcher(run);
	run_note_end(run->control, killed ? RUN_KILLED : RUN_EXITED,
		     killed ? WTERMSIG(status) : WEXITSTATUS(status));
	enum varve_status done = run_complete(run, &member, &collected, &last, &causes);
	if (!last)
		return;
	/* A complete trace has the programs with their reasons. */
	bool complete = done == VARVE_OK && !collected.alive;
	report_losses(run->control, !complete);
	if (done == VARVE_OK)
		finish_hidden(run);
	if (done != VARVE_OK) {
		failed(done, &causes);
		message("the trace %s could not be completed; run `varve pack --recover` to retry "
			"with the lanes in %s",
			run->trace, run->lanes);
	}
	bool awaits =
		done == VARVE_OK && !collected.alive && !settings->no_pack && keeper_awaits(run);
	if (collected.alive)
		report_living(run, settings, collected.alive_pid, keeper);
	else if (awaits)
		message("%s is not packed yet: records of other hosts have not arrived; it is "
			"packed if they arrive within %d minutes, else run `varve pack %s`",
			run->trace, KEEPER_HOSTS_MINUTES, run->trace);
	else if (done == VARVE_OK && !settings->no_pack)
		pack_at_end(run->trace);
	/* This reads a trace that is not packed completely, so it is done only if something is probably missing. */
	if (done == VARVE_OK &&
	    (!settings->no_pack || run->control->children || run->control->loss[LOSS_UNTRACED]))
		report_missing(run->trace, complete);
	if (done == VARVE_OK && !collected.alive)
		name_trace(run->trace);
	if (!collected.alive && !awaits)
		keeper_dismiss(keeper);
	run_exit(&member);
}

/* The program cannot be executed: it has no records, but other programs of its job may have some. */
static void run_give_up(struct run *run, int member)
{
	struct collected collected;
	static struct varve_causes causes;
	bool last;
	if (run->made && run->control->joined < 2)
		run_undo(run);
	else if (collect_leave(run, &member, &collected, &last, &causes) != VARVE_OK)
		failed(VARVE_SYSTEM, &causes);
	run_exit(&member);
}

/* Whether `trace` is a packed trace of this job. */
static bool is_packed_by(const char *trace, const char *job)
{
	struct varve_trace *packed;
	if (!pack_is_packed(trace) || varve_open(trace, 0, &packed, NULL) != VARVE_OK)
		return false;
	const char *launch = varve_description(packed, "launch", 0);
	bool same = launch && !strcmp(launch, job);
	varve_close(packed);
	return same;
}

/* Creates the run, or joins the run of the job. If it cannot be joined, the program is recorded in a trace of its own. */
static enum varve_status run_begin(const struct arguments *arguments, struct run_settings *settings,
				   const struct job *job, char trace[RUN_PATH], struct run *run,
				   struct varve_causes *causes)
{
	if (!settings->job)
		return run_create(settings, run, causes);
	enum varve_status status = run_join(settings, run, causes);
	/* A program that starts after the others of its job have ended is recorded too. */
	bool late = status == VARVE_BUSY && is_packed_by(trace, settings->job);
	if (status == VARVE_OK || (settings->trace_name && status == VARVE_BUSY && !late))
		return status;
	static struct varve_causes own;
	static char wanted[RUN_PATH];
	snprintf(wanted, sizeof wanted, "%s", trace);
	if (settings->trace_name) {
		size_t length = strlen(trace);
		snprintf(trace + length, RUN_PATH - length, ".%d", (int)getpid());
	} else if (!trace_path(arguments, NULL, NULL, trace)) {
		return status;
	}
	settings->job = NULL;
	if (run_create(settings, run, &own) != VARVE_OK)
		return status;
	if (late)
		message("record: %s has already been packed: this program of job %s is recorded "
			"separately, in %s; record the job with --no-pack to have all in one trace",
			wanted, job->id, trace);
	else
		message("record: %s: this program of job %s is recorded separately, in %s; give "
			"all programs of the job the same new name with -o",
			causes->count ? causes->text[0] : wanted, job->id, trace);
	*causes = (struct varve_causes){0};
	return VARVE_OK;
}

/* `why`: the reason why the program itself cannot be recorded. If its loader would complain about the library, it runs
 * without the library. */
static int run_program(struct run *run, const struct run_settings *settings, int member,
		       const char *path, char **words, const char *library, enum untraced why)
{
	struct environment environment = {0};
	struct child child;
	/* Started before the program: if this command is killed at any time, the keeper completes the trace. */
	int keeper = keeper_stand_by(run);
	child_prepare(&child);
	int error = ENOMEM;
	if (why != UNTRACED_NOT && !executable_ignores(why))
		error = child_start(&child, path, words, environ);
	else if (environment_make(&environment, path, library, run, why != UNTRACED_NOT))
		error = child_start(&child, path, words, environment.list);
	environment_clear(&environment);
	if (!error && why != UNTRACED_NOT && why != UNTRACED_LISTING)
		__atomic_fetch_add(&run->control->loss[LOSS_UNTRACED], 1, __ATOMIC_RELAXED);
	/* Varve's variables may have exceeded the limit: running without a trace is better than not running. */
	if (error == E2BIG) {
		error = child_start(&child, path, words, environ);
		signal(SIGPIPE, SIG_IGN);
		if (!error)
			message("record: %s runs without being recorded: with the variables of "
				"Varve its environment would be too large; unset variables that it "
				"does not need",
				path);
	}
	if (error) {
		if (error == ENOEXEC)
			message("record: cannot execute %s: it is neither a program for this "
				"machine nor a script with a #! line; start it with its "
				"interpreter, as in `varve record -- sh %s`",
				path, path);
		else
			message("record: cannot execute %s: %s; `varve doctor %s` shows why", path,
				strerror(error), path);
		keeper_dismiss(keeper);
		run_give_up(run, member);
		return error == ENOENT			    ? EXIT_NO_PROGRAM
		       : error == ENOMEM || error == EAGAIN ? EXIT_OWN
							    : EXIT_NOT_EXECUTABLE;
	}
	int status = wait_for(&child, run);
	/* A closed stderr must not end the command: the status of the program is more important than messages. */
	signal(SIGPIPE, SIG_IGN);
	run_finish(run, settings, member, keeper, why, status);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Reports why no trace could be created. A cause with a semicolon already contains a remedy. */
static int start_failed(enum varve_status status, const struct varve_causes *causes)
{
	const char *why = causes->count ? causes->text[0] : status_text(status);
	const char *next = status == VARVE_NO_MEMORY ? "free some memory"
			   : status == VARVE_USAGE   ? "choose a shorter name with -o"
						     : "choose a writable folder with -o";
	for (int i = causes->count; i-- > 1;)
		message("record: %s", causes->text[i]);
	if (strchr(why, ';'))
		message("record: %s", why);
	else
		message("record: %s; %s. The program was not started", why, next);
	return EXIT_OWN;
}

/* The reason why the program itself will not be recorded. */
static enum untraced program_look(const char *path, char **words)
{
	bool looks = executable_is_loader(path) && words[0] && words[1] &&
		     executable_only_looks(words[1]);
	return looks ? UNTRACED_LISTING : executable_look(path);
}

int cmd_record(const struct arguments *arguments)
{
	/* Not on the stack, here and above: its limit is that of the program, and the end of a run needs most of a small stack. */
	static char program[4096], library[LIBRARY_PATH], trace[RUN_PATH];
	static struct run_settings settings;
	static struct run run;
	settings = (struct run_settings){.trace = trace, .library = library};
	arguments->operands[arguments->count] =
		NULL; /* the list of main() ends here, or this entry was an option that has been read */
	if (!settings_read(arguments, &settings))
		return EXIT_OWN;
	int missing = child_find(arguments->operands[0], program);
	if (missing)
		return missing;
	if (!library_find(settings_need_sync_library(&settings) ? LIBRARY_SYNC : LIBRARY_USUAL,
			  library)) {
		message("record: cannot find the preload library (last tried %s); see `varve "
			"config`",
			library);
		return EXIT_OWN;
	}
	if (strpbrk(library, ": ")) {
		message("record: the path of the preload library %s contains a space or a colon, "
			"which LD_PRELOAD does not allow; move Varve to another folder",
			library);
		return EXIT_OWN;
	}
	static struct job job;
	bool shared = job_shares(settings.trace_name) && job_find(&job, getenv);
	if (shared) {
		settings.job = job.key;
		settings.expected = job.local;
	}
	if (!trace_path(arguments, settings.trace_name, shared ? &job : NULL, trace))
		return EXIT_OWN;
	struct description *description = malloc(sizeof *description);
	static struct varve_causes causes;
	if (!description) {
		message("record: out of memory; free some memory, or raise the limit (`ulimit "
			"-v`)");
		return EXIT_OWN;
	}
	description->length = 0;
	enum untraced why = program_look(program, arguments->operands);
	describe_run(description, program, arguments->operands, why);
	settings.description = description->bytes;
	settings.description_length = description->length;
	enum varve_status status = run_begin(arguments, &settings, &job, trace, &run, &causes);
	free(description);
	if (status != VARVE_OK)
		return start_failed(status, &causes);
	int member = run_enter(&run);
	__atomic_fetch_add(&run.control->programs, 1, __ATOMIC_RELAXED);
	run.control->collector_start = process_start(getpid(), NULL, NULL);
	run.control->collector_pid = (uint32_t)getpid();
	int result =
		run_program(&run, &settings, member, program, arguments->operands, library, why);
	run_detach(&run);
	return result;
}
