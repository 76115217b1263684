/* Compiled by faults/processes, and a source for gcc and make in witness/development: a program that makes no call. Its status is
 * STATUS; with an argument it never ends.
 */
#ifndef STATUS
#define STATUS 0
#endif

int main(int count, char **words)
{
	(void)words;
	if (count > 1)
		for (;;)
			;
	return STATUS;
}
