/* Command line: `varve version`. */
#include "cli/output.h"
#include "cli/verbs.h"

#include <varve/varve.h>

int cmd_version(const struct arguments *arguments)
{
	(void)arguments;
	put_format("varve %s (trace format %d)\n", varve_version(), varve_format_version());
	return EXIT_YES;
}
