/* For tests/cli/test_doctor.py, which compiles it with several options, sanitizers and loaders. Prints one line.
 *
 * -DASAN_OPTIONS=TEXT: the program has options of its own for AddressSanitizer. */
#include <stdio.h>

#ifdef ASAN_OPTIONS
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return ASAN_OPTIONS;
}
#endif

int main(void)
{
	puts("hello");
	return 0;
}
