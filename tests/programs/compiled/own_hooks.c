/* For tests/cli/test_regions.py: a library with hooks of its own for -finstrument-functions, which print + and -. hooked.c is
 * linked with it. */
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

PLAIN void __cyg_profile_func_enter(void *function, void *site);
PLAIN void __cyg_profile_func_exit(void *function, void *site);

PLAIN void __cyg_profile_func_enter(void *function, void *site)
{
	if (function && site && write(1, "+", 1) != 1)
		_exit(1);
}

PLAIN void __cyg_profile_func_exit(void *function, void *site)
{
	if (function && site && write(1, "-", 1) != 1)
		_exit(1);
}
