/* Built by hdf5/beside as a preload library, another tool: passes each call of H5Dwrite on by RTLD_NEXT, and prints at the end how
 * many there were (one digit).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

typedef int writes(int64_t, int64_t, int64_t, int64_t, int64_t, const void *);

writes H5Dwrite;

static int seen;

int H5Dwrite(int64_t set, int64_t type, int64_t memory, int64_t file, int64_t list,
	     const void *data)
{
	writes *next = (writes *)dlsym(RTLD_NEXT, "H5Dwrite");
	seen++;
	return next(set, type, memory, file, list, data);
}

__attribute__((destructor)) static void end(void)
{
	char digit = (char)('0' + seen);
	(void)!write(1, &digit, 1);
}
