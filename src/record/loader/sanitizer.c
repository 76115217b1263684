/* Record: makes the recorder work in programs that are built with AddressSanitizer. Owns the function that is exported for its
 * runtime.
 *
 * Its shared runtime (gcc's libasan) refuses to start when another library is loaded before it, as a preloaded one is, unless an
 * option turns this check off. It calls this function for its options, before it reads ASAN_OPTIONS. If the program has such a
 * function itself, that one is called, and `varve record` sets the option in the environment.
 */
#include "record/manual.h"

EXPORTED const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
