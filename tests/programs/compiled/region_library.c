/* For tests/cli/test_regions.py, which compiles it into library.so, with hooks of the compiler or without; region_loads.c loads
 * it. It has one region.
 *
 * -DNO_REGION: instead it has one function that calls another. */
#include <varve/region.h>

void library(void);

#ifdef NO_REGION
void inner(void);

void inner(void)
{
	__asm__("");
}

void library(void)
{
	inner();
}
#else
void library(void)
{
	varve_region_begin("library");
	varve_region_end("library");
}
#endif
