// For tests/cli/test_regions.py: regions in C++. Exceptions leave the inner ones.
#include <cstdio>
#include <stdexcept>
#include <varve/region.h>

static void thrower(int number)
{
	varve::region inner("inner", number);
	std::puts("inside");
	throw std::runtime_error("x");
}

int main()
{
	varve::region outer("outer");
	for (int i = 0; i < 2; i++) {
		try {
			thrower(i);
		} catch (const std::exception &) {
			std::puts("caught");
		}
	}
	return 0;
}
