/* Slice: a part of one trace, or of several of one job, as a new trace.
 *
 * Stands between the readers of src/trace and an output: every record that is asked for goes over as it was recorded, with its
 * number, times, results and words; names, handles and identities mean the same as before. What the source had lost is lost
 * there too, and is said. Memory: a block, and a list of blocks. Never changes a source, and prints nothing.
 */
#ifndef SLICE_SLICE_H
#define SLICE_SLICE_H

#include "slice/anonymize.h"
#include "slice/slice_output.h"

#include <varve/cursor.h>

#include <signal.h>

struct slice_source {
	struct varve_trace *trace;
	const struct varve_query *query; /* which records; its order and columns mean nothing */
	/* Filled in by slice_same_run(): the place of the first source that has processes in common with this one, directly or over
	 * others: parts by time of one trace. Its own place: there is none. */
	size_t group;
};

struct slice_request {
	struct slice_source *sources;
	size_t count;
	bool join; /* they may be of different runs, of one job */
	/* What goes into the description: key=value strings, each ended by a zero byte. */
	const char *keys;
	size_t keys_length;
	struct anonymizer *anonymizer;	   /* NULL: texts stay readable */
	const volatile sig_atomic_t *stop; /* not 0: give up */
	void (*step)(uint64_t records);	   /* is told how many were looked at; may be NULL */
};

struct sliced {
	uint64_t records;   /* calls that were kept; halves of a cut one are counted once */
	uint64_t processes; /* that have some */
	uint64_t blocks;
	uint64_t copied;  /* of these: as they were */
	uint64_t damages; /* of all sources */
};

/* Whether the sources belong together, and which of them are parts by time of one trace. VARVE_USAGE: they do not, the causes say
 * why. slice_make() needs it before. */
enum varve_status slice_same_run(const struct slice_request *request,
				 struct varve_causes *causes) MUST_CHECK;

/* Writes the new trace, one without records when nothing fits. VARVE_END: it was told to stop. */
enum varve_status slice_make(const struct slice_request *request, struct slice_output *output,
			     struct sliced *sliced, struct varve_causes *causes) MUST_CHECK;

#endif
