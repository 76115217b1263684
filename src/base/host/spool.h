/* Base: bytes that are kept in a file until their place in the output is known.
 *
 * Packing produces parts of columns and times in the order of the records; the packed file stores them in another order. A
 * spool is a file without a name, so its bytes take no memory. Used by one thread only.
 */
#ifndef BASE_HOST_SPOOL_H
#define BASE_HOST_SPOOL_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { SPOOL_BUFFER = 1 << 18 };

struct spool {
	int fd;
	const char *name; /* of the trace that it is for, in messages */
	uint64_t written; /* bytes in the file */
	size_t held;	  /* bytes in the buffer; they follow those in the file */
	uint8_t *buffer;
};

/* Opens a file without a name in a writable folder. Returns -1 on failure, with the reason in errno. */
int spool_file(const char *folder);

/* Creates the file with spool_file(). */
enum varve_status spool_open(struct spool *spool, const char *folder, const char *name,
			     struct varve_causes *causes) MUST_CHECK;
void spool_close(struct spool *spool);

/* Appends bytes; `*offset` is set to their place. */
enum varve_status spool_put(struct spool *spool, const void *bytes, size_t length, uint64_t *offset,
			    struct varve_causes *causes) MUST_CHECK;
enum varve_status spool_get(struct spool *spool, uint64_t offset, void *bytes, size_t length,
			    struct varve_causes *causes) MUST_CHECK;

#endif
