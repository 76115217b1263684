/* Record: living in programs that are built with AddressSanitizer. Owns the one name that we export for its runtime.
 *
 * Its shared runtime (gcc's libasan) refuses to start when another library stands before it, as a preloaded one does,
 * unless an option forbids the look. It asks this function for its options, before those of ASAN_OPTIONS. A program that has
 * such a function itself comes before us, and `varve record` sets the option in the environment.
 */
#include "record/manual.h"

EXPORTED const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
