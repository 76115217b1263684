/* Opens a library that uses liburing, with local scope, uses it, closes it, and does it again; looks up a function of liburing
 * before it is loaded. Arguments: the library, a file. Varve must find liburing's functions each time. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int use(const char *library, const char *path)
{
	void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!opened) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	int (*read_by_ring)(const char *) = (int (*)(const char *))dlsym(opened, "read_by_ring");
	int got = read_by_ring(path);
	dlclose(opened);
	return got;
}

int main(int count, char **words)
{
	if (count < 3)
		return 2;
	int absent = !dlsym(RTLD_DEFAULT, "io_uring_submit");
	int first = use(words[1], words[2]);
	int second = use(words[1], words[2]);
	printf("%d %d %d\n", absent, first, second);
	return 0;
}
