/* A source for gcc in witness/bytes, which compares the bytes that the compiler reads and writes with those of strace. The
 * program is never run.
 */
#include <stdio.h>

int main(void)
{
	puts("text");
	return 0;
}
