/* Loads libraries that use HDF5 with local scope, by its arguments: LIBRARY writes a file with it and stays loaded; -LIBRARY does
 * the same and is closed again; +LIBRARY has the file open while the next library writes its own: two builds of HDF5 in one
 * process, with equal identifiers. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int writes(const char *name, int number, void (*meanwhile)(void));

static char **next;
static int number;

static void nothing(void)
{
}

static void one(void)
{
	const char *what = *next++;
	char how = *what, name[32];
	if (how == '-' || how == '+')
		what++;
	void *library = dlopen(what, RTLD_NOW | RTLD_LOCAL);
	writes *plugin_write = library ? (writes *)dlsym(library, "plugin_write") : NULL;
	if (!plugin_write) {
		puts(dlerror());
		exit(1);
	}
	int mine = ++number;
	snprintf(name, sizeof name, "file%d.h5", mine);
	int back = plugin_write(name, mine, how == '+' ? one : nothing);
	printf("%s %d\n", name, back);
	if (how == '-')
		printf("closed %d\n", dlclose(library));
}

int main(int count, char **arguments)
{
	(void)count;
	for (next = arguments + 1; *next;)
		one();
	return 0;
}
