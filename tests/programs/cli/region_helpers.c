/* flags: -O0 -finstrument-functions
 * For tests/cli/test_regions.py. Begins and ends a region in helper functions, which return while the region is still open or when
 * it has ended. */
#include "../../../include/varve/region.h"

#include <stdio.h>

static void start(const char *name)
{
	varve_region_begin(name);
}

static void stop(const char *name)
{
	varve_region_end(name);
}

static void work(void)
{
	puts("work");
}

int main(void)
{
	start("a");
	work();
	stop("a");
	work();
	return 0;
}
