/* Compiled by faults/lookups into a preload library, another tool: its write() passes each call on to the next one, which it
 * looks up in HANDLE when it is first used. At the end it prints how many calls it has passed on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int passed;

ssize_t write(int fd, const void *bytes, size_t size)
{
	static ssize_t (*next)(int, const void *, size_t);
	if (!next)
		next = (ssize_t(*)(int, const void *, size_t))dlsym(HANDLE, "write");
	passed++;
	return next(fd, bytes, size);
}

__attribute__((destructor)) static void end(void)
{
	dprintf(2, "passed on %d\n", passed);
}
