/* Command line: `varve version`. */
#include "cli/output.h"
#include "cli/verbs.h"
#include "codec/block.h"

int cmd_version(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	if (format == FORMAT_WRONG)
		return EXIT_USAGE;
	if (format == FORMAT_JSON)
		put_format("{\"version\":\"%s\",\"trace_format\":%d}\n", VARVE_VERSION,
			   BLOCK_VERSION);
	else if (format == FORMAT_CSV)
		put_format("version,trace_format\n%s,%d\n", VARVE_VERSION, BLOCK_VERSION);
	else
		put_format("varve %s (trace format %d)\n", VARVE_VERSION, BLOCK_VERSION);
	return EXIT_YES;
}
