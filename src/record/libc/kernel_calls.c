/* Record: system calls by number, and calls after which system calls of the recorder may kill the program.
 *
 * Once a program filters its system calls (seccomp) the recorder makes none: full lanes are handed over to the collector.
 */
#include "record/manual.h"

#include "base/sys.h"
#include "record/libc/direct.h"

#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

EXPORTED int wrap_prctl(int option, ...) __asm__("prctl");
long syscall_recorded(long number, long a, long b, long c, long d, long e, long f);
long syscall_failed(long result);

/* Called before the filter is installed, so that the recorder's system calls never meet it. A counter, because threads may set
 * filters at the same time, and the filters of a vfork child end with it. */
static bool filter_expected(void)
{
	if (!recorder.control)
		return false;
	/* A forked child that has not recorded yet has no lanes. */
	if (!recorder.quiet && recorder.pulse && recorder.pulse->alive)
		lanes_ready();
	recorder.control->quiet = 1;
	if (__atomic_fetch_add(&recorder.quiet, 1, __ATOMIC_SEQ_CST) == 0)
		/* The last system call: from now on the collector is not woken, and must check by itself. */
		sys6(SYS_futex, sys_address(&recorder.control->lanes_full), FUTEX_WAKE, 1, 0, 0, 0);
	if (thread_self.vfork_pid)
		thread_self.vfork_filters++;
	return true;
}

/* No filter was installed: programs test in this way what the kernel supports. */
static void filter_refused(bool expected)
{
	if (!expected)
		return;
	__atomic_fetch_sub(&recorder.quiet, 1, __ATOMIC_SEQ_CST);
	if (thread_self.vfork_pid)
		thread_self.vfork_filters--;
}

/* Other operations of seccomp() install nothing. */
static bool sets_filter(long number, long first)
{
	return (number == SYS_seccomp && ((unsigned)first == SECCOMP_SET_MODE_STRICT ||
					  (unsigned)first == SECCOMP_SET_MODE_FILTER)) ||
	       (number == SYS_prctl && (int)first == PR_SET_SECCOMP);
}

/* Whether the clock is forbidden after this call. */
static bool forbids_clock(long option, unsigned long mode)
{
	return (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT) ||
	       (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV);
}

/* The thread's record of this call stays open. */
static void clock_expected_to_end(struct thread *self)
{
	loss_count(LOSS_CLOCKLESS, 1);
	recorder.clockless = true;
	thread_off(self, true);
}

static void clock_goes_on(struct thread *self)
{
	recorder.clockless = false;
	thread_off(self, false);
}

int wrap_prctl(int option, ...)
{
	unsigned long words[4];
	va_list list;
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(list, unsigned long);
	va_end(list);
	struct thread *self = checked_enter();
	struct call call;
	bool clockless = forbids_clock(option, words[0]);
	bool expected = option == PR_SET_SECCOMP && filter_expected();
	if (!self) {
		int result = real.prctl(option, words[0], words[1], words[2], words[3]);
		if (result < 0)
			filter_refused(expected);
		return result;
	}
	uint64_t word = (uint64_t)option;
	_Static_assert(WORDS_prctl == 1, "prctl has one word");
	manual_begin(self, &call, CALL_prctl, &word, WORDS_prctl);
	if (clockless)
		clock_expected_to_end(self);
	int result = real.prctl(option, words[0], words[1], words[2], words[3]);
	if (result < 0)
		filter_refused(expected);
	if (clockless && result == 0)
		return result;
	if (clockless)
		clock_goes_on(self);
	manual_end(self, &call, result, result < 0, errno);
	return result;
}

/* Whether a library makes this system call to do the open call, which is recorded already. */
static bool is_its_own(const struct thread *self, long number)
{
	uint16_t id = direct_id(number);
	return id && self->open_count &&
	       (uint16_t)(*self->open[self->open_count - 1].slot >> 16) == id;
}

/* Reads flags and mode of openat2(), if they are readable. False: the folder is the root of the path, so this is not like a call of
 * openat(). */
static bool open_how_look(struct thread *self, long how, long size, long *flags, long *mode)
{
	struct open_how given = {0};
	if (size >= (long)sizeof given &&
	    memory_readable(self, (const void *)(uintptr_t)how, sizeof given))
		memcpy(&given, (const void *)(uintptr_t)how, sizeof given);
	*flags = (int)given.flags;
	*mode = (long)given.mode;
	return !(given.resolve & RESOLVE_IN_ROOT);
}

/* Called by syscall.S with the arguments of `syscall`, except for calls that return twice or on another stack. A system call that
 * has a wrapper of the same name makes an inner record. */
long syscall_recorded(long number, long a, long b, long c, long d, long e, const long f)
{
	/* Copies, because the sixth argument is in the caller's stack, even if it was not passed: nothing may be stored there. */
	long flags = e, mode = f;
	struct thread *self = checked_enter();
	struct call call;
	bool clockless = (number == SYS_prctl && forbids_clock((int)a, (unsigned long)b)) ||
			 (number == SYS_seccomp && (unsigned)a == SECCOMP_SET_MODE_STRICT);
	bool expected = sets_filter(number, a) && filter_expected();
	if (self && is_its_own(self, number)) {
		busy_release(self);
		self = NULL;
	}
	/* openat2() has four arguments; flags and mode are passed as the fifth and sixth. */
	bool direct = !self || number != SYS_openat2 || open_how_look(self, c, d, &flags, &mode);
	uint64_t word = (uint64_t)number;
	_Static_assert(WORDS_syscall == 1, "syscall has one word");
	if (self)
		manual_begin(self, &call, CALL_syscall, &word, WORDS_syscall);
	if (self && clockless)
		clock_expected_to_end(self);
	if (number == SYS_exit_group)
		exit_expected((int)a);
	if (number == SYS_fork || number == SYS_clone || number == SYS_clone3)
		lanes_inherit();
	long result = is_exec(number)  ? direct_exec(number, a, b, c, d, e)
		      : self && direct ? direct_call(number, a, b, c, d, flags, mode)
				       : real.syscall(number, a, b, c, d, e, f);
	if (number == SYS_fork && result == 0)
		recorder_forked();
	/* A positive result: the thread to which the filter could not be applied. */
	if (result < 0 || (number == SYS_seccomp && result > 0 &&
			   !((unsigned long)b & SECCOMP_FILTER_FLAG_NEW_LISTENER)))
		filter_refused(expected);
	if (!self || (clockless && result == 0))
		return result;
	if (clockless)
		clock_goes_on(self);
	manual_end(self, &call, result, result < 0, errno);
	return result;
}

long syscall_failed(long result)
{
	errno = (int)-result;
	return -1;
}
