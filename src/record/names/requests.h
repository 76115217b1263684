/* Record: numbers of asynchronous requests, in order of submission, so that the record of a completion has the number and the file
 * of its request.
 *
 * A table of fixed size without locks, shared by the requests of the C library, libaio and io_uring. A request for which there is
 * no room is forgotten: its completion has the number 0 and no file. Several requests of io_uring may be in flight with the same
 * key, and complete in any order: the table keeps what they have in common.
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
	/* Only io_uring: */
	uint32_t ring;	       /* the number of its ring */
	bool above_zero;       /* the result may be above 0 */
	bool moves;	       /* a result above 0 may count bytes of a file */
	bool makes_descriptor; /* a result above 0 may be a new descriptor */
};

/* Keys of requests with an address: the address, which is even; other keys are odd. 0: no request. */
static inline uint64_t request_key(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

/* Gives the request a number and returns it. */
uint32_t request_new(uint64_t key, const struct request *made);
struct request request_find(uint64_t key);
/* As request_find(), and forgets the request. */
struct request request_take(uint64_t key);

/* A request of io_uring; several may be in flight with the same key. */
uint32_t request_add(uint64_t key, const struct request *made);
/* Whether a request with this key is known to be in flight. */
bool request_is_open(uint64_t key);
/* What is known of the request with this key and result; no file if several in flight have different files. `is_last`: it has no
 * more completions. */
struct request request_done(uint64_t key, int32_t result, bool is_last);
/* Forgets the requests of a ring that is gone. */
void requests_forget(uint32_t ring);

#endif
