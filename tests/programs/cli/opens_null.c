/* For tests/cli/test_unseen.py. Usage: opens_null [FILE]
 *
 * Opens /dev/null, and writes to FILE with fputs(): nothing that `varve info` must report as unseen. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
	close(open("/dev/null", O_RDONLY));
	if (count > 1)
		fputs("a", fopen(words[1], "w"));
	return 0;
}
