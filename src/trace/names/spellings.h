/* Trace: paths with `..` that name a file which has another path in the trace.
 *
 * Owns which of several paths is shown for one file. Never looks at the file system: only what the trace proves counts. See
 * spellings.c.
 */
#ifndef TRACE_NAMES_SPELLINGS_H
#define TRACE_NAMES_SPELLINGS_H

#include "trace/definitions.h"

/* All zero but for the trace to begin with. */
struct spellings {
	struct varve_trace *trace;
	struct varve_files files;
	size_t *dotted; /* places of paths with `..`, by identity */
	size_t dotted_count;
	bool made;
};

/* Replaces a path by the one that all spellings of its file have in common. The text lives as long as `spellings`. */
enum varve_status spelling_common(struct spellings *spellings, struct varve_text *path,
				  struct varve_causes *causes) MUST_CHECK;

void spellings_clear(struct spellings *spellings);

#endif
