/* For tests/cli/test_pack.py. Usage: writes COUNT
 *
 * Writes COUNT times 8 bytes, each behind the one before: one loop with regular offsets. Ends with status 7. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words)
{
	int fd = open("out", O_CREAT | O_RDWR, 0644);
	for (long i = 0; i < atol(words[1]); i++)
		if (pwrite(fd, "12345678", 8, i * 8) != 8)
			return count;
	return 7;
}
