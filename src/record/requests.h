/* Record: asynchronous requests by number, in order of submission, so that what completes one can name it.
 *
 * A table of fixed size without locks, shared by the C library's requests, libaio's and io_uring's. What does not fit is
 * forgotten: its completion has the number 0.
 */
#ifndef RECORD_REQUESTS_H
#define RECORD_REQUESTS_H

#include <stdint.h>

/* Addresses of requests are keys as they are, and even; no other key is. 0 is none. */
static inline uint64_t request_key(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

uint32_t request_new(uint64_t key, uint32_t opcode);
/* 0: not known. */
uint32_t request_find(uint64_t key, uint32_t *opcode);
/* The same, and forgets it. */
uint32_t request_take(uint64_t key, uint32_t *opcode);

#endif
