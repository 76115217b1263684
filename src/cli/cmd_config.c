/* Command line: `varve config`: where things are, one per line, or one alone for use in scripts. */
#include "cli/library.h"
#include "cli/output.h"
#include "cli/verbs.h"

#include <stdlib.h>
#include <unistd.h>

static const char *lane_place(void)
{
	const char *set = getenv("VARVE_LANES");
	if (set)
		return set;
	return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

int cmd_config(const struct arguments *arguments)
{
	char library[LIBRARY_PATH];
	enum library which = option(arguments, "preload-sync") ? LIBRARY_SYNC : LIBRARY_USUAL;
	bool preload = option(arguments, "preload") || option(arguments, "preload-sync");
	bool found = library_find(which, library);
	bool one = preload || option(arguments, "lanes") || option(arguments, "version");
	if (!found && (!one || preload)) {
		message("config: the preload library is not there; looked beside this program, in "
			"../lib of it and at %s",
			library);
		if (one)
			return EXIT_SYSTEM;
	}
	if (preload)
		put_format("%s\n", library);
	if (option(arguments, "lanes"))
		put_format("%s\n", lane_place());
	if (option(arguments, "version"))
		put_format("%s\n", VARVE_VERSION);
	if (!one) {
		char sync[LIBRARY_PATH];
		bool there = library_find(LIBRARY_SYNC, sync);
		put_format(
			"preload       %s\npreload-sync  %s\nlanes         %s\nversion       %s\n",
			found ? library : "(not found)", there ? sync : "(not found)", lane_place(),
			VARVE_VERSION);
	}
	return found || one ? EXIT_YES : EXIT_SYSTEM;
}
