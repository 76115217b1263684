/* Record: exec and spawn. They are recorded before they happen, because a successful exec never returns, and get an environment
 * with which the new program is traced too.
 */
#include "record/manual.h"

#include "base/sys.h"
#include "record/async/rings.h"
#include "record/libc/direct.h"
#include "record/loader/version.h"
#include "record/process/exec_environment.h"

#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORTED int wrap_execve(const char *path, char *const *argv, char *const *envp) __asm__("execve");
EXPORTED int wrap_execv(const char *path, char *const *argv) __asm__("execv");
EXPORTED int wrap_execvp(const char *file, char *const *argv) __asm__("execvp");
EXPORTED int wrap_execvpe(const char *file, char *const *argv,
			  char *const *envp) __asm__("execvpe");
EXPORTED int wrap_execl(const char *path, const char *argument, ...) __asm__("execl");
EXPORTED int wrap_execle(const char *path, const char *argument, ...) __asm__("execle");
EXPORTED int wrap_execlp(const char *file, const char *argument, ...) __asm__("execlp");
EXPORTED int wrap_fexecve(int fd, char *const *argv, char *const *envp) __asm__("fexecve");
EXPORTED int wrap_execveat(int dirfd, const char *path, char *const *argv, char *const *envp,
			   int flags) __asm__("execveat");
EXPORTED int wrap_posix_spawn(pid_t *pid, const char *path,
			      const posix_spawn_file_actions_t *actions,
			      const posix_spawnattr_t *attributes, char *const *argv,
			      char *const *envp) __asm__("posix_spawn");
EXPORTED int wrap_posix_spawnp(pid_t *pid, const char *file,
			       const posix_spawn_file_actions_t *actions,
			       const posix_spawnattr_t *attributes, char *const *argv,
			       char *const *envp) __asm__("posix_spawnp");

/* What is to be executed, and how. */
enum way { WAY_PATH, WAY_SEARCH, WAY_DESCRIPTOR, WAY_AT };
struct target {
	enum way way;
	int fd; /* descriptor, or folder of a relative path */
	const char *path;
	int flags;
	bool by_number; /* through syscall(): never call a function that another library may have replaced */
};

static int target_exec(const struct target *target, char *const *argv, char *const *envp)
{
	if (target->by_number && target->way == WAY_PATH)
		return (int)real.syscall(SYS_execve, target->path, argv, envp);
	if (target->by_number)
		return (int)real.syscall(SYS_execveat, target->fd, target->path, argv, envp,
					 target->flags);
	switch (target->way) {
	case WAY_PATH:
		return real.execve(target->path, argv, envp);
	case WAY_SEARCH:
		return real.execvpe(target->path, argv, envp);
	case WAY_DESCRIPTOR:
		return real.fexecve(target->fd, argv, envp);
	case WAY_AT:
		break;
	}
	return real.execveat(target->fd, target->path, argv, envp, target->flags);
}

/* Makes the argument words of the record; returns their number. */
static unsigned target_words(struct thread *self, const struct target *target, uint64_t *words)
{
	_Static_assert(WORDS_execve == 1 && WORDS_execv == 1 && WORDS_execvp == 1 &&
			       WORDS_execvpe == 1 && WORDS_execl == 1 && WORDS_execle == 1 &&
			       WORDS_execlp == 1 && WORDS_fexecve == 1,
		       "exec has one word: what is executed");
	_Static_assert(WORDS_execveat == 3, "execveat has three words");
	switch (target->way) {
	case WAY_PATH:
		words[0] = word_path(self, target->path);
		return 1;
	case WAY_SEARCH:
		words[0] = word_string(self, target->path);
		return 1;
	case WAY_DESCRIPTOR:
		words[0] = word_fd(self, target->fd);
		return 1;
	case WAY_AT:
		break;
	}
	words[0] = word_fd(self, target->fd);
	words[1] = word_path_at(self, target->fd, target->path);
	words[2] = (uint32_t)target->flags;
	return 3;
}

static const char *target_program(const struct target *target, struct exec_environment *room)
{
	if (target->way == WAY_SEARCH)
		return target->path;
	return program_of_fd(target->way == WAY_PATH ? AT_FDCWD : target->fd, target->path, room);
}

/* The number of pointers for a changed environment; 1 if it cannot be read. */
static size_t pointers_needed(bool readable, char *const *envp)
{
	return readable ? environment_count(envp) + ENVIRONMENT_MORE : 1;
}

