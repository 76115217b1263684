/* For tests/cli/test_regions.py, which compiles it with hooks of the compiler or without: loads library.so (region_library.c),
 * calls it in a region and unloads it, twice. */
#include <stdio.h>
#include <varve/region.h>

int main(void)
{
	for (int i = 0; i < 2; i++) {
		void *handle = dlopen("./library.so", RTLD_NOW | RTLD_LOCAL);
		void (*function)(void);
		*(void **)&function = handle ? dlsym(handle, "library") : 0;
		if (!function)
			return 1;
		varve_region_begin_number("main", i);
		function();
		varve_region_end("main");
		dlclose(handle);
	}
	return 0;
}
