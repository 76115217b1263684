/* Record: hooks of calls that make descriptors for events, and the words of timeouts. See ops.h, words.h. */
#include "record/ops.h"

#include "record/names/handles.h"
#include "record/words.h"

#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#define NONE_GIVEN UINT64_MAX

uint64_t word_timespec(struct thread *self, const void *time)
{
	struct timespec copy;
	if (!time || !memory_readable(self, time, sizeof copy))
		return NONE_GIVEN;
	memcpy(&copy, time, sizeof copy);
	return (uint64_t)copy.tv_sec * 1000000000 + (uint64_t)copy.tv_nsec;
}

uint64_t word_timeval(struct thread *self, const struct timeval *time)
{
	if (!time || !memory_readable(self, time, sizeof *time))
		return NONE_GIVEN;
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

uint64_t word_itimer(struct thread *self, const struct itimerspec *timer)
{
	return timer ? word_timespec(self, &timer->it_value) : NONE_GIVEN;
}

uint64_t word_events(struct thread *self, const void *event)
{
	const struct epoll_event *asked = event;
	return event && memory_readable(self, event, sizeof *asked) ? asked->events : 0;
}

void after_open_events(struct thread *self, struct op *op)
{
	if (!op->failed)
		op->handle = handle_ask_fd(self, (int)op->result, VARVE_HANDLE_ANONYMOUS, NULL, 0);
}

/* If signalfd() gets a descriptor, it changes that one. */
void after_open_signals(struct thread *self, struct op *op)
{
	if (op->failed)
		return;
	if (op->fd < 0)
		after_open_events(self, op);
	else
		op->handle = handle_of(op->fd);
}