/* An environment that cannot be read is passed on unchanged; the program, if it starts at all, is not traced. */
static char *const *exec_environment_made(struct thread *self, const char *program, bool readable,
					  char *const *argv, char *const *envp, char **pointers,
					  struct exec_environment *room)
{
	if (readable)
		return environment_for(self, program, argv, envp, pointers, room);
	room->why = UNTRACED_ENVIRONMENT;
	untraced_note(self, program, room->why);
	return envp;
}

/* Memory for a call that is not recorded: mapped, because it is too large for a small stack; on the stack where no system call is
 * allowed. NULL: the environment is passed on unchanged. */
#define ROOM_TAKE(readable)                                                                        \
	(!(readable) || !recorder.control ? NULL                                                   \
	 : recorder.quiet		  ? alloca(sizeof(struct exec_environment))                \
					  : sys_memory(sizeof(struct exec_environment)))

/* For a call that is not recorded. */
static char *const *environment_unseen(char *const *envp, char **pointers,
				       struct exec_environment *room)
{
	return room ? environment_again(envp, pointers, room) : envp;
}

static void exec_room_give(struct exec_environment *room)
{
	if (room && !recorder.quiet)
		sys_munmap(room, sizeof *room);
}

static int exec_recorded(uint16_t id, const struct target *target, char *const *argv,
			 char *const *envp)
{
	struct thread *self = checked_enter();
	bool readable = environment_readable(self, envp);
	struct exec_environment *room = self ? &self->known->room : ROOM_TAKE(readable);
	char **pointers = alloca(pointers_needed(readable, envp) * sizeof *pointers);
	if (!self) {
		char *const *passed = environment_unseen(envp, pointers, room);
		if (room)
			untraced_count(room->why);
		int result = target_exec(target, argv, passed);
		if (room)
			untraced_withdraw(room->why);
		exec_room_give(room);
		return result;
	}
	struct call call;
	uint64_t words[3];
	unsigned count = target_words(self, target, words);
	/* The word of a path that cannot be read is 0. */
	bool named = target->way == WAY_DESCRIPTOR || words[target->way == WAY_AT ? 1 : 0];
	const char *program = named ? target_program(target, room) : NULL;
	char *const *passed =
		exec_environment_made(self, program, readable, argv, envp, pointers, room);
	manual_begin(self, &call, id, words, count);
	rings_end();
	int result = target_exec(target, argv, passed);
	/* The variables that the recorder added may exceed the limit. */
	if (errno == E2BIG && passed != envp) {
		untraced_withdraw(room->why);
		room->why = UNTRACED_ENVIRONMENT;
		untraced_note(NULL, named ? target_program(target, room) : NULL, room->why);
		result = target_exec(target, argv, envp);
	}
	int error = errno;
	rings_go_on();
	untraced_withdraw(room->why);
	manual_end(self, &call, result, true, error);
	errno = error;
	return result;
}

static int exec_path(uint16_t id, const char *path, char *const *argv, char *const *envp)
{
	return exec_recorded(id, &(struct target){.way = WAY_PATH, .path = path}, argv, envp);
}

static int exec_search(uint16_t id, const char *file, char *const *argv, char *const *envp)
{
	return exec_recorded(id, &(struct target){.way = WAY_SEARCH, .path = file}, argv, envp);
}

int wrap_execve(const char *path, char *const *argv, char *const *envp)
{
	return exec_path(CALL_execve, path, argv, envp);
}

int wrap_execv(const char *path, char *const *argv)
{
	return exec_path(CALL_execv, path, argv, environ);
}

int wrap_execvp(const char *file, char *const *argv)
{
	return exec_search(CALL_execvp, file, argv, environ);
}

int wrap_execvpe(const char *file, char *const *argv, char *const *envp)
{
	return exec_search(CALL_execvpe, file, argv, envp);
}

/* Counts arguments up to a NULL; afterwards the list is at the argument that follows. */
static size_t list_count(va_list *list)
{
	size_t count = 1;
	while (va_arg(*list, char *))
		count++;
	return count;
}

/* Executes with such arguments. Those of execle() are followed by the environment. */
static int exec_listed(uint16_t id, const char *path, const char *first, va_list *list)
{
	va_list again;
	va_copy(again, *list);
	size_t count = first ? list_count(&again) : 0;
	va_end(again);
	char **argv = alloca((count + 1) * sizeof *argv);
	argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 0; argv[i]; i++)
		argv[i + 1] = va_arg(*list, char *);
	char *const *envp = id == CALL_execle ? va_arg(*list, char *const *) : environ;
	return id == CALL_execlp ? exec_search(id, path, argv, envp)
				 : exec_path(id, path, argv, envp);
}

