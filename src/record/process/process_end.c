/* Record: how processes and threads end, and how threads begin. Calls that do not return are records without a result. */
#include "record/manual.h"

#include "base/sys.h"
#include "record/async/rings.h"
#include "record/lane/lanes.h"
#include "record/libc/direct.h"
#include "record/loader/version.h"
#include "record/mpi/runtime.h"
#include "record/ops.h"

#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

EXPORTED _Noreturn void wrap_exit(int status) __asm__("exit");
EXPORTED _Noreturn void wrap__exit(int status) __asm__("_exit");
EXPORTED _Noreturn void wrap__Exit(int status) __asm__("_Exit");
EXPORTED _Noreturn void wrap_quick_exit(int status) __asm__("quick_exit");
EXPORTED _Noreturn void wrap_abort(void) __asm__("abort");
EXPORTED int wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				 void *(*body)(void *), void *argument) __asm__("pthread_create");
EXPORTED _Noreturn void wrap_pthread_exit(void *value) __asm__("pthread_exit");
EXPORTED int wrap_thrd_create(thrd_t *thread, thrd_start_t body,
			      void *argument) __asm__("thrd_create");
EXPORTED _Noreturn void wrap_thrd_exit(int status) __asm__("thrd_exit");

INLINE void end_recorded(uint16_t id, int status, unsigned words)
{
	struct thread *self = checked_enter();
	struct call call;
	uint64_t word = (uint64_t)status;
	if (self)
		manual_begin(self, &call, id, &word, words);
}

void wrap_exit(int status)
{
	end_recorded(CALL_exit, status, WORDS_exit);
	real.exit(status);
	__builtin_unreachable();
}

void wrap__exit(int status)
{
	exit_expected(status);
	real._exit(status);
	__builtin_unreachable();
}

void exit_expected(int status)
{
	end_recorded(CALL__exit, status, WORDS__exit);
	rings_end();
	process_leave();
}

void wrap__Exit(int status)
{
	end_recorded(CALL__Exit, status, WORDS__Exit);
	rings_end();
	process_leave();
	real._Exit(status);
	__builtin_unreachable();
}

void wrap_quick_exit(int status)
{
	end_recorded(CALL_quick_exit, status, WORDS_quick_exit);
	rings_end();
	void *function = version_for(VERSIONED_QUICK_EXIT, __builtin_return_address(0),
				     (void *)real.quick_exit);
	((void (*)(int))function)(status);
	__builtin_unreachable();
}

void wrap_abort(void)
{
	end_recorded(CALL_abort, 0, WORDS_abort);
	rings_end();
	real.abort();
	__builtin_unreachable();
}

/* Records the end of a program that returns from main(), too, which calls none of the wrappers above. */
void process_ended(int status, void *unused)
{
	(void)unused;
	struct thread *self = checked_enter();
	if (self) {
		uint64_t word = (uint64_t)status;
		_Static_assert(WORDS_varve_end == 1, "end has one word");
		own_record(self, clock_count(recorder.tsc), CALL_varve_end, &word, 1);
		busy_release(self);
	}
	rings_end();
	process_leave();
}

/* The function of a new thread, passed on without the heap. When all places are taken, the recorder does not notice the thread's
 * end. */
enum { BODIES = 256 };
struct body {
	uint32_t taken;
	uint32_t creator;
	bool runtime; /* the MPI library starts it */
	void *(*function)(void *);
	thrd_start_t function_c11;
	void *argument;
};
static struct body bodies[BODIES];

static void thread_ended(void *self)
{
	shell_left();
	lane_forget(self);
}

/* Runs first in a new thread: takes its function. */
static struct body body_begin(void *given, uintptr_t frame)
{
	struct thread *self = &thread_self;
	struct body *place = given;
	struct body body = *place;
	__atomic_store_n(&place->taken, 0, __ATOMIC_RELEASE);
	self->creator = body.creator;
	self->runtime_thread = body.runtime;
	self->runtime = body.runtime ? RUNTIME_ALL : 0;
	self->stack_top = frame;
	return body;
}

static void *thread_body(void *given)
{
	struct body body = body_begin(given, (uintptr_t)__builtin_frame_address(0));
	void *value;
	pthread_cleanup_push(thread_ended, &thread_self);
	value = body.function(body.argument);
	pthread_cleanup_pop(1);
	return value;
}

static int thread_body_c11(void *given)
{
	struct body body = body_begin(given, (uintptr_t)__builtin_frame_address(0));
	int value;
	pthread_cleanup_push(thread_ended, &thread_self);
	value = body.function_c11(body.argument);
	pthread_cleanup_pop(1);
	return value;
}

static struct body *body_take(const struct thread *self, void *(*function)(void *),
			      thrd_start_t function_c11, void *argument)
{
	for (size_t i = 0; i < BODIES; i++) {
		uint32_t untaken = 0;
		if (!__atomic_compare_exchange_n(&bodies[i].taken, &untaken, 1, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		bodies[i].creator = self->number;
		bodies[i].runtime = self->runtime != 0;
		bodies[i].function = function;
		bodies[i].function_c11 = function_c11;
		bodies[i].argument = argument;
		return &bodies[i];
	}
	return NULL;
}

int wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
			void *argument)
{
	struct thread *self = checked_enter();
	struct call call;
	if (!self)
		return real.pthread_create(thread, attributes, body, argument);
	struct body *place = body_take(self, body, NULL, argument);
	manual_begin(self, &call, CALL_pthread_create, NULL, 0);
	_Static_assert(WORDS_pthread_create == 0, "pthread_create has no words");
	int result = place ? real.pthread_create(thread, attributes, thread_body, place)
			   : real.pthread_create(thread, attributes, body, argument);
	if (result != 0 && place)
		__atomic_store_n(&place->taken, 0, __ATOMIC_RELEASE);
	manual_end(self, &call, result, result != 0, result);
	return result;
}

void wrap_pthread_exit(void *value)
{
	end_recorded(CALL_pthread_exit, 0, WORDS_pthread_exit);
	real.pthread_exit(value);
	__builtin_unreachable();
}

int wrap_thrd_create(thrd_t *thread, thrd_start_t body, void *argument)
{
	struct thread *self = checked_enter();
	struct call call;
	if (!self)
		return real.thrd_create(thread, body, argument);
	struct body *place = body_take(self, NULL, body, argument);
	manual_begin(self, &call, CALL_thrd_create, NULL, 0);
	_Static_assert(WORDS_thrd_create == 0, "thrd_create has no words");
	int result = place ? real.thrd_create(thread, thread_body_c11, place)
			   : real.thrd_create(thread, body, argument);
	if (result != thrd_success && place)
		__atomic_store_n(&place->taken, 0, __ATOMIC_RELEASE);
	manual_end(self, &call, result, result != thrd_success, 0);
	return result;
}

void wrap_thrd_exit(int status)
{
	end_recorded(CALL_thrd_exit, status, WORDS_thrd_exit);
	real.thrd_exit(status);
	__builtin_unreachable();
}
