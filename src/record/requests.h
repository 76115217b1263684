/* Record: asynchronous requests by number, in order of submission, so that what completes one can name it, and its file.
 *
 * A table of fixed size without locks, shared by the C library's requests, libaio's and io_uring's. What does not fit is
 * forgotten: its completion has the number 0 and no file.
 */
#ifndef RECORD_REQUESTS_H
#define RECORD_REQUESTS_H

#include <stdint.h>

/* Values of the kind `direction`. */
enum direction { DIRECTION_NONE, DIRECTION_READ, DIRECTION_WRITE };

struct request {
	uint32_t number; /* 0: not known */
	uint32_t opcode;
	uint32_t direction; /* enum direction */
	int32_t fd;
	uint32_t handle; /* of the descriptor when the request was made; 0: not known */
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

#endif
