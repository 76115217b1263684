/* flags: -O0 -finstrument-functions
 * For tests/cli/test_regions.py. A function that calls itself 99 times and prints a line at the deepest point and in each call. */
#include <stdio.h>

static int deeper(int levels)
{
	int more = levels ? deeper(levels - 1) : puts("bottom");
	puts("up");
	return more;
}

int main(void)
{
	return deeper(99) < 0;
}
