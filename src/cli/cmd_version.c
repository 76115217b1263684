/* Command line: `varve version`. */
#include "cli/output.h"
#include "cli/verbs.h"
#include "codec/block.h"

int cmd_version(const struct arguments *arguments)
{
	(void)arguments;
	put_format("varve %s (trace format %d)\n", VARVE_VERSION, BLOCK_VERSION);
	return EXIT_YES;
}