int wrap_execl(const char *path, const char *argument, ...)
{
	va_list list;
	va_start(list, argument);
	int result = exec_listed(CALL_execl, path, argument, &list);
	va_end(list);
	return result;
}

int wrap_execle(const char *path, const char *argument, ...)
{
	va_list list;
	va_start(list, argument);
	int result = exec_listed(CALL_execle, path, argument, &list);
	va_end(list);
	return result;
}

int wrap_execlp(const char *file, const char *argument, ...)
{
	va_list list;
	va_start(list, argument);
	int result = exec_listed(CALL_execlp, file, argument, &list);
	va_end(list);
	return result;
}

int wrap_fexecve(int fd, char *const *argv, char *const *envp)
{
	return exec_recorded(CALL_fexecve, &(struct target){.way = WAY_DESCRIPTOR, .fd = fd}, argv,
			     envp);
}

int wrap_execveat(int dirfd, const char *path, char *const *argv, char *const *envp, int flags)
{
	const struct target target = {WAY_AT, dirfd, path, flags, false};
	return exec_recorded(CALL_execveat, &target, argv, envp);
}

bool is_exec(long number)
{
	return number == SYS_execve || number == SYS_execveat;
}

long direct_exec(long number, long a, long b, long c, long d, long e)
{
	if (number == SYS_execve) {
		const struct target target = {WAY_PATH, AT_FDCWD, (const char *)a, 0, true};
		return exec_recorded(CALL_execve, &target, (char *const *)b, (char *const *)c);
	}
	const struct target target = {WAY_AT, (int)a, (const char *)b, (int)e, true};
	return exec_recorded(CALL_execveat, &target, (char *const *)c, (char *const *)d);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const *, char *const *);

INLINE int spawn_recorded(uint16_t id, spawn_function *function, pid_t *pid, const char *path,
			  const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attributes, char *const *argv, char *const *envp,
			  bool search)
{
	struct thread *self = checked_enter();
	bool readable = environment_readable(self, envp);
	struct exec_environment *room = self ? &self->known->room : ROOM_TAKE(readable);
	char **pointers = alloca(pointers_needed(readable, envp) * sizeof *pointers);
	if (!self) {
		int result = function(pid, path, actions, attributes, argv,
				      environment_unseen(envp, pointers, room));
		if (room && result == 0)
			untraced_count(room->why);
		exec_room_give(room);
		return result;
	}
	struct call call;
	uint64_t words[WORDS_posix_spawn] = {0};
	_Static_assert(WORDS_posix_spawn == 2 && WORDS_posix_spawnp == 2,
		       "spawn has two words: child and program");
	words[1] = search ? word_string(self, path) : word_path(self, path);
	const struct target target = {search ? WAY_SEARCH : WAY_PATH, AT_FDCWD, path, 0, false};
	const char *program = words[1] ? target_program(&target, room) : NULL;
	char *const *passed =
		exec_environment_made(self, program, readable, argv, envp, pointers, room);
	pid_t child = 0;
	child_expected();
	manual_begin(self, &call, id, words, WORDS_posix_spawn);
	int result = function(pid ? pid : &child, path, actions, attributes, argv, passed);
	if (result == E2BIG && passed != envp) {
		untraced_withdraw(room->why);
		room->why = UNTRACED_ENVIRONMENT;
		untraced_note(NULL, words[1] ? target_program(&target, room) : NULL, room->why);
		result = function(pid ? pid : &child, path, actions, attributes, argv, envp);
	}
	if (result != 0)
		untraced_withdraw(room->why);
	uint64_t *slot = manual_return(self, &call);
	if (!slot)
		return result;
	if (result == 0) {
		slot[WORD_ARGUMENTS] = (uint64_t)(pid ? *pid : child);
		wrap_end(self, &call, slot, result);
	} else {
		wrap_fail(self, &call, slot, result, result);
	}
	return result;
}

int wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
	spawn_function *function = (spawn_function *)version_for(
		VERSIONED_POSIX_SPAWN, __builtin_return_address(0), (void *)real.posix_spawn);
	return spawn_recorded(CALL_posix_spawn, function, pid, path, actions, attributes, argv,
			      envp, false);
}

int wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
	spawn_function *function = (spawn_function *)version_for(
		VERSIONED_POSIX_SPAWNP, __builtin_return_address(0), (void *)real.posix_spawnp);
	return spawn_recorded(CALL_posix_spawnp, function, pid, file, actions, attributes, argv,
			      envp, true);
}
