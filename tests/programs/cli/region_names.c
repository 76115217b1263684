/* flags: -O2
 * For tests/cli/test_regions.py. 3,000 regions with names that follow no rule: their sums take space in a packed trace. */
#include "../../../include/varve/region.h"

#include <stdio.h>

int main(void)
{
	char name[32];
	for (unsigned i = 0; i < 3000; i++) {
		snprintf(name, sizeof name, "%u times", i * 2654435761u >> 12);
		varve_region_begin(name);
		varve_region_end(name);
	}
	return 0;
}
