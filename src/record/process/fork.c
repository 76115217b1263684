/* Record: fork, vfork and functions of the C library that fork. The child detects that its lanes are gone, and sets itself up at
 * its first call (start.c); the wrapper of vfork is not a C function (vfork.S).
 */
#include "record/manual.h"

#include "base/sys.h"
#include "record/ops.h"
#include "record/process/vfork_tables.h"

EXPORTED pid_t wrap_fork(void) __asm__("fork");
EXPORTED pid_t wrap___fork(void) __asm__("__fork");
EXPORTED pid_t wrap__Fork(void) __asm__("_Fork");
EXPORTED int wrap_daemon(int nochdir, int noclose) __asm__("daemon");
EXPORTED int wrap_system(const char *command) __asm__("system");
EXPORTED int wrap_forkpty(int *master, char *name, const struct termios *settings,
			  const struct winsize *size) __asm__("forkpty");
/* Higher than any frame. */
#define VFORK_FRAME (UINTPTR_MAX - 4095)

void vfork_before(void *stack);
long vfork_after(long result);

INLINE pid_t fork_recorded(uint16_t id, pid_t (*function)(void))
{
	struct thread *self = checked_enter();
	struct call call;
	if (self) {
		fork_expected();
		manual_begin(self, &call, id, NULL, 0);
	}
	pid_t result = function();
	if (result == 0)
		recorder_forked();
	if (self)
		manual_end(self, &call, result, result < 0, errno);
	return result;
}

pid_t wrap_fork(void)
{
	return fork_recorded(CALL_fork, real.fork);
}

pid_t wrap___fork(void)
{
	return fork_recorded(CALL_fork, real.__fork);
}

pid_t wrap__Fork(void)
{
	return fork_recorded(CALL__Fork, real._Fork);
}

int wrap_daemon(int nochdir, int noclose)
{
	struct thread *self = checked_enter();
	struct call call;
	if (!self)
		return real.daemon(nochdir, noclose);
	uint64_t words[] = {(uint64_t)nochdir, (uint64_t)noclose};
	_Static_assert(WORDS_daemon == 2, "daemon has two words");
	fork_expected();
	manual_begin(self, &call, CALL_daemon, words, WORDS_daemon);
	int result = real.daemon(nochdir, noclose);
	if (result == 0 && !nochdir)
		folder_changed();
	for (int fd = 0; result == 0 && !noclose && fd <= 2; fd++)
		handle_forget_fd(fd);
	manual_end(self, &call, result, result < 0, errno);
	return result;
}

int wrap_forkpty(int *master, char *name, const struct termios *settings,
		 const struct winsize *size)
{
	struct thread *self = checked_enter();
	struct call call;
	if (self) {
		uint64_t words[] = {0};
		_Static_assert(WORDS_forkpty == 1, "forkpty has one word");
		fork_expected();
		manual_begin(self, &call, CALL_forkpty, words, WORDS_forkpty);
	}
	int result = real.forkpty(master, name, settings, size);
	if (result == 0) {
		recorder_forked();
		for (int fd = 0; fd <= 2; fd++)
			handle_forget_fd(fd);
	}
	if (!self)
		return result;
	if (result >= 0)
		handle_forget_fd(*master);
	uint64_t *slot = manual_return(self, &call);
	if (!slot)
		return result;
	if (result < 0) {
		wrap_fail(self, &call, slot, result, errno);
		return result;
	}
	slot[WORD_ARGUMENTS] = word_fd(self, *master);
	wrap_end(self, &call, slot, result);
	return result;
}

int wrap_system(const char *command)
{
	struct thread *self = checked_enter();
	struct call call;
	if (self) {
		uint64_t words[] = {word_string(self, command)};
		_Static_assert(WORDS_system == 1, "system has one word");
		child_expected();
		manual_begin(self, &call, CALL_system, words, WORDS_system);
	}
	shell_begin();
	int result = real.system(command);
	shell_end();
	if (self)
		manual_end(self, &call, result, result < 0, errno);
	return result;
}

/* The record stays open while the child runs on this thread: the child's calls are inside it. */
void vfork_begin(struct thread *self, uint16_t id, const uint64_t *words, unsigned count)
{
	/* A child of the child: only the end of the outermost vfork restores the thread's state. */
	if (self->vfork_pid) {
		self->vfork_depth++;
		busy_release(self);
		return;
	}
	manual_begin(self, &self->vfork_call, id, words, count);
	self->vfork_open = self->open_count;
	/* Frames of the child's calls may have any address relative to this one; it must not be dropped. */
	self->vfork_call.frame = VFORK_FRAME;
	if (self->vfork_call.index != CALL_HIDDEN)
		self->open[self->vfork_call.index].frame = VFORK_FRAME;
	self->vfork_busy = self->busy;
	self->vfork_nested = self->nested;
	self->vfork_filters = 0;
	self->vfork_pid = (uint32_t)recorder.pid;
}

void vfork_end(struct thread *self, long result, int error)
{
	if (!self->vfork_pid)
		return;
	if (self->vfork_depth) {
		self->vfork_depth--;
		return;
	}
	/* The child's last call may have left the thread busy; the filters that the child has set ended with it. */
	self->busy = self->vfork_busy;
	self->nested = self->vfork_nested;
	__atomic_fetch_sub(&recorder.quiet, self->vfork_filters, __ATOMIC_SEQ_CST);
	self->open_count = self->vfork_open;
	self->vfork_pid = 0;
	vfork_tables_restore(self);
	folder_changed();
	manual_end(self, &self->vfork_call, result, result < 0, error);
}

/* vfork.S calls this before the system call, on the stack of vfork's caller. */
void vfork_before(void *stack)
{
	(void)stack;
	struct thread *self = checked_enter();
	if (!self)
		return;
	child_expected();
	vfork_begin(self, CALL_vfork, NULL, 0);
}

/* vfork.S calls this after it, in the child (0) and in the parent. */
long vfork_after(long result)
{
	if (result != 0)
		vfork_end(&thread_self, result < 0 ? -1 : result, (int)-result);
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}
