/* For tests/cli/test_unseen.py. One mapping of 5,000 bytes of a file, an anonymous one, and one that fails. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	close(open("/dev/null", O_RDONLY));
	int fd = open("/proc/self/exe", O_RDONLY);
	if (mmap(0, 5000, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(0, 4096, PROT_READ, MAP_PRIVATE, -1, 0);
	return 0;
}
