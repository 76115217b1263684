/* Run by fuzz/make_corpus, for raw parts of a packed trace: offsets and trip counts without a rule; for loops that are long enough
 * for a reader to skip parts of them; and for numbered files. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	unsigned chance = 1;
	int null = open("/dev/null", O_RDWR);
	for (int i = 0; i < 150; i++) {
		chance = chance * 1103515245 + 12345;
		(void)!pwrite(null, "", 1, chance >> 8);
		for (unsigned k = 0; k < (chance >> 16) % 7; k++)
			lseek(null, 0, SEEK_CUR);
	}
	for (int i = 0; i < 1100; i++) {
		lseek(null, i * 64, SEEK_SET);
		(void)!write(null, "", 1);
	}
	for (int i = 0; i < 20; i++) {
		char name[32];
		snprintf(name, sizeof name, "step.%03d/rank.%d", i, i % 5);
		close(open(name, O_RDONLY));
	}
	return 0;
}
