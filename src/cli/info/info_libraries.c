/* Command line: `varve info`: the library files of MPI, HDF5 ... that the program used. varve_objects_find() finds them.
 * See info.h. */
#include "cli/info/info.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <inttypes.h>

enum { ROWS_SHOWN = 20 };

void info_libraries_text(const struct info *info)
{
	const struct varve_objects *found = &info->objects;
	for (size_t i = 0; i < found->library_count && i < ROWS_SHOWN; i++) {
		const struct varve_library *row = &found->libraries[i];
		put_padded(i ? "" : "libraries", -14);
		put_escaped(row->path.bytes, row->path.length, 0x7f);
		put_format(", used in %s, first by ", counted(row->processes, "processes").text);
		put_escaped(row->function.bytes, row->function.length, 0x7f);
		put_char('\n');
	}
	uint64_t rest = found->library_more;
	if (found->library_count > ROWS_SHOWN)
		rest += found->library_count - ROWS_SHOWN;
	if (rest)
		put_format("%14sand %" PRIu64 " more\n", "", rest);
}

void info_libraries_json(const struct info *info)
{
	const struct varve_objects *found = &info->objects;
	put_text(",\"libraries\":[");
	for (size_t i = 0; i < found->library_count; i++) {
		const struct varve_library *row = &found->libraries[i];
		put_text(i ? ",{\"path\":" : "{\"path\":");
		put_json(row->path.bytes, row->path.length);
		put_text(",\"function\":");
		put_json(row->function.bytes, row->function.length);
		put_format(",\"processes\":%" PRIu64 "}", row->processes);
	}
	put_format("],\"libraries_more\":%" PRIu64, found->library_more);
}
