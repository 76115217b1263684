/* Record: the environment of a new program image. See exec_environment.h. No allocation: it may run in a vfork child. */
#include "record/process/exec_environment.h"

#include "base/key_values.h"
#include "base/parse.h"
#include "base/program/executable.h"
#include "base/program/launchers.h"
#include "base/program/preload_path.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "call_ids.h"
#include "record/lane/lanes.h"
#include "record/preload_settings.h"
#include "record/process/detached.h"
#include "record/process/users.h"
#include "record/switches.h"
#include "record/wrap.h"
#include "sink/run/settings.h"

#include <alloca.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { PRELOAD_MOST = 1 << 17 };

size_t environment_count(char *const *environment)
{
	size_t count = 0;
	while (environment && environment[count])
		count++;
	return count;
}

struct question {
	const char *path;
	enum untraced answer;
};

static void question_answer(void *given)
{
	struct question *question = given;
	question->answer = executable_look(question->path);
}

static enum untraced image_kind(const char *path)
{
	const uint64_t every = ~0ull;
	uint64_t old;
	struct question question = {path, UNTRACED_NOT};
	sys_sigmask(SIG_SETMASK, &every, &old);
	detached_only(question_answer, &question);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return question.answer;
}

/* Whether an entry of LD_PRELOAD is the library, by its path or by the path that only glibc finds. */
static bool piece_is(const char *piece, size_t length, const char *library)
{
	size_t up = strlen(PRELOAD_ORIGIN), own = strlen(library);
	if (length == up + own && memcmp(piece, PRELOAD_ORIGIN, up) == 0) {
		piece += up;
		length -= up;
	}
	return length == own && memcmp(piece, library, own) == 0;
}

bool preload_for_glibc(const char *value, const char *library, char *text, size_t room)
{
	const char *at = strstr(value, library), *end = text + room;
	if (!at || strstr(value, PRELOAD_ORIGIN) ||
	    strlen(value) + sizeof "LD_PRELOAD=" PRELOAD_ORIGIN > room)
		return false;
	char *to = text_add(text, end, "LD_PRELOAD=");
	memcpy(to, value, (size_t)(at - value));
	text_add(text_add(to + (at - value), end, PRELOAD_ORIGIN), end, at);
	return true;
}

void preload_without(const char *value, const char *library, char *text, size_t room)
{
	char *at = text_add(text, text + room, "LD_PRELOAD=");
	bool any = false;
	while (*value) {
		size_t piece = strcspn(value, ": ");
		if (piece && !piece_is(value, piece, library)) {
			if (any)
				at = text_add(at, text + room, ":");
			char *end = at + piece < text + room - 1 ? at + piece : text + room - 1;
			memcpy(at, value, (size_t)(end - at));
			at = end;
			*at = 0;
			any = true;
		}
		value += piece + (value[piece] != 0);
	}
}

/* Whether the array and the texts can be read; the kernel returns EFAULT where they cannot. If the thread does not record, or the
 * program filters its system calls, this cannot be checked: then only the program's own environment is used. */
bool environment_readable(struct thread *self, char *const *given)
{
	if (!recorder.control || given == environ)
		return recorder.control != NULL;
	if (!self || recorder.quiet)
		return false;
	for (size_t i = 0; given; i++) {
		if (!memory_readable(self, &given[i], sizeof *given))
			return false;
		if (!given[i])
			break;
		bool preload = text_length(self, given[i], sizeof "LD_PRELOAD=" - 1) >= 0 &&
			       key_value(given[i], "LD_PRELOAD");
		if (text_length(self, given[i],
				preload ? PRELOAD_MOST : sizeof "VARVE_LD_PRELOAD=") < 0)
			return false;
	}
	return true;
}

/* Finds the program of a name without a slash, as execvp does; `room` is for its path. NULL: none. */
static const char *program_find(const char *name, char *room, size_t size)
{
	const char *folders = NULL;
	for (char *const *entry = environ; entry && *entry && !folders; entry++)
		folders = key_value(*entry, "PATH");
	return executable_find(name, folders, room, size) == 0 ? room : NULL;
}

