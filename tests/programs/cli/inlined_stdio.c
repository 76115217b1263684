/* For tests/cli/test_unseen.py. Writes and reads characters as code does that was compiled with the macros of stdio: by __overflow
 * and __uflow, which report no bytes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

extern int __uflow(FILE *), __overflow(FILE *, int);

int main(void)
{
	close(open("/dev/null", O_RDONLY));
	FILE *file = fopen("inlined.dat", "w+");
	__overflow(file, 97);
	putc_unlocked(98, file);
	rewind(file);
	return __uflow(file) != 97;
}
