/* Command line: `varve version`. */
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <varve/varve.h>

int cmd_version(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	if (format == FORMAT_JSON)
		put_format("{\"version\":\"%s\",\"trace_format\":%d}\n", varve_version(),
			   varve_format_version());
	else if (format == FORMAT_CSV)
		put_format("version,trace_format\n%s,%d\n", varve_version(),
			   varve_format_version());
	else
		put_format("varve %s (trace format %d)\n", varve_version(), varve_format_version());
	return EXIT_YES;
}
