/* Trace: what a trace holds in all, from the headers of its blocks: no record is decoded. */
#ifndef TRACE_SUMMARY_H
#define TRACE_SUMMARY_H

#include "trace/trace.h"

struct summary_row {
	uint64_t calls;
	uint64_t failures;
	uint64_t unfinished;
	uint64_t bytes;
	uint64_t ns; /* from entry to exit, what is called inside included */
};

struct summary {
	struct summary_row *functions; /* TRACE_FUNCTIONS rows, by id */
	uint64_t records;	       /* calls: continued halves are not counted again */
	uint64_t blocks;
	uint64_t block_bytes;
	int64_t first_ns; /* of all records; 0 when there are none */
	int64_t last_ns;
	uint64_t held_ns; /* the recorder held the program up */
	uint64_t paths;	  /* different absolute paths that are named; 0 unless counted */
	uint32_t resolution;
	uint32_t clock_kind;
};

/* `paths`: count the names too, for which definitions are decoded. */
enum status summary_make(struct trace *trace, bool paths, struct summary *summary,
			 struct varve_causes *causes) MUST_CHECK;
void summary_clear(struct summary *summary);

#endif
