/* Record: asynchronous requests by number, in order of submission, so that what completes one can name it, and its file.
 *
 * A table of fixed size without locks, shared by the C library's requests, libaio's and io_uring's. What does not fit is
 * forgotten: its completion has the number 0 and no file.
 *
 * Requests of io_uring may be in flight with one key, and complete in any order: what they have in common is kept.
 */
#ifndef RECORD_NAMES_REQUESTS_H
#define RECORD_NAMES_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* Values of the kind `direction`. */
enum direction { DIRECTION_NONE, DIRECTION_READ, DIRECTION_WRITE };

struct request {
	uint32_t number;    /* 0: not known */
	uint32_t direction; /* enum direction */
	int32_t fd;
	uint32_t handle; /* of the descriptor when the request was made; 0: not known */
	/* Of io_uring. */
	uint32_t ring;	       /* the number of its ring */
	bool above_zero;       /* it may have a result above 0 */
	bool moves;	       /* that result may count bytes of a file */
	bool makes_descriptor; /* that result may be a new descriptor */
};

/* Addresses of requests are keys as they are, and even; no other key is. 0 is none. */
static inline uint64_t request_key(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

/* Gives it a number, which is returned. */
uint32_t request_new(uint64_t key, const struct request *made);
struct request request_find(uint64_t key);
/* The same, and forgets it. */
struct request request_take(uint64_t key);

/* A request of io_uring, of which several may be in flight with one key. */
uint32_t request_add(uint64_t key, const struct request *made);
/* Whether one with this key is in flight, as far as is known. */
bool request_is_open(uint64_t key);
/* What is known of one of them that has this result: no file where they have several; `is_last`: it completes no more. */
struct request request_done(uint64_t key, int32_t result, bool is_last);
/* All those of a ring that is gone. */
void requests_forget(uint32_t ring);

#endif