/* Whether the new image may open the file: checked with the effective ids, which it will have. */
static bool trace_reachable(const char *path, int mode)
{
	return sys6(SYS_faccessat2, AT_FDCWD, sys_address(path), mode, AT_EACCESS, 0, 0) == 0;
}

/* The recorder's variables in an environment. */
struct traces {
	bool listing; /* the loader only lists the libraries (ldd), and would list the recorder */
	const char *
		preload; /* value of LD_PRELOAD; NULL: none. Of several values the loader uses the last */
	size_t place; /* its index */
	bool ours;    /* LD_PRELOAD contains the recorder */
	bool run;
};

static struct traces traces_in(char *const *given)
{
	struct traces traces = {0};
	for (size_t i = 0; given && given[i]; i++) {
		if (key_value(given[i], "LD_PRELOAD")) {
			traces.preload = given[i] + strlen("LD_PRELOAD=");
			traces.place = i;
		}
		traces.run |= key_value(given[i], "VARVE_RUN") != NULL;
		traces.listing |= key_value(given[i], "LD_TRACE_LOADED_OBJECTS") != NULL;
	}
	traces.ours = traces.preload && strstr(traces.preload, recorder.control->library);
	return traces;
}

/* Without the recorder, for a program whose loader would print an error. */
static char *const *environment_without(const struct traces *traces, char *const *given,
					char **pointers, struct exec_environment *room)
{
	size_t count = 0;
	preload_without(traces->preload, recorder.control->library, room->preload,
			sizeof room->preload);
	for (size_t i = 0; given && given[i]; i++) {
		if (key_value(given[i], "VARVE_LD_PRELOAD") || key_value(given[i], "VARVE_RUN"))
			continue;
		bool preload = traces->preload && i == traces->place;
		if (!preload || room->preload[strlen("LD_PRELOAD=")])
			pointers[count++] = preload ? room->preload : given[i];
	}
	pointers[count] = NULL;
	return pointers;
}

/* With the recorder. Two variables are added at the end, always two unless the program itself named the library: environment_hide()
 * removes them. `unseen`: programs that inherit this environment are not checked before they start. */
static char *const *environment_with(const struct traces *traces, char *const *given,
				     char **pointers, struct exec_environment *room, bool unseen)
{
	const char *end = room->preload + sizeof room->preload;
	const char *last = room->original + sizeof room->original;
	char *at = text_add(room->preload, end, "LD_PRELOAD=");
	at = text_add(text_add(at, end, unseen ? PRELOAD_ORIGIN : ""), end,
		      recorder.control->library);
	bool changed = !traces->ours ||
		       (unseen && preload_for_glibc(traces->preload, recorder.control->library,
						    room->preload, sizeof room->preload));
	if (traces->preload && !traces->ours) {
		if (strlen(traces->preload) >
		    CONTROL_PATH - sizeof "VARVE_LD_PRELOAD=" PRELOAD_ORIGIN) {
			room->why = UNTRACED_ENVIRONMENT;
			return given;
		}
		text_add(text_add(at, end, *traces->preload ? ":" : ""), end, traces->preload);
		text_add(text_add(room->original, last, "VARVE_LD_PRELOAD="), last,
			 traces->preload);
	}
	size_t count = 0;
	for (size_t i = 0; given && given[i]; i++) {
		if ((key_value(given[i], "VARVE_LD_PRELOAD") && !(traces->ours && traces->run)) ||
		    key_value(given[i], "VARVE_RUN"))
			continue;
		bool preload = traces->preload && i == traces->place;
		pointers[count++] = preload && changed ? room->preload : given[i];
	}
	if (!traces->ours)
		pointers[count++] = traces->preload ? room->original : room->preload;
	end = room->run + sizeof room->run;
	at = text_add(text_add(room->run, end, "VARVE_RUN="), end, recorder.lanes);
	text_add(text_add(at, end, ":"), end, recorder.control->trace);
	pointers[count++] = room->run;
	pointers[count] = NULL;
	return pointers;
}

/* Whether --no-follow excludes a program with this environment. */
static bool not_followed(const struct traces *traces)
{
	return recorder.control->no_follow && !(traces->ours && traces->run);
}

