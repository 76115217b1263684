/* Run by fuzz/make_corpus, for stored sums of regions: names without a rule, names with numbers, regions that are left through an
 * outer one, and one that never ends. */
#include "../../../include/varve/region.h"

#include <stdio.h>

int main(void)
{
	char name[32];
	unsigned chance = 1;
	for (int i = 0; i < 90; i++) {
		chance = chance * 1103515245 + 12345;
		snprintf(name, sizeof name, "part %u of %02d", chance >> 20, i % 3);
		varve_region_phase(i % 2 ? "odd" : "even", i);
		varve_region_begin("step");
		varve_region_begin(name);
		varve_region_end("step");
	}
	varve_region_begin("last");
	return 0;
}
