/* Slice: makes a new trace of a part of one trace, or of several traces of one job.
 *
 * Between the readers of src/trace and an output. Every selected record is copied as it was recorded, with its number, times,
 * results and words; names, handles and identities keep their meaning. Losses of the source are also stored in the new trace.
 * Memory: a block, and a list of blocks. Never changes a source, and prints nothing.
 */
#ifndef SLICE_SLICE_H
#define SLICE_SLICE_H

#include "slice/anonymize.h"
#include "slice/slice_output.h"

#include <varve/cursor.h>

#include <signal.h>

struct slice_source {
	struct varve_trace *trace;
	const struct varve_query *query; /* which records; its order and columns are ignored */
	/* Set by slice_same_run(): the index of the first source that has processes in common with this one, directly or
	 * through other sources: parts by time of one trace. Its own index: there is none. */
	size_t group;
};

struct slice_request {
	struct slice_source *sources;
	size_t count;
	bool join; /* they may be different runs of one job */
	/* For the description: key=value strings, each with a zero byte at its end. */
	const char *keys;
	size_t keys_length;
	struct anonymizer *anonymizer;	   /* NULL: texts stay readable */
	const volatile sig_atomic_t *stop; /* not 0: stop */
	void (*step)(uint64_t records);	   /* gets the number of records read so far; may be NULL */
};

struct sliced {
	uint64_t records;   /* kept calls; the halves of a cut call count once */
	uint64_t processes; /* processes with kept records */
	uint64_t blocks;
	uint64_t copied;  /* of these: copied unchanged */
	uint64_t damages; /* of all sources */
};

/* Whether the sources belong together, and which of them are parts by time of one trace. VARVE_USAGE: they do not; the causes
 * give the reason. Must be called before slice_make(). */
enum varve_status slice_same_run(const struct slice_request *request,
				 struct varve_causes *causes) MUST_CHECK;

/* Writes the new trace; if nothing matches, one without records. VARVE_END: `stop` was set. */
enum varve_status slice_make(const struct slice_request *request, struct slice_output *output,
			     struct sliced *sliced, struct varve_causes *causes) MUST_CHECK;

#endif
