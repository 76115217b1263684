/* Record: exec and spawn: recorded before they happen, because a successful exec never returns; with an environment in
 * which the new program is traced too.
 */
#include "record/manual.h"

#include "record/exec_environment.h"
#include "record/version.h"

#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
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

/* A path, or a name that is searched for in PATH. */
INLINE int exec_recorded(uint16_t id, const char *path, char *const *argv, char *const *envp,
			 bool search)
{
	struct thread *self = wrap_enter();
	struct call call;
	if (!self)
		return search ? real.execvpe(path, argv, envp) : real.execve(path, argv, envp);
	uint64_t words[] = {search ? word_string(self, path) : word_path(self, path)};
	struct exec_environment room;
	bool readable = environment_readable(self, envp);
	char **pointers = alloca((readable ? environment_count(envp) + 4 : 1) * sizeof *pointers);
	char *const *passed =
		!readable ? envp : environment_for(words[0] ? path : NULL, envp, pointers, &room);
	manual_begin(self, &call, id, words, 1);
	int result = search ? real.execvpe(path, argv, passed) : real.execve(path, argv, passed);
	manual_end(self, &call, result, true, errno);
	return result;
}

_Static_assert(WORDS_execve == 1 && WORDS_execv == 1 && WORDS_execvp == 1 && WORDS_execvpe == 1 &&
		       WORDS_execl == 1 && WORDS_execle == 1 && WORDS_execlp == 1,
	       "exec has one word: what is executed");

int wrap_execve(const char *path, char *const *argv, char *const *envp)
{
	return exec_recorded(CALL_execve, path, argv, envp, false);
}

int wrap_execv(const char *path, char *const *argv)
{
	return exec_recorded(CALL_execv, path, argv, environ, false);
}

int wrap_execvp(const char *file, char *const *argv)
{
	return exec_recorded(CALL_execvp, file, argv, environ, true);
}

int wrap_execvpe(const char *file, char *const *argv, char *const *envp)
{
	return exec_recorded(CALL_execvpe, file, argv, envp, true);
}

/* Arguments given one by one, up to a NULL; the list then stands at what follows it. */
static size_t list_count(va_list *list)
{
	size_t count = 1;
	while (va_arg(*list, char *))
		count++;
	return count;
}

static void list_copy(const char *first, va_list *list, char **argv)
{
	argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 0; argv[i]; i++)
		argv[i + 1] = va_arg(*list, char *);
}

int wrap_execl(const char *path, const char *argument, ...)
{
	va_list list;
	va_start(list, argument);
	size_t count = argument ? list_count(&list) : 0;
	va_end(list);
	char **argv = alloca((count + 1) * sizeof *argv);
	va_start(list, argument);
	list_copy(argument, &list, argv);
	va_end(list);
	return exec_recorded(CALL_execl, path, argv, environ, false);
}

int wrap_execle(const char *path, const char *argument, ...)
{
	va_list list;
	va_start(list, argument);
	size_t count = argument ? list_count(&list) : 0;
	va_end(list);
	char **argv = alloca((count + 1) * sizeof *argv);
	va_start(list, argument);
	list_copy(argument, &list, argv);
	char *const *envp = va_arg(list, char *const *);
	va_end(list);
	return exec_recorded(CALL_execle, path, argv, envp, false);
}

int wrap_execlp(const char *file, const char *argument, ...)
{
	va_list list;
	va_start(list, argument);
	size_t count = argument ? list_count(&list) : 0;
	va_end(list);
	char **argv = alloca((count + 1) * sizeof *argv);
	va_start(list, argument);
	list_copy(argument, &list, argv);
	va_end(list);
	return exec_recorded(CALL_execlp, file, argv, environ, true);
}

int wrap_fexecve(int fd, char *const *argv, char *const *envp)
{
	struct thread *self = wrap_enter();
	struct call call;
	if (!self)
		return real.fexecve(fd, argv, envp);
	uint64_t words[] = {word_fd(self, fd)};
	_Static_assert(WORDS_fexecve == 1, "fexecve has one word");
	struct exec_environment room;
	bool readable = environment_readable(self, envp);
	char **pointers = alloca((readable ? environment_count(envp) + 4 : 1) * sizeof *pointers);
	char *const *passed = !readable ? envp : environment_for(NULL, envp, pointers, &room);
	manual_begin(self, &call, CALL_fexecve, words, 1);
	int result = real.fexecve(fd, argv, passed);
	manual_end(self, &call, result, true, errno);
	return result;
}

int wrap_execveat(int dirfd, const char *path, char *const *argv, char *const *envp, int flags)
{
	struct thread *self = wrap_enter();
	struct call call;
	if (!self)
		return real.execveat(dirfd, path, argv, envp, flags);
	uint64_t words[] = {word_fd(self, dirfd), word_path_at(self, dirfd, path), (uint32_t)flags};
	_Static_assert(WORDS_execveat == 3, "execveat has three words");
	struct exec_environment room;
	bool readable = environment_readable(self, envp);
	char **pointers = alloca((readable ? environment_count(envp) + 4 : 1) * sizeof *pointers);
	char *const *passed = !readable ? envp : environment_for(NULL, envp, pointers, &room);
	manual_begin(self, &call, CALL_execveat, words, 3);
	int result = real.execveat(dirfd, path, argv, passed, flags);
	manual_end(self, &call, result, true, errno);
	return result;
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const *, char *const *);

INLINE int spawn_recorded(uint16_t id, spawn_function *function, pid_t *pid, const char *path,
			  const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attributes, char *const *argv, char *const *envp,
			  bool search)
{
	struct thread *self = wrap_enter();
	struct call call;
	if (!self)
		return function(pid, path, actions, attributes, argv, envp);
	uint64_t words[WORDS_posix_spawn] = {0};
	_Static_assert(WORDS_posix_spawn == 2 && WORDS_posix_spawnp == 2,
		       "spawn has two words: child and program");
	words[1] = search ? word_string(self, path) : word_path(self, path);
	struct exec_environment room;
	bool readable = environment_readable(self, envp);
	char **pointers = alloca((readable ? environment_count(envp) + 4 : 1) * sizeof *pointers);
	char *const *passed =
		!readable ? envp : environment_for(words[1] ? path : NULL, envp, pointers, &room);
	pid_t child = 0;
	child_expected();
	manual_begin(self, &call, id, words, WORDS_posix_spawn);
	int result = function(pid ? pid : &child, path, actions, attributes, argv, passed);
	uint64_t *slot = wrap_return(self, &call);
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
