/* Record: the table of MPI's requests that are on their way. See mpi_completions.c for what becomes of them.
 *
 * Some libraries use one value for many requests at a time (what was complete from the start): these are distinguished by the
 * place where the program keeps them, and else taken in order of creation. So there are two ways to one: by value and
 * place, and the list of all of a value, oldest first. One request among thousands alike is found at once.
 */
#ifndef RECORD_MPI_MPI_REQUESTS_H
#define RECORD_MPI_MPI_REQUESTS_H

#include "record/recorder.h"

struct mpi_request {
	uint64_t value;
	uint64_t place; /* where the library has put it */
	uint64_t bytes;
	uint64_t file;	 /* value of its handle; 0: it is about none */
	uint32_t number; /* in order of creation */
	uint32_t library;
	uint32_t next;	/* of those with the same hash of value and place; of free ones */
	uint32_t older; /* of those with the same hash of value */
	uint32_t newer;
	int32_t peer;
	int32_t tag;
	uint32_t taken; /* by the call with this ticket */
	uint8_t how;
	uint8_t direction; /* enum direction: of a file */
	bool active;
	bool cancel; /* the program asked for it; else its field in a status may hold anything */
};

/* Which one is meant. */
struct mpi_request_key {
	uint64_t value;
	uint64_t place;
	uint32_t library;
};

/* Requests are named by their places in the table, from 1 on; 0: none. */
struct mpi_request *mpi_request_by(uint32_t at);

/* A new one, which gets its number. One that is still known at the same place was given up without our seeing it. */
void mpi_request_add(const struct mpi_request *made);
/* That at the same place, or the oldest of the value. */
uint32_t mpi_request_find(const struct mpi_request_key *key);
void mpi_request_forget(uint32_t at);

/* For calls on many: holds the table from begin to end. False: there is none. */
bool mpi_requests_begin(void);
void mpi_requests_end(void);
/* Each is taken once by a ticket: that at the same place, or 0; and the oldest that is left of its value, from `*from` on,
 * which is 0 at first. */
uint32_t mpi_request_take(const struct mpi_request_key *key, uint32_t ticket);
uint32_t mpi_request_take_oldest(const struct mpi_request_key *key, uint32_t ticket,
				 uint32_t *from);

#endif
