/* Record: what the MPI library does for itself in the program's process: records with the mark runtime.
 *
 * Marked are all calls inside those that set up or end MPI, and all calls of threads that the library started. Inside other calls
 * of MPI: calls of MPI, calls on sockets, pipes and events, and on files of the library's session. A thread's `runtime` has the
 * present state; outside of MPI it is 0 and costs nothing.
 */
#ifndef RECORD_MPI_RUNTIME_H
#define RECORD_MPI_RUNTIME_H

#include "record/recorder.h"

enum {
	RUNTIME_INSIDE = 1, /* a call of MPI is open */
	RUNTIME_ALL = 2,    /* all calls are the library's */
	RUNTIME_PATH = 4,   /* the name that was made last belongs to the library's files */
};

/* The mark of a record that is about to begin; called when `runtime` of the thread is not 0. */
unsigned runtime_mark(struct thread *self, uint16_t id, const uint64_t *words);

/* A call of MPI begins, which is the last of the open ones; `whole`: all calls inside it are the library's. */
void runtime_enter(struct thread *self, bool whole);
/* The same for a call that leaves no record: its frame shows that it is open. */
void runtime_enter_hidden(struct thread *self, uintptr_t frame, bool whole);
/* The call that began this state has ended, or was left by longjmp. */
static inline void runtime_leave(struct thread *self)
{
	self->runtime_frame = 0;
	self->runtime &= (uint8_t) ~(RUNTIME_INSIDE | RUNTIME_ALL | RUNTIME_PATH);
	self->runtime |= self->runtime_thread ? RUNTIME_ALL : 0;
	self->runtime_from = 0;
}

/* Checks a name that is part of the next record. */
void runtime_name(struct thread *self, const char *path, size_t length);

/* Whether the row is one of MPI. */
static inline bool runtime_mpi(uint16_t id)
{
	return id >= 0x1000 && id < 0x1400;
}

#endif
