/* For tests/cli/test_copied.py and test_record.py. Usage: writes_waiting COUNT done|pid
 *
 * Writes COUNT times one byte, then waits. `done`: prints `done` and waits for a line of its input. `pid`: prints its process id
 * and waits for a signal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
	if (count != 3)
		return 1;
	int fd = open("out", O_WRONLY | O_CREAT, 0600), writes = atoi(words[1]);
	for (int i = 0; i < writes; i++)
		if (pwrite(fd, "x", 1, i) != 1)
			return 1;
	if (!strcmp(words[2], "done")) {
		puts("done");
		fflush(stdout);
		return getchar() == EOF;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	pause();
	return 0;
}
