/* Compiled by faults/lookups into a shared library that the program opens: it has a function of its own with the name open, and
 * one that looks up the write() behind it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

int open(int number);
void *next_write(void);

int open(int number)
{
	return number * 6;
}

void *next_write(void)
{
	return dlsym(RTLD_NEXT, "write");
}
