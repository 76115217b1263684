/* For tests/cli/test_objects.py. Usage: loads_plugin [unload [fork]]
 *
 * Loads plugins/libplugin.so (compiled/plugin.c), which loads another library, and prints the number that it returns. Then it
 * unloads the plugin, and forks a child that makes one call. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
	(void)words;
	close(open("/dev/null", O_RDONLY));
	void *library = dlopen("plugins/libplugin.so", RTLD_NOW);
	int (*plugin)(void) = library ? (int (*)(void))dlsym(library, "plugin") : NULL;
	printf("%d\n", plugin ? plugin() : -1);
	fflush(stdout);
	if (count > 1)
		dlclose(library);
	if (count > 2)
		return fork() ? 0 : close(-1) + 1;
	return 0;
}
