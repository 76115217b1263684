/* Trace: paths with `..` of a file that has another path in the trace.
 *
 * Decides which of several paths is shown for a file. Never reads the file system: uses only what the trace proves. See
 * spellings.c.
 */
#ifndef TRACE_NAMES_SPELLINGS_H
#define TRACE_NAMES_SPELLINGS_H

#include "trace/definitions.h"

/* Must be zero at first, except `trace`. */
struct spellings {
	struct varve_trace *trace;
	struct varve_files files;
	size_t *dotted; /* indices of paths with `..`, by identity */
	size_t dotted_count;
	bool made;
};

/* Replaces a path by the one that is shown for all paths of its file. The text is valid as long as `spellings`. */
enum varve_status spelling_common(struct spellings *spellings, struct varve_text *path,
				  struct varve_causes *causes) MUST_CHECK;

void spellings_clear(struct spellings *spellings);

#endif
