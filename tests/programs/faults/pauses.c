/* Writes with pauses that only the clock shows: moves the clock of the test's own interposer (clock.py). Usage: pauses NS COUNT:
 * COUNT writes, the clock jumps by NS, one more, it jumps again, COUNT more. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int argc, char **argv)
{
	long long jump = argc > 1 ? atoll(argv[1]) : 0;
	long count = argc > 2 ? atol(argv[2]) : 10;
	const char *path = getenv("CLOCK_FILE");
	int clock = path ? open(path, O_RDWR) : -1, out = open("out", O_RDWR | O_CREAT, 0600);
	volatile int64_t *offset = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, clock, 0);
	if (offset == MAP_FAILED)
		return 1;
	for (long i = 0; i < count; i++)
		if (pwrite(out, "a", 1, 0) != 1)
			return 2;
	int64_t first = now();
	*offset += jump;
	if (pwrite(out, "b", 1, 1) != 1)
		return 2;
	int64_t second = now();
	*offset += jump;
	for (long i = 0; i < count; i++)
		if (pwrite(out, "c", 1, 2) != 1)
			return 2;
	printf("%lld %lld %lld\n", (long long)first, (long long)second, (long long)now());
	return 0;
}
