/* Built by make and gcc in real/development, and run there: prints its name. The makefile, which is in the script, builds the
 * programs of this folder.
 */
#include "common.h"

int main(void)
{
	puts("three");
	return 0;
}