/* Whether --ranks excludes a program with this environment; it then starts without the recorder. */
static bool rank_excluded_in(char *const *given)
{
	const char *rank = recorder.control->choice.ranks[0] ? launcher_rank_in(given) : NULL;
	uint64_t number;
	return rank && parse_number(rank, INT32_MAX, &number) &&
	       rank_excluded(recorder.control, number);
}

/* The reason not to record a program, whatever its kind: excluded on request, or there is nothing to record. */
static enum untraced on_request(const struct traces *traces, char *const *given)
{
	return traces->listing		 ? UNTRACED_LISTING
	       : not_followed(traces)	 ? UNTRACED_NOT_FOLLOWED
	       : rank_excluded_in(given) ? UNTRACED_RANK
					 : UNTRACED_NOT;
}

/* Whether the library is removed from its environment. */
static bool without_us(enum untraced why)
{
	return why != UNTRACED_NOT && why != UNTRACED_NOT_FOLLOWED && !executable_ignores(why);
}

static char *const *trace_environment_made(char *const *given, char **pointers,
					   struct exec_environment *room, bool unseen)
{
	struct traces traces = traces_in(given);
	room->why = on_request(&traces, given);
	if (without_us(room->why) && traces.ours)
		return environment_without(&traces, given, pointers, room);
	if (room->why != UNTRACED_NOT || (traces.ours && traces.run && !unseen))
		return given;
	return environment_with(&traces, given, pointers, room, unseen);
}

char *const *environment_again(char *const *given, char **pointers, struct exec_environment *room)
{
	return trace_environment_made(given, pointers, room, false);
}

bool environment_followed(char *const *given)
{
	struct traces traces = traces_in(given);
	return !not_followed(&traces);
}

const char *program_of_fd(int fd, const char *path, struct exec_environment *room)
{
	char *at = room->original;
	const char *end = at + sizeof room->original;
	bool named = path && *path;
	if (named && (*path == '/' || (fd == AT_FDCWD && strchr(path, '/'))))
		return path;
	if (fd < 0 && !(fd == AT_FDCWD && named))
		return NULL;
	if (fd == AT_FDCWD)
		at = text_add(at, end, ".");
	else
		at = text_add_number(text_add(at, end, "/proc/self/fd/"), end, (uint64_t)fd);
	if (named)
		text_add(text_add(at, end, "/"), end, path);
	return room->original;
}

/* The counter of programs that are not recorded for this reason; LOSS_ROOM: none, because there was nothing to record. */
static unsigned untraced_counter(enum untraced why)
{
	return why == UNTRACED_NOT || why == UNTRACED_LISTING ? LOSS_ROOM
	       : why == UNTRACED_NOT_FOLLOWED		      ? NOTE_FOLLOW
	       : why == UNTRACED_SHARED			      ? LOSS_SHARED
	       : why == UNTRACED_RANK			      ? NOTE_RANKS
							      : LOSS_UNTRACED;
}

void untraced_count(enum untraced why)
{
	unsigned counter = untraced_counter(why);
	if (counter < LOSS_ROOM)
		loss_count(counter, 1);
}

void untraced_withdraw(enum untraced why)
{
	unsigned counter = untraced_counter(why);
	if (counter < LOSS_ROOM)
		__atomic_fetch_sub(&recorder.control->loss[counter], 1, __ATOMIC_RELAXED);
}

void untraced_note(struct thread *self, const char *path, enum untraced why)
{
	untraced_count(why);
	/* Between two steps of a call: enters like a call that is made inside it. */
	struct thread *entered = self ? self : checked_enter();
	if (!entered)
		return;
	uint64_t words[] = {path ? word_path(entered, path) : 0, why};
	_Static_assert(WORDS_varve_untraced == 2, "untraced has two words");
	own_record(entered, clock_count(recorder.tsc), CALL_varve_untraced, words, 2);
	if (!self)
		busy_release(entered);
}

/* Whether the control page stays accessible after exec. Now it may be so by capabilities, which exec removes from all users but
 * root (setpriv, su). */
