/* For tests/cli/test_pack.py. One process that makes 5,000 anonymous mappings and asks for 5,000 paths that do not exist. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	char path[32];
	for (int i = 0; i < 5000; i++) {
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
		snprintf(path, sizeof path, "none/%d", i);
		access(path, F_OK);
	}
	return 0;
}
