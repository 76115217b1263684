/* For tests/cli/test_objects.py: a library that loads libinner.so, which the C library finds only by the path that is stored in
 * this library. Returns what inner() returns. The program is cli/loads_plugin.c. */
#include <dlfcn.h>
#include <stdio.h>

int plugin(void);

int plugin(void)
{
	void *library = dlopen("libinner.so", RTLD_NOW);
	int (*inner)(void) = library ? (int (*)(void))dlsym(library, "inner") : NULL;
	if (!library)
		puts(dlerror());
	return inner ? inner() : 1;
}
