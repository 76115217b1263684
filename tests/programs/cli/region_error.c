/* flags: -O2
 * For tests/cli/test_regions.py. Begins a region, which looks for the recorder, then prints the message of dlerror(). There must be
 * none. */
#include "../../../include/varve/region.h"

#include <stdio.h>

int main(void)
{
	varve_region_begin("a");
	const char *text = dlerror();
	puts(text ? text : "none");
	return 0;
}
