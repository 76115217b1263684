/* Record: causes are dropped. Replaces src/base/host/causes.c: in a traced program nothing reads causes, and formatting them takes
 * locks and memory of the C library. Codec and sink return a status; the recorder counts it.
 *
 * zstd works in memory that it is given. Its own allocation functions are replaced here (cmake/record.cmake: --wrap), so that the
 * library imports no allocator.
 */
#include "base/status.h"

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *memory);

void cause_add(struct varve_causes *causes, const char *format, ...)
{
	(void)causes;
	(void)format;
}

void *__wrap_malloc(size_t size)
{
	(void)size;
	return NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	(void)count;
	(void)size;
	return NULL;
}

void __wrap_free(void *memory)
{
	(void)memory;
}
