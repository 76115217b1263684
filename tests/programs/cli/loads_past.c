/* For tests/cli/test_unseen.py. Usage: loads_past PATH
 *
 * Loads a library whose calls do not reach the recorder: with RTLD_DEEPBIND, and into a new namespace. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

int main(int count, char **words)
{
	close(open("/dev/null", O_RDONLY));
	if (count != 2)
		return 1;
	dlopen(words[1], RTLD_NOW | RTLD_DEEPBIND);
	dlmopen(LM_ID_NEWLM, words[1], RTLD_NOW);
	return 0;
}
