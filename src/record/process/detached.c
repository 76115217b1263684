/* Record: decides whether the recorder's work has to be detached. See detached.h; the thread itself is in detached.S. */
#include "record/process/detached.h"

#include "record/recorder.h"

#include "base/sys.h"

#include <signal.h>
#include <stddef.h>

long detached_thread(void (*work)(void *), void *given);

/* Provided by the C library from 2.32 on. */
extern char __libc_single_threaded __attribute__((weak));

bool detached_needed(void)
{
	return !recorder.together &&
	       (recorder.files_shared || !(&__libc_single_threaded && __libc_single_threaded));
}

void detached_only(void (*work)(void *), void *given)
{
	if (recorder.together)
		work(given);
	else
		detached_thread(work, given);
}

void detached_run(void (*work)(void *), void *given)
{
	if (detached_needed() && detached_thread(work, given) >= 0)
		return;
	work(given);
}

void detached_blocking(void (*work)(void *), void *given)
{
	const uint64_t every = ~0ull;
	uint64_t old;
	sys_sigmask(SIG_SETMASK, &every, &old);
	detached_run(work, given);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}
