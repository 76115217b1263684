/* Record: clone() of the C library: a fork, a vfork or a thread, depending on its flags; the child begins in a function of the
 * program on a stack of the program.
 *
 * A child with its own memory is a process of the run like the child of a fork. A child that runs while its parent waits is
 * recorded on the parent's thread, as after vfork. A child that runs at the same time with the same thread data is not recorded but
 * counted; from then on every call of the process checks which of them makes it (docs/adr/0078).
 */
#include "record/manual.h"

#include "record/lane/lanes.h"
#include "record/process/exec_environment.h"

#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

typedef int clone_body(void *);
typedef int clone_function(clone_body *, void *, int, void *, ...);

EXPORTED int wrap_clone(clone_body *body, void *stack, int flags, void *argument,
			...) __asm__("clone");
EXPORTED int wrap___clone(clone_body *body, void *stack, int flags, void *argument,
			  ...) __asm__("__clone");

/* On the parent's stack, of which the child has a copy. */
struct beginning {
	clone_body *body;
	void *argument;
};

/* The first function of a child with its own memory. The result of `body` becomes the exit status of the process. */
static int child_begins(void *given)
{
	const struct beginning *beginning = given;
	clone_body *body = beginning->body;
	void *argument = beginning->argument;
	thread_self.stack_top = (uintptr_t)__builtin_frame_address(0);
	recorder_forked();
	int status = body(argument);
	process_ended(status, NULL);
	return status;
}

INLINE int clone_recorded(clone_function *function, clone_body *body, void *stack, int flags,
			  void *argument, va_list list)
{
	/* Read even where the caller did not pass them; then they are not used. */
	pid_t *parent_tid = va_arg(list, pid_t *);
	void *tls = va_arg(list, void *);
	pid_t *child_tid = va_arg(list, pid_t *);
	struct thread *self = checked_enter();
	if (!self)
		return function(body, stack, flags, argument, parent_tid, tls, child_tid);
	bool shares = flags & CLONE_VM, waits = flags & CLONE_VFORK, own = flags & CLONE_SETTLS;
	uint64_t word = (uint32_t)flags;
	_Static_assert(WORDS_clone == 1, "clone has one word");
	struct beginning beginning = {body, argument};
	struct call call;
	if (!shares)
		fork_expected();
	else if (!(flags & CLONE_THREAD))
		child_expected();
	if (shares && waits && !own) {
		vfork_begin(self, CALL_clone, &word, WORDS_clone);
		int result = function(body, stack, flags, argument, parent_tid, tls, child_tid);
		int error = errno;
		vfork_end(self, result, error);
		/* The child's changes of descriptors are also changes of the parent's. */
		if (flags & CLONE_FILES)
			handle_forget_range(0, UINT32_MAX);
		errno = error;
		return result;
	}
	if (shares && !own && body && stack) {
		untraced_note(self, NULL, UNTRACED_SHARED);
		bool shares_data = switches_share(stack);
		manual_begin(self, &call, CALL_clone, &word, WORDS_clone);
		if (!shares_data)
			thread_off(self, true);
		if (flags & CLONE_FILES)
			recorder.files_shared = true;
		int result = function(body, stack, flags, argument, parent_tid, tls, child_tid);
		int error = errno;
		if (result < 0) {
			thread_off(self, false);
			untraced_withdraw(UNTRACED_SHARED);
		}
		if (result < 0 || shares_data)
			manual_end(self, &call, result, result < 0, error);
		errno = error;
		return result;
	}
	manual_begin(self, &call, CALL_clone, &word, WORDS_clone);
	bool forks = !shares && !own && body;
	/* From now on another process may open files in the same descriptor table, like a thread. */
	if (flags & CLONE_FILES && !shares)
		recorder.files_shared = true;
	int result =
		forks ? function(child_begins, stack, flags, &beginning, parent_tid, tls, child_tid)
		      : function(body, stack, flags, argument, parent_tid, tls, child_tid);
	manual_end(self, &call, result, result < 0, errno);
	return result;
}

int wrap_clone(clone_body *body, void *stack, int flags, void *argument, ...)
{
	va_list list;
	va_start(list, argument);
	int result = clone_recorded(real.clone, body, stack, flags, argument, list);
	va_end(list);
	return result;
}

int wrap___clone(clone_body *body, void *stack, int flags, void *argument, ...)
{
	va_list list;
	va_start(list, argument);
	int result = clone_recorded(real.__clone, body, stack, flags, argument, list);
	va_end(list);
	return result;
}
