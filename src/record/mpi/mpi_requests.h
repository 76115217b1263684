/* Record: the table of MPI's requests in flight. See mpi_completions.c for their completions.
 *
 * Some libraries use one value for many requests at a time (those that were complete from the start). Such requests are
 * distinguished by the place where the program keeps the handle, and otherwise taken in order of creation. So a request is found by
 * value and place, or in the list of all with its value, oldest first. Both are fast among thousands of requests.
 */
#ifndef RECORD_MPI_MPI_REQUESTS_H
#define RECORD_MPI_MPI_REQUESTS_H

#include "record/recorder.h"

struct mpi_request {
	uint64_t value;
	uint64_t place; /* where the library has stored the handle */
	uint64_t bytes;
	uint64_t file;	 /* value of the file's handle; 0: not a request on a file */
	uint32_t number; /* in order of creation */
	uint32_t library;
	uint32_t next;	/* next one with the same hash of value and place; next free one */
	uint32_t older; /* neighbours among those with the same hash of value */
	uint32_t newer;
	int32_t peer;
	int32_t tag;
	uint32_t taken; /* ticket of the call that has taken it */
	uint8_t how;
	uint8_t direction; /* enum direction, of a request on a file */
	bool active;
	/* the program has cancelled it; otherwise that field of a status is undefined */
	bool cancel;
};

/* What identifies a request. */
struct mpi_request_key {
	uint64_t value;
	uint64_t place;
	uint32_t library;
};

/* Requests have a place in the table, from 1; 0: none. */
struct mpi_request *mpi_request_by(uint32_t at);

/* Adds a request and gives it a number. If there is one with the same value and place, its end was not recorded; it is removed. */
void mpi_request_add(const struct mpi_request *made);
/* The request with this value and place; otherwise the oldest with this value. */
uint32_t mpi_request_find(const struct mpi_request_key *key);
void mpi_request_forget(uint32_t at);

/* For calls on many requests: locks the table until mpi_requests_end(). False: there is no table. */
bool mpi_requests_begin(void);
void mpi_requests_end(void);
/* Within one ticket, each request is taken once. mpi_request_take(): the one with this value and place, or 0.
 * mpi_request_take_oldest(): the oldest that is left of this value, from `*from` on, which is 0 at first. */
uint32_t mpi_request_take(const struct mpi_request_key *key, uint32_t ticket);
uint32_t mpi_request_take_oldest(const struct mpi_request_key *key, uint32_t ticket,
				 uint32_t *from);

#endif
