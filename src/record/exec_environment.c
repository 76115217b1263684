/* Record: the environment of a new program image. See exec_environment.h. No allocation: it may run in a vfork child. */
#include "record/exec_environment.h"

#include "base/process.h"
#include "base/sys.h"
#include "record/apart.h"

#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { INTERPRETERS_MOST = 4 };

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

/* IGNORES: the preload does nothing there (a static or set-uid program) but may reach what that starts. REFUSES: its loader
 * would complain on the program's stderr (32-bit). */
enum image { IMAGE_UNKNOWN, IMAGE_TRACED, IMAGE_IGNORES, IMAGE_REFUSES };

/* What kind of program an ELF file is, from its first bytes. */
static enum image image_elf(int fd, const uint8_t *bytes, long length)
{
	Elf64_Ehdr header;
	if (length < (long)sizeof header || bytes[EI_CLASS] != ELFCLASS64)
		return IMAGE_REFUSES;
	memcpy(&header, bytes, sizeof header);
	Elf64_Phdr segment;
	for (unsigned i = 0; i < header.e_phnum && i < 64; i++) {
		if (sys_pread(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment) !=
		    sizeof segment)
			break;
		if (segment.p_type == PT_INTERP)
			return IMAGE_TRACED;
	}
	return IMAGE_IGNORES;
}

/* Whether the preload can work in a program; a script is what its interpreter is. */
static enum image image_look(const char *path)
{
	char bytes[512], next[256];
	for (int depth = 0; depth < INTERPRETERS_MOST; depth++) {
		struct stat found;
		int fd = sys_open(path, O_RDONLY, 0);
		if (fd < 0)
			return IMAGE_UNKNOWN;
		long length = sys_pread(fd, bytes, sizeof bytes - 1, 0);
		enum image kind = IMAGE_UNKNOWN;
		if (length > 4 && memcmp(bytes, ELFMAG, SELFMAG) == 0)
			kind = image_elf(fd, (const uint8_t *)bytes, length);
		if (kind == IMAGE_TRACED && sys_fstat(fd, &found) == 0 &&
		    found.st_mode & (S_ISUID | S_ISGID))
			kind = IMAGE_IGNORES;
		sys_close(fd);
		if (kind != IMAGE_UNKNOWN || length < 4 || bytes[0] != '#' || bytes[1] != '!')
			return kind;
		bytes[length] = 0;
		char *name = bytes + 2 + strspn(bytes + 2, " \t");
		name[strcspn(name, " \t\n")] = 0;
		*next = 0;
		text_add(next, next + sizeof next, name);
		path = next;
	}
	return IMAGE_UNKNOWN;
}

struct question {
	const char *path;
	enum image answer;
};

static void question_answer(void *given)
{
	struct question *question = given;
	question->answer = image_look(question->path);
}

static enum image image_kind(const char *path)
{
	const uint64_t every = ~0ull;
	uint64_t old;
	struct question question = {path, IMAGE_UNKNOWN};
	sys_sigmask(SIG_SETMASK, &every, &old);
	apart(question_answer, &question);
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
		if (!memory_readable(self, given[i], sizeof "VARVE_LD_PRELOAD="))
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
	const char *preload; /* value of LD_PRELOAD; NULL: none */
	bool ours;	     /* our library is in LD_PRELOAD */
	bool run;
};

static struct traces traces_in(char *const *given)
{
	struct traces traces = {0};
	for (size_t i = 0; given && given[i]; i++) {
		if (is_variable(given[i], "LD_PRELOAD"))
			traces.preload = given[i] + strlen("LD_PRELOAD=");
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
		bool preload = is_variable(given[i], "LD_PRELOAD");
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
			loss_count(LOSS_UNTRACED, 1);
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
		bool preload = is_variable(given[i], "LD_PRELOAD");
		pointers[count++] = preload && !traces->ours ? room->preload : given[i];
	}
	if (!traces->ours)
		pointers[count++] = traces->preload ? room->original : room->preload;
	end = room->run + sizeof room->run;
	text_add(text_add(room->run, end, "VARVE_RUN="), end, recorder.lanes);
	pointers[count++] = room->run;
	pointers[count] = NULL;
	return pointers;
}

char *const *environment_again(char *const *given, char **pointers, struct exec_environment *room)
{
	struct traces traces = traces_in(given);
	if ((traces.ours && traces.run) || recorder.control->no_follow)
		return given;
	return environment_with(&traces, given, pointers, room);
}

char *const *environment_for(const char *path, char *const *given, char **pointers,
			     struct exec_environment *room)
{
	const struct control *control = recorder.control;
	if (recorder.quiet)
		return environment_again(given, pointers, room);
	/* `run` is free until the end. */
	if (path && !strchr(path, '/'))
		path = program_find(path, room->run, sizeof room->run);
	enum image kind = path ? image_kind(path) : IMAGE_UNKNOWN;
	char page[RUN_PATH + 16];
	text_add(text_add(page, page + sizeof page, recorder.lanes), page + sizeof page,
		 "/control");
	bool works = kind != IMAGE_REFUSES && reachable(control->library, R_OK) &&
		     reachable(page, R_OK | W_OK);
	if (!works || kind == IMAGE_IGNORES)
		loss_count(LOSS_UNTRACED, 1);
	struct traces traces = traces_in(given);
	if (works)
		return environment_again(given, pointers, room);
	return traces.ours ? environment_without(&traces, given, pointers, room) : given;
}
