/* Compiled and run in one recorded shell by pack/programs: writes 20,000 lines into `out`, each hundredth longer than the others.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	FILE *file = fopen("out", "w");
	for (int i = 0; i < 20000; i++)
		fprintf(file, "%d %s\n", i, i % 100 ? "a" : "bbbb");
	return fclose(file);
}
