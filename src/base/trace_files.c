/* Base: the names of the files of a trace. See trace_files.h. */
#include "base/trace_files.h"

#include "base/process.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	bool numbered; /* also the first one */
} files[] = {
	[TRACE_FILE_DATA] = {"data", true},	[TRACE_FILE_INDEX] = {"index", false},
	[TRACE_FILE_LANES] = {"lanes", false},	[TRACE_FILE_RANKS] = {"ranks", false},
	[TRACE_FILE_PACKED] = {"packed", true},
};

char *trace_file_name(char *at, const char *end, enum trace_file file, uint32_t number)
{
	at = text_add(at, end, files[file].name);
	if (!number && !files[file].numbered)
		return at;
	return text_add_number(text_add(at, end, "."), end, number);
}

bool trace_file_is(const char *name)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		size_t length = strlen(files[i].name);
		if (!strncmp(name, files[i].name, length) &&
		    (!files[i].numbered || name[length] == '.'))
			return true;
	}
	return false;
}
