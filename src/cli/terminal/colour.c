/* Command line: colour in text output. See colour.h. */
#include "cli/terminal/colour.h"

#include "cli/terminal/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool colour_choose(const char *when)
{
	const char *never = getenv("NO_COLOR");
	if (when && strcmp(when, "auto") != 0)
		return !strcmp(when, "always");
	return terminal_is_able(STDOUT_FILENO) && !(never && *never);
}

void put_ink_bytes(enum ink ink)
{
	static const char *const codes[] = {
		[INK_NONE] = "\033[m",	 [INK_HEADING] = "\033[1m", [INK_FUNCTION] = "\033[36m",
		[INK_PATH] = "\033[32m", [INK_BAD] = "\033[31m",
	};
	static enum ink current;
	if (ink != current)
		put_text(codes[ink]);
	current = ink;
}

void put_heading(const char *line)
{
	size_t length = strcspn(line, "\n");
	put_ink(INK_HEADING);
	put_bytes(line, length);
	put_ink(INK_NONE);
	put_char('\n');
}
