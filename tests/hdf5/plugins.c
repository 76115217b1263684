/* Loads libraries that use HDF5 with local scope, as arguments say: LIBRARY writes a file with it, and it stays; -LIBRARY
 * the same, and it is closed again. Two of them at once have two builds of HDF5 in one process, whose identifiers have
 * the same numbers.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
	for (int i = 1; i < count; i++) {
		int closes = arguments[i][0] == '-';
		char name[32];
		void *library = dlopen(arguments[i] + closes, RTLD_NOW | RTLD_LOCAL);
		int (*plugin_write)(const char *, int) =
			library ? (int (*)(const char *, int))dlsym(library, "plugin_write") : NULL;
		if (!plugin_write) {
			puts(dlerror());
			return 1;
		}
		snprintf(name, sizeof name, "file%d.h5", i);
		printf("%s %d\n", name, plugin_write(name, i));
		if (closes)
			printf("closed %d\n", dlclose(library));
	}
	return 0;
}
