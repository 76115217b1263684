/* Record: the environment of a new program image. See exec_environment.h. No allocation: it may run in a vfork child. */
#include "record/exec_environment.h"

#include "base/process.h"
#include "base/sys.h"
#include "call_ids.h"
#include "record/apart.h"
#include "record/lanes.h"
#include "record/wrap.h"

#include <alloca.h>
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { INTERPRETERS_MOST = 4, PRELOAD_MOST = 1 << 17 };

size_t environment_count(char *const *environment)
{
	size_t count = 0;
	while (environment && environment[count])
		count++;
	return count;
}

bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);
	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Whether the preload only does nothing there (a static or set-uid program) and may reach what that starts; else its
 * loader would complain on the program's stderr, or fail. */
static bool ignores(enum untraced why)
{
	return why == UNTRACED_STATIC || why == UNTRACED_SET_UID;
}

/* The loader, started as a program, has no interpreter and still preloads. */
static bool is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strncmp(slash ? slash + 1 : path, "ld-", 3) == 0;
}

/* What kind of program an ELF file is, from its first bytes. */
static enum untraced image_elf(int fd, const char *path, const uint8_t *bytes, long length)
{
	Elf64_Ehdr header;
	if (length < (long)sizeof header || bytes[EI_CLASS] != ELFCLASS64)
		return UNTRACED_32_BIT;
	memcpy(&header, bytes, sizeof header);
#if defined(__x86_64__)
	if (header.e_machine != EM_X86_64)
		return UNTRACED_FOREIGN;
#endif
	Elf64_Phdr segment;
	for (unsigned i = 0; i < header.e_phnum && i < 64; i++) {
		if (sys_pread(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment) !=
		    sizeof segment)
			break;
		if (segment.p_type != PT_INTERP)
			continue;
		char loader[256] = "";
		size_t room = sizeof loader - 1;
		sys_pread(fd, loader, segment.p_filesz < room ? segment.p_filesz : room,
			  segment.p_offset);
		return strstr(loader, "ld-linux") ? UNTRACED_NOT : UNTRACED_FOREIGN;
	}
	return is_loader(path) ? UNTRACED_NOT : UNTRACED_STATIC;
}

