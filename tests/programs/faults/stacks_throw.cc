/* An exception thrown out of a callback of nftw, again and again; a write at depth 0 after each. Usage: stacks_throw COUNT */
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <ftw.h>
#include <stdexcept>
#include <unistd.h>

static int out;

static int throws(const char *path, const struct stat *, int, struct FTW *)
{
	if (write(out, "t", 1) != 1)
		abort();
	throw std::runtime_error(path);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 10, caught = 0;
	out = open("out", O_RDWR | O_CREAT, 0600);
	for (long i = 0; i < count; i++) {
		try {
			nftw(".", throws, 4, FTW_PHYS);
		} catch (const std::runtime_error &error) {
			caught += error.what()[0] == '.';
		}
		if (write(out, "m", 1) != 1)
			return 1;
	}
	printf("%ld caught\n", caught);
	return 0;
}
