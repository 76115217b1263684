/* For tests/cli/test_moved.py. Prints on its standard output while descriptor 1 becomes another file twice: first by dup2() to
 * `second`, then by close() and open() of `third`. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	puts("one");
	fflush(stdout);
	int fd = open("second", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (dup2(fd, 1) != 1 || close(fd))
		return 1;
	for (int i = 0; i < 10; i++)
		puts("two");
	fflush(stdout);
	close(1);
	if (open("third", O_WRONLY | O_CREAT | O_TRUNC, 0600) != 1)
		return 1;
	return puts("three") < 0;
}
