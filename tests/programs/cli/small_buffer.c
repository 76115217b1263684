/* For tests/cli/test_read.py. 60,000 times fwrite() to a stream with a buffer of 64 bytes: many blocks, and calls inside calls. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	FILE *f = fopen("out", "w");
	setvbuf(f, NULL, _IOFBF, 64);
	for (int i = 0; i < 60000; i++)
		fwrite("12345678", 8, 1, f);
	fclose(f);
	return 0;
}
