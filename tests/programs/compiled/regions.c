/* For tests/cli/test_regions.py, which compiles it with several options: one region inside another, and one call in both. */
#include <stdio.h>
#include <varve/region.h>

int main(void)
{
	varve_region_begin("c");
	varve_region_begin_number("inner", 2);
	puts("done");
	varve_region_end("inner");
	varve_region_end("c");
	return 0;
}
