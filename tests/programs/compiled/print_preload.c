/* Compiled by faults/processes with a loader of another name: prints the variables of its environment that Varve sets. Status 5.
 */
#include <stdio.h>
#include <string.h>

int main(int count, char **words, char **environment)
{
	(void)count;
	(void)words;
	for (; *environment; environment++)
		if (strstr(*environment, "LD_PRELOAD=") || strstr(*environment, "VARVE_RUN"))
			puts(*environment);
	return 5;
}
