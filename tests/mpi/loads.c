/* A program without MPI that loads a library with MPI (plugin.c, or that of tests/hdf5), in the way of its arguments:
 *
 *	loads local PLUGIN	with local scope; runs it, closes it, and looks up functions by name that may be unloaded
 *	loads handle PLUGIN	calls MPI through pointers from dlsym with the library's handle
 *	loads namespace PLUGIN	in a namespace of its own
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int runs(void);
typedef int writes(const char *name, int number, void (*meanwhile)(void));
typedef int runs_by(void *(*find)(const char *name));

static void nothing(void)
{
}

static void *found(void *library, const char *name)
{
	void *function = library ? dlsym(library, name) : NULL;
	if (!function) {
		puts(dlerror());
		exit(1);
	}
	return function;
}

/* It was unloaded, or it is in another namespace: nothing is found. */
static void ask_for_what_has_gone(void)
{
	static const char *const names[] = {"MPI_Initialized", "PMPI_Finalized", "MPI_Initialized"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (dlsym(RTLD_DEFAULT, names[i]))
			printf("%s is found\n", names[i]);
}

static void *opened;

static void *by_handle(const char *name)
{
	return found(opened, name);
}

int main(int count, char **words)
{
	const char *how = count > 2 ? words[1] : "";
	void *library = strcmp(how, "namespace")
				? dlopen(words[2], RTLD_NOW | RTLD_LOCAL)
				: dlmopen(LM_ID_NEWLM, words[2], RTLD_NOW | RTLD_LOCAL);
	if (!strcmp(how, "handle"))
		printf("plugin %d\n", ((runs_by *)found(opened = library, "plugin_by"))(by_handle));
	else if (library && dlsym(library, "plugin_write"))
		printf("plugin_write %d\n",
		       ((writes *)found(library, "plugin_write"))("file.h5", 7, nothing));
	else
		printf("plugin %d\n",
		       ((runs *)found(library,
				      strcmp(how, "local") ? "plugin_ask" : "plugin_run"))());
	fflush(stdout);
	printf("closed %d\n", dlclose(library));
	ask_for_what_has_gone();
	return 0;
}
