/* Compiled by real/builds with AddressSanitizer: writes and reads a file with a block of 64 bytes. With the argument `overflow` it
 * then writes behind the block, which the sanitizer reports.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
	char *block = malloc(64);
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < 50; i++)
		if (pwrite(fd, block, 64, i * 64L) != 64)
			return 2;
	printf("%zd\n", pread(fd, block, 64, 128));
	close(fd);
	if (count > 1 && !strcmp(words[1], "overflow"))
		block[64 + count] = 1;
	free(block);
	return 0;
}
