/* For tests/cli/test_pack.py. Usage: seeks COUNT
 *
 * Seeks COUNT times to offsets without a rule, which a packed trace must store one by one. Ends with status 7. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words)
{
	unsigned long offset = 1;
	int fd = open("out", O_CREAT | O_RDWR, 0644);
	for (long i = 0; i < atol(words[count - 1]); i++) {
		offset = offset * 6364136223846793005ul + 1442695040888963407ul;
		lseek(fd, (off_t)(offset >> 12), SEEK_SET);
	}
	return 7;
}
