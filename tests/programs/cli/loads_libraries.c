/* For tests/cli/test_unseen.py. Usage: loads_libraries PATH...
 *
 * Loads libraries that it never calls. */
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

int main(int count, char **words)
{
	close(open("/dev/null", O_RDONLY));
	for (int i = 1; i < count; i++)
		if (!dlopen(words[i], RTLD_NOW))
			return 1;
	return 0;
}
