/* Record: functions of a program that was built with -finstrument-functions: the hooks that the compiler calls at their beginning
 * and end. They replace those of the C library, which do nothing.
 *
 * Off unless requested: then each hook is a load, a branch and a jump to the next library with such a hook. A function has a stack
 * frame, so that functions left by longjmp or an exception are dropped like calls.
 */
#include "record/loader/images.h"
#include "record/loader/regions.h"
#include "record/loader/symbols.h"
#include "record/manual.h"

typedef void hook(void *function, void *site);

EXPORTED hook wrap_enter_function __asm__("__cyg_profile_func_enter");
EXPORTED hook wrap_exit_function __asm__("__cyg_profile_func_exit");

static void hook_nobody(void *function, void *site)
{
	(void)function, (void)site;
}

static hook *next_enter = hook_nobody, *next_exit = hook_nobody;

void functions_resolve(void)
{
	static const char enter[] = "__cyg_profile_func_enter", leave[] = "__cyg_profile_func_exit";
	hook *found = (hook *)symbol_next(enter, symbol_hash(enter), false);
	if (found)
		next_enter = found;
	found = (hook *)symbol_next(leave, symbol_hash(leave), false);
	if (found)
		next_exit = found;
}

/* Higher than the frame of any wrapper that the function calls, because the compiler calls this hook from the same frame. Lower
 * than the frame of any wrapper that its caller calls. Odd, so that it differs from frames of wrappers. */
static uintptr_t function_frame(uintptr_t own)
{
	return (own + 8) | 1;
}

static void function_begin(struct thread *self, const void *function, const void *site,
			   uintptr_t frame)
{
	bool off = UNLIKELY(call_switch[CALL_function]) &&
		   call_switched(CALL_function, true, NULL, 0) != SWITCHED_RECORD;
	if (off || self->open_count >= REGIONS_MOST) {
		if (!off)
			loss_count(LOSS_DEEP, 1);
		open_hide(self, OPEN_FUNCTION);
		busy_release(self);
		return;
	}
	uint64_t at = image_word(self, function), from = image_word(self, site);
	uint64_t *slot = wrap_reserve(self, WORD_ARGUMENTS + WORDS_function);
	struct call call;
	_Static_assert(WORDS_function == 2, "function has two words");
	slot[WORD_ARGUMENTS] = at;
	slot[WORD_ARGUMENTS + 1] = from;
	wrap_begin(self, &call, slot, CALL_function, WORD_ARGUMENTS + WORDS_function);
	if (call.index < REGIONS_MOST)
		open_begun(self, call.index, (uint64_t)(uintptr_t)function, function_frame(frame));
}

/* Reached by a jump: its frame is where the frame of the hook would be. */
static __attribute__((noinline)) void function_entered(void *function, void *site)
{
	struct thread *self = checked_enter();
	if (self)
		function_begin(self, function, site, (uintptr_t)__builtin_frame_address(0));
	if (next_enter != hook_nobody)
		next_enter(function, site);
}

/* The compiler may jump here after the function's own frame is gone: frames cannot be compared now, so no open calls are
 * dropped. */
static __attribute__((noinline)) void function_left(void *function, void *site)
{
	struct thread *self = &thread_self;
	const struct call call = {.frame = (uintptr_t)__builtin_frame_address(0)};
	if (next_exit != hook_nobody)
		next_exit(function, site);
	if (self->ready != self->pulse->alive || shared_caller(self) || !wrap_reveal(self, &call))
		return;
	uint64_t now = clock_count(self->pulse->tsc);
	uint32_t place =
		open_revealed(self, OPEN_FUNCTION)
			? 0
			: open_find(self, OPEN_FUNCTION, true, (uint64_t)(uintptr_t)function);
	if (place) {
		open_complete(self, place - 1, now, 0);
		open_ended(self, place - 1);
	}
	busy_release(self);
}

void wrap_enter_function(void *function, void *site)
{
	if (LIKELY(call_switch[CALL_function] & SWITCH_OFF_OR_DEAD))
		next_enter(function, site);
	else
		function_entered(function, site);
}

void wrap_exit_function(void *function, void *site)
{
	if (LIKELY(call_switch[CALL_function] & SWITCH_OFF_OR_DEAD))
		next_exit(function, site);
	else
		function_left(function, site);
}
