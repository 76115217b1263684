/* Analyze: the codecs that store a trace, and the size of its records in codec peephole. */
#ifndef ANALYZE_CODECS_H
#define ANALYZE_CODECS_H

#include "trace/trace.h"

#include <varve/codecs.h>

/* See varve_codecs_make(). */
enum varve_status codecs_count(struct varve_trace *trace, unsigned window, bool all,
			       struct varve_codecs *codecs, struct varve_causes *causes) MUST_CHECK;

#endif