static bool remains_reachable(const char *page)
{
	struct stat found;
	uint32_t user = (uint32_t)sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	return user == 0 || sys_stat(page, &found) != 0 || found.st_uid == user ||
	       (found.st_mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH) ||
	       user_admitted(page, user);
}

/* Whether this process may read files that its user may not read. */
static bool overrides_modes(void)
{
	enum { OVERRIDE = 1 << 1, READ_SEARCH = 1 << 2 };
	return may_have(OVERRIDE | READ_SEARCH);
}

/* The same for the library. */
static bool library_remains(const char *library)
{
	struct stat found;
	return sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0) == 0 || !overrides_modes() ||
	       (way_open(library) && sys_stat(library, &found) == 0 && found.st_mode & S_IROTH);
}

/* A text of a list that the program passes; NULL: there is none, or it cannot be read. */
static const char *list_text(struct thread *self, char *const *list, size_t at)
{
	const char *const *place = (const char *const *)(uintptr_t)&list[at];
	if (!list || !memory_readable(self, place, sizeof *place) || !*place ||
	    text_length(self, *place, NAME_LONGEST) < 0)
		return NULL;
	return *place;
}

/* Whether a loader that is started as a program does not run a program. */
static bool loader_only_looks(struct thread *self, const char *path, char *const *argv)
{
	if (!self || !path || !executable_is_loader(path) || !list_text(self, argv, 0))
		return false;
	const char *option = list_text(self, argv, 1);
	return option && executable_only_looks(option);
}

/* Whether the new image can use the run: its lanes, or, if these are hidden by a new /dev, the trace, to which it adds a node
 * (join.c). */
static bool run_reachable(void)
{
	const char *trace = recorder.control->trace;
	size_t size = strlen(recorder.lanes) + strlen(trace) + sizeof "/" LANES_CONTROL;
	char *path = alloca(size);
	struct stat found;
	*path = 0;
	text_add(text_add(path, path + size, recorder.lanes), path + size, "/" LANES_CONTROL);
	if (sys_stat(path, &found) != -ENOENT)
		return trace_reachable(path, R_OK | W_OK) && remains_reachable(path);
	*path = 0;
	text_add(text_add(path, path + size, trace), path + size, "/" TRACE_FIRST_LANES);
	return trace_reachable(path, R_OK) && trace_reachable(trace, R_OK | W_OK | X_OK);
}

/* Why the program will not be traced, as far as this can be found out before it starts. */
static enum untraced exec_foresee(const char *path)
{
	enum untraced why = path ? image_kind(path) : UNTRACED_NOT;
	if ((why == UNTRACED_NOT || executable_ignores(why)) &&
	    !(trace_reachable(recorder.control->library, R_OK) && run_reachable() &&
	      library_remains(recorder.control->library)))
		why = UNTRACED_UNREACHABLE;
	return why;
}

char *const *environment_for(struct thread *self, const char *path, char *const *argv,
			     char *const *given, char **pointers, struct exec_environment *room)
{
	if (recorder.quiet) {
		char *const *made = environment_again(given, pointers, room);
		untraced_count(room->why);
		return made;
	}
	/* room->run is free until the environment is made. */
	if (path && !strchr(path, '/'))
		path = program_find(path, room->run, sizeof room->run);
	struct traces traces = traces_in(given);
	enum untraced why = on_request(&traces, given);
	if (why == UNTRACED_NOT && loader_only_looks(self, path, argv))
		why = UNTRACED_LISTING;
	if (why == UNTRACED_NOT)
		why = exec_foresee(path);
	/* Noted here, because `path` may be in `room`, which the environment overwrites. A preload value that is too long is
	 * detected only then, and is noted without a path. */
	if (why != UNTRACED_NOT)
		untraced_note(self, path, why);
	char *const *made = given;
	room->why = UNTRACED_NOT;
	if (why == UNTRACED_NOT || executable_ignores(why))
		made = trace_environment_made(given, pointers, room, why != UNTRACED_NOT);
	else if (traces.ours && without_us(why))
		made = environment_without(&traces, given, pointers, room);
	if (why != UNTRACED_NOT)
		room->why = why;
	else if (room->why != UNTRACED_NOT)
		untraced_note(self, NULL, room->why);
	return made;
}
