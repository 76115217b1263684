/* For tests/cli/test_objects.py. Loads a library into a new namespace with dlmopen(). */
#define _GNU_SOURCE
#include <dlfcn.h>

int main(void)
{
	return !dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
}
