/* Record: what the MPI library does for itself, in the program's process: records of class runtime.
 *
 * All calls inside those that set MPI up and take it down, and all of threads that the library started. Inside any other call
 * of MPI: calls of MPI, calls on sockets, pipes and events, and on the files of its session. A thread's `runtime` says which
 * holds; 0, outside of MPI, costs nothing.
 */
#ifndef RECORD_MPI_RUNTIME_H
#define RECORD_MPI_RUNTIME_H

#include "record/recorder.h"

enum {
	RUNTIME_INSIDE = 1, /* a call of MPI is open */
	RUNTIME_ALL = 2,    /* everything is the library's */
	RUNTIME_PATH = 4,   /* the name that was made last is of the library's files */
};

/* The mark of a record that is about to begin, of a thread with `runtime`. */
unsigned runtime_mark(struct thread *self, uint16_t id, const uint64_t *words);

/* A call of MPI, which stands at the top of the open ones, begins; `whole`: all that happens inside is the library's. */
void runtime_enter(struct thread *self, bool whole);
/* The same of a call that leaves no record: its frame shows that it is open. */
void runtime_enter_hidden(struct thread *self, uintptr_t frame, bool whole);
/* The call that began it has ended, or was left by longjmp. */
static inline void runtime_leave(struct thread *self)
{
	self->runtime_frame = 0;
	self->runtime &= (uint8_t) ~(RUNTIME_INSIDE | RUNTIME_ALL | RUNTIME_PATH);
	self->runtime |= self->runtime_thread ? RUNTIME_ALL : 0;
	self->runtime_from = 0;
}

/* A name that is part of the next record. */
void runtime_name(struct thread *self, const char *path, size_t length);

/* The rows of MPI, by their ids. */
static inline bool runtime_mpi(uint16_t id)
{
	return id >= 0x1000 && id < 0x1400;
}

#endif
