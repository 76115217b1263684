/* For tests/cli/test_unseen.py. Reads inlined.dat with fscanf(), which reports no bytes; the file has no number. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	close(open("/dev/null", O_RDONLY));
	int a;
	FILE *file = fopen("inlined.dat", "r");
	return fscanf(file, "%d", &a) != 0;
}
