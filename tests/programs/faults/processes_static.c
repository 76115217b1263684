/* flags: -static
 * A static program: the preload has no effect in it. Makes a file and ends with status 6. */
#include <fcntl.h>
#include <stdio.h>

int main(void)
{
	int fd = open("static", O_WRONLY | O_CREAT, 0600);
	puts(fd >= 0 ? "static" : "failed");
	return 6;
}