/* Whether the kernel gives the program more rights than we have: then its loader obeys no LD_PRELOAD. */
static bool gains_rights(int fd)
{
	enum { MOUNT_NOSUID = 2 };
	struct stat found;
	struct statfs where;
	char capability[64];
	if (sys_fstat(fd, &found) != 0 ||
	    sys6(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1 ||
	    (sys6(SYS_fstatfs, fd, sys_address(&where), 0, 0, 0, 0) == 0 &&
	     where.f_flags & MOUNT_NOSUID))
		return false;
	long user = sys6(SYS_getuid, 0, 0, 0, 0, 0, 0), group = sys6(SYS_getgid, 0, 0, 0, 0, 0, 0);
	if (found.st_mode & S_ISUID && (long)found.st_uid != user)
		return true;
	if ((found.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    (long)found.st_gid != group)
		return true;
	return user != 0 && sys6(SYS_fgetxattr, fd, sys_address("security.capability"),
				 sys_address(capability), sizeof capability, 0, 0) > 0;
}

/* Whether the preload can work in a program; a script is what its interpreter is. */
static enum untraced image_look(const char *path)
{
	char bytes[512], next[256];
	for (int depth = 0; depth < INTERPRETERS_MOST; depth++) {
		struct stat found;
		/* To open a pipe would wait for its writer, a terminal might become ours. */
		if (sys_stat(path, &found) != 0 || !S_ISREG(found.st_mode))
			return UNTRACED_NOT;
		int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
		if (fd < 0)
			return UNTRACED_NOT;
		long length = sys_pread(fd, bytes, sizeof bytes - 1, 0);
		enum untraced why = UNTRACED_NOT;
		bool elf = length > 4 && memcmp(bytes, ELFMAG, SELFMAG) == 0;
		if (elf)
			why = image_elf(fd, path, (const uint8_t *)bytes, length);
		if (elf && why == UNTRACED_NOT && gains_rights(fd))
			why = UNTRACED_SET_UID;
		sys_close(fd);
		if (elf || length < 4 || bytes[0] != '#' || bytes[1] != '!')
			return why;
		bytes[length] = 0;
		char *name = bytes + 2 + strspn(bytes + 2, " \t");
		name[strcspn(name, " \t\n")] = 0;
		*next = 0;
		text_add(next, next + sizeof next, name);
		path = next;
	}
	return UNTRACED_NOT;
}

struct question {
	const char *path;
	enum untraced answer;
};

static void question_answer(void *given)
{
	struct question *question = given;
	question->answer = image_look(question->path);
}

static enum untraced image_kind(const char *path)
{
	const uint64_t every = ~0ull;
	uint64_t old;
	struct question question = {path, UNTRACED_NOT};
	sys_sigmask(SIG_SETMASK, &every, &old);
	apart_only(question_answer, &question);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return question.answer;
}

void preload_without(const char *value, const char *library, char *text, size_t room)
{
	char *at = text_add(text, text + room, "LD_PRELOAD=");
	size_t length = strlen(library);
	bool any = false;
	while (*value) {
		size_t piece = strcspn(value, ": ");
		if (piece && !(piece == length && memcmp(value, library, length) == 0)) {
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

/* Whether the array and the texts can be read; the kernel answers EFAULT where they cannot. Without a thread that records,
 * or where the program filters its system calls, nothing can be asked: then only the program's own environment is taken. */
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
			       is_variable(given[i], "LD_PRELOAD");
		if (text_length(self, given[i],
				preload ? PRELOAD_MOST : sizeof "VARVE_LD_PRELOAD=") < 0)
			return false;
	}
	return true;
}

/* The program that a name without a slash stands for, as execvp looks for it; `room` holds it. NULL: none. */
static const char *program_find(const char *name, char *room, size_t size)
{
	const char *path = "/bin:/usr/bin";
	for (char *const *entry = environ; entry && *entry; entry++)
		if (is_variable(*entry, "PATH"))
			path = *entry + strlen("PATH=");
	for (const char *at = path; *at;) {
		size_t length = strcspn(at, ":");
		if (length && length + strlen(name) + 2 < size) {
			memcpy(room, at, length);
			room[length] = '/';
			text_add(room + length + 1, room + size, name);
			if (sys_access(room, X_OK) == 0)
				return room;
		}
		at += length + (at[length] == ':');
	}
	return NULL;
}

/* May the new image open what it needs? It comes with the ids that count then. */
static bool reachable(const char *path, int mode)
{
	return sys6(SYS_faccessat2, AT_FDCWD, sys_address(path), mode, AT_EACCESS, 0, 0) == 0;
}

/* What stands in an environment about us. */
struct traces {
	const char *
		preload; /* value of LD_PRELOAD; NULL: none. Of several the loader obeys the last */
	size_t place;	 /* where it stands */
	bool ours;	 /* our library is in LD_PRELOAD */
	bool run;
};

static struct traces traces_in(char *const *given)
{
	struct traces traces = {0};
	for (size_t i = 0; given && given[i]; i++) {
		if (is_variable(given[i], "LD_PRELOAD")) {
			traces.preload = given[i] + strlen("LD_PRELOAD=");
			traces.place = i;
		}
		traces.run |= is_variable(given[i], "VARVE_RUN");
	}
	traces.ours = traces.preload && strstr(traces.preload, recorder.control->library);
	return traces;
}

/* Without us: for a program whose loader would complain. */
static char *const *environment_without(const struct traces *traces, char *const *given,
					char **pointers, struct exec_environment *room)
{
	size_t count = 0;
	preload_without(traces->preload, recorder.control->library, room->preload,
			sizeof room->preload);
	for (size_t i = 0; given && given[i]; i++) {
		if (is_variable(given[i], "VARVE_LD_PRELOAD") || is_variable(given[i], "VARVE_RUN"))
			continue;
		bool preload = traces->preload && i == traces->place;
		if (!preload || room->preload[strlen("LD_PRELOAD=")])
			pointers[count++] = preload ? room->preload : given[i];
	}
	pointers[count] = NULL;
	return pointers;
}

/* With us. Two variables are added at the end, always two unless the program itself named our library:
 * environment_hide() knows what to do with them. */
static char *const *environment_with(const struct traces *traces, char *const *given,
				     char **pointers, struct exec_environment *room)
{
	const char *end = room->preload + sizeof room->preload;
	const char *last = room->original + sizeof room->original;
	char *at = text_add(room->preload, end, "LD_PRELOAD=");
	at = text_add(at, end, recorder.control->library);
	if (traces->preload && !traces->ours) {
		if (strlen(traces->preload) > CONTROL_PATH - sizeof "VARVE_LD_PRELOAD=") {
			room->why = UNTRACED_ENVIRONMENT;
			return given;
		}
		text_add(text_add(at, end, *traces->preload ? ":" : ""), end, traces->preload);
		text_add(text_add(room->original, last, "VARVE_LD_PRELOAD="), last,
			 traces->preload);
	}
	size_t count = 0;
	for (size_t i = 0; given && given[i]; i++) {
		if (is_variable(given[i], "VARVE_LD_PRELOAD") || is_variable(given[i], "VARVE_RUN"))
			continue;
		bool preload = traces->preload && i == traces->place;
		pointers[count++] = preload && !traces->ours ? room->preload : given[i];
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

char *const *environment_again(char *const *given, char **pointers, struct exec_environment *room)
{
	room->why = UNTRACED_NOT;
	struct traces traces = traces_in(given);
	if ((traces.ours && traces.run) || recorder.control->no_follow)
		return given;
	return environment_with(&traces, given, pointers, room);
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

void untraced_note(struct thread *self, const char *path, enum untraced why)
{
	loss_count(LOSS_UNTRACED, 1);
	/* Between two steps of a call: as one that is made inside it. */
	struct thread *entered = self ? self : wrap_enter();
	if (!entered)
		return;
	uint64_t words[] = {path ? word_path(entered, path) : 0, why};
	_Static_assert(WORDS_varve_untraced == 2, "untraced has two words");
	own_record(entered, clock_count(recorder.tsc), CALL_varve_untraced, words, 2);
	if (!self)
		busy_release(entered);
}

void untraced_withdraw(enum untraced why)
{
	if (why != UNTRACED_NOT)
		__atomic_fetch_sub(&recorder.control->loss[LOSS_UNTRACED], 1, __ATOMIC_RELAXED);
}

/* Rights beyond those of the user may be what reaches it now; exec takes them from all but root (setpriv, su). */
static bool remains_reachable(const char *page)
{
	struct stat found;
	uint32_t user = (uint32_t)sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	return user == 0 || sys_stat(page, &found) != 0 || found.st_uid == user ||
	       (found.st_mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH);
}

/* Why the program will not be traced, as far as it can be told beforehand. */
static enum untraced foresee(const char *path)
{
	enum untraced why = path ? image_kind(path) : UNTRACED_NOT;
	size_t size = strlen(recorder.lanes) + sizeof "/control";
	char *page = alloca(size + 1);
	*page = 0;
	text_add(text_add(page, page + size + 1, recorder.lanes), page + size + 1, "/control");
	if ((why == UNTRACED_NOT || ignores(why)) &&
	    !(reachable(recorder.control->library, R_OK) && reachable(page, R_OK | W_OK) &&
	      remains_reachable(page)))
		why = UNTRACED_UNREACHABLE;
	return why;
}

char *const *environment_for(struct thread *self, const char *path, char *const *given,
			     char **pointers, struct exec_environment *room)
{
	if (recorder.quiet)
		return environment_again(given, pointers, room);
	/* `run` is free until the end. */
	if (path && !strchr(path, '/'))
		path = program_find(path, room->run, sizeof room->run);
	enum untraced why = foresee(path);
	struct traces traces = traces_in(given);
	/* A preload that is long is refused only when it is put together, and that takes the room of the path. */
	if (why != UNTRACED_NOT)
		untraced_note(self, path, why);
	char *const *made = given;
	room->why = UNTRACED_NOT;
	if (why == UNTRACED_NOT || ignores(why))
		made = environment_again(given, pointers, room);
	else if (traces.ours)
		made = environment_without(&traces, given, pointers, room);
	if (why != UNTRACED_NOT)
		room->why = why;
	else if (room->why != UNTRACED_NOT)
		untraced_note(self, NULL, room->why);
	return made;
}
