/* Trace: the packed form: one file, or a folder of several, read through the same blocks, streams and pages as the folder form.
 *
 * The blocks that a stream had are *chunks* here. Each has a header, made when the trace is opened, whose counters and times
 * decide whether its records are read, as for any block. Chunks contain no records: a chunk is a range of the stream's tracks
 * (packed/packed_layout.h), which are walked from the end of the last chunk, or skipped. The content is hostile input.
 */
#ifndef TRACE_PACKED_PACKED_H
#define TRACE_PACKED_PACKED_H

#include "base/host/arena.h"
#include "loop/class.h"
#include "loop/track_read.h"
#include "packed/guard.h"
#include "packed/packed_layout.h"
#include "trace/packed/packed_mend.h"
#include "trace/trace.h"

#include <varve/summary.h>

/* Where a chunk begins in the tracks of its stream; it ends where the next one begins. */
struct packed_chunk {
	uint64_t at[PACKED_TRACKS]; /* events before it; of calls, runtime, definitions, ordinals */
	uint32_t time_part;	    /* the first one, among the parts of times */
	uint32_t long_bytes;
};

/* A stream in the file. */
struct packed_place {
	uint32_t process, thread;
	int32_t pid, tid, rank;
	uint32_t node;
	uint32_t resolution, clock_kind;
	uint32_t class_of[PACKED_TRACKS];  /* 0: none */
	uint32_t member_of[PACKED_TRACKS]; /* in its class */
	size_t first_part, part_count;
	size_t first_time;   /* parts of times, among all parts */
	uint64_t begin, end; /* of its parts but those of the lists, as they are in the range */
	struct packed_chunk *chunks; /* and one more: the end */
	size_t chunk_count;
	struct packed_tracks *tracks; /* what is read of it; NULL: nothing yet */
};

/* A file in the range that all are mapped to. */
struct packed_extent {
	uint64_t base;
	uint64_t length; /* of what is there */
	size_t streams;	 /* whose parts it has; they follow those of the file before */
	bool foreign; /* it is a good file, but not the one that was written with the first one */
};

struct packed {
	const uint8_t *file; /* the file; where there are several, the range of all */
	size_t size;
	struct packed_extent extents[PACKED_FILES_MOST];
	size_t extent_count;
	uint64_t bytes; /* of all files */
	bool answered;	/* there is a section of answers */
	uint8_t run_id[16];
	struct packed_foot foot;
	struct packed_zone *zones; /* that have guards */
	size_t zone_count;
	uint64_t mended;	     /* bytes that were wrong */
	uint64_t wrong;		     /* bytes of lines that still are */
	uint8_t *sections[SECTIONS]; /* unpacked */
	size_t lengths[SECTIONS];
	struct track_class *classes[PACKED_TRACKS];
	size_t class_count[PACKED_TRACKS];
	struct packed_place *places;
	size_t place_count;
	struct values_part *parts;
	size_t part_count;
	uint64_t overruns, candidates; /* of folding */
	struct arena memory;	       /* headers of blocks, chunks, texts of damage */
	size_t budget;
	struct column_decoder decoder;
	uint64_t damages_stored;       /* damages of the trace that was packed */
	uint64_t longer;	       /* damages that are bytes behind the end of a file */
	size_t kept;		       /* memory that packed_tracks take, about */
	struct record_form **forms[2]; /* of calls and runtime, by class; NULL: not needed yet */
};

/* What is damaged: the file as a whole, or one chunk. */
static inline enum varve_status packed_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged packed trace: %s", what);
}

static inline enum varve_status chunk_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged chunk: %s", what);
}

/* packed_files.c: whether a path is a packed trace, of one file or of several. Returns an errno, or 0. */
int packed_look(const char *path, bool *is) MUST_CHECK;
/* The same without the reason. */
bool packed_is(const char *path);
/* Maps the first file. */
enum varve_status packed_map(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
/* When sections and streams are known: maps the other files, if there are any. */
enum varve_status packed_map_others(struct varve_trace *trace,
				    struct varve_causes *causes) MUST_CHECK;
/* Where a part of a file is in the range; the end of the range when it is not in its file. */
uint64_t packed_offset(const struct packed *packed, size_t file, uint64_t offset, uint32_t stored);
/* Where the data of a file begins, which is what places of parts count from. */
uint64_t packed_data_begin(const struct packed *packed, size_t file);
/* What was read of a stream need not stay in memory. */
void packed_release(const struct packed *packed, const struct packed_place *place);

/* Opens the file: nodes, streams, blocks and damages of the trace. */
enum varve_status packed_open(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
void packed_close(struct varve_trace *trace);

/* packed_foot.c: finds the foot of the first file, or rebuilds its content. */
enum varve_status packed_foot_read(struct varve_trace *trace,
				   struct varve_causes *causes) MUST_CHECK;
/* A good foot of a file of the newest version; false: there is none. */
bool packed_foot_find(const uint8_t *bytes, uint64_t length, struct block_header *header,
		      struct packed_foot *foot);
/* Puts a foot wherever it should stand in a file that is `length` bytes long. */
void packed_feet_mend(struct packed *packed, uint64_t base, uint64_t length,
		      const uint8_t run_id[16], const struct packed_foot *foot);

/* place_parts.c: reads the list of parts. */
enum varve_status packed_parts(struct packed *packed, struct varve_causes *causes) MUST_CHECK;

/* What the file consists of. */
struct varve_packed;
void packed_count(const struct packed *packed, struct varve_packed *counts);

/* packed_chunks.c: blocks of the trace, without any order. */
enum varve_status packed_chunks(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;

/* packed_check.c: finds and reports the blocks that cannot be read, with all blocks in order. */
enum varve_status packed_check(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
/* The same for all of a trace of either form and any length: every block is decoded. */
enum varve_status trace_check_all(struct varve_trace *trace,
				  struct varve_causes *causes) MUST_CHECK;

/* packed_tracks.c: the tracks of one stream, as they are needed. */
struct record_form {
	uint16_t function;
	uint8_t depth, marks;
	uint8_t result; /* enum packed_result */
	uint8_t words;
	uint8_t kind[RECORD_ARGUMENTS_MOST];   /* enum packed_word */
	uint8_t column[RECORD_ARGUMENTS_MOST]; /* the (first) column of a word */
	uint64_t fixed[RECORD_ARGUMENTS_MOST];
	uint8_t result_column, error_column;
};

struct packed_text {
	const char *bytes;
	uint32_t length;
	uint32_t base_kind, base;
};

/* Names of a stream: number n stands at n - 1. */
struct packed_names {
	bool loaded;
	struct packed_text *texts;
	size_t count;
	uint64_t *local; /* chunk << 32 | id in it */
};

/* A definition as it is stored: its shape and the values of its columns. */
enum { PACKED_EVENT_VALUES = 7 };
struct packed_event {
	const uint8_t *key;
	uint64_t values[PACKED_EVENT_VALUES];
};

struct packed_tracks {
	struct track track[PACKED_TRACKS];
	bool loaded[PACKED_TRACKS];
	struct track_reader *readers[PACKED_TRACKS]; /* NULL: not open */
	struct packed_names names[2];
	uint32_t local_chunk;	     /* whose ids names have, from 1 */
	struct packed_event *events; /* definitions of a chunk */
	size_t event_count;
	uint32_t event_chunk; /* which one, from 1 */
	/* where times are histograms: by group, of calls and runtime, the means of gap and duration */
	int64_t (*means[2])[2];
	bool means_loaded;
	uint32_t *handles; /* number - 1: that of the process */
	size_t handle_count;
	bool handles_loaded;
	struct arena memory;
	size_t budget;
	size_t weight; /* as it counts in what is kept */
	bool lent;     /* a chunk is being read through it: a second reader needs a second set */
};

/* The tracks of a stream, or a second set of them while the first is lent; packed_tracks_give() returns them. */
enum varve_status packed_tracks_take(struct packed *packed, struct packed_place *place,
				     struct packed_tracks **result,
				     struct varve_causes *causes) MUST_CHECK;
void packed_tracks_give(struct packed *packed, struct packed_place *place,
			struct packed_tracks *tracks);
void packed_tracks_free(struct packed_tracks *tracks);
/* Frees the tracks of a stream, which are not lent. */
void packed_tracks_forget(struct packed *packed, struct packed_place *place);
/* A reader of a track that stands at event `at`; NULL in *result: the track has no events. */
enum varve_status packed_track(struct packed *packed, const struct packed_place *place,
			       struct packed_tracks *tracks, size_t track, uint64_t at,
			       struct track_reader **result,
			       struct varve_causes *causes) MUST_CHECK;
/* By group, what the records of a stream's calls or runtime track look like; NULL: it has none. */
enum varve_status packed_forms(struct packed *packed, const struct packed_place *place,
			       size_t track, const struct record_form **result,
			       struct varve_causes *causes) MUST_CHECK;
enum varve_status packed_names_load(struct packed *packed, const struct packed_place *place,
				    struct packed_tracks *tracks,
				    struct varve_causes *causes) MUST_CHECK;
enum varve_status packed_means_load(struct packed *packed, const struct packed_place *place,
				    struct packed_tracks *tracks,
				    struct varve_causes *causes) MUST_CHECK;
enum varve_status packed_handles_load(struct packed *packed, const struct packed_place *place,
				      struct packed_tracks *tracks,
				      struct varve_causes *causes) MUST_CHECK;

/* packed_records.c: opens a chunk as a block; `some` as in block_reader_open_some(). */
enum varve_status packed_reader_open(struct block_reader *result, struct varve_trace *trace,
				     const struct trace_block *block, unsigned want,
				     const uint32_t *some, struct varve_causes *causes) MUST_CHECK;

/* packed_times.c: the times of a chunk, from its first record on. All zero to begin with, but for `entry` and `exit`: what the
 * first record counts from. */
struct chunk_times {
	struct packed *packed;
	const struct values_part *part; /* the next one */
	size_t records;			/* that are still to come */
	struct column_reader column;	/* of the part that is `open`, with so many `left` */
	bool open;
	size_t left;
	uint8_t *long_bytes;
	const uint8_t *long_at, *long_end;
	int64_t entry, exit; /* of the last record */
	unsigned depth;
};
/* chunk_times_close() is needed afterwards, also on failure. */
enum varve_status chunk_times_open(struct chunk_times *times, struct packed *packed,
				   const struct packed_place *place, uint32_t number,
				   size_t records, struct varve_causes *causes) MUST_CHECK;
void chunk_times_close(struct chunk_times *times);
/* Entry and exit of the next `count` records, whose depths are known; `values` is room for as many. */
enum varve_status chunk_times_take(struct chunk_times *times, const struct record_columns *to,
				   size_t count, uint64_t *values,
				   struct varve_causes *causes) MUST_CHECK;
/* The same where times are not exact, by what gaps and durations are on average. */
void chunk_times_guess(struct chunk_times *times, const struct record_columns *to, size_t count,
		       const int64_t *gap, const int64_t *duration);

/* packed_definitions.c */
enum varve_status packed_definitions(struct varve_trace *trace, const struct trace_block *block,
				     struct definitions *definitions,
				     struct varve_causes *causes) MUST_CHECK;
/* packed_answers.c: answers about the whole trace that a packed trace has stored. False if the trace has more damage than it
 * stored itself, or if the answer cannot be right: then the records have to be read. */
bool packed_answer(const struct varve_trace *trace, enum packed_answer which, struct input *input);
/* The next of the processes. */
/* A copy of a text of an answer, ended by a zero byte; NULL: there is none, or no memory. */
char *packed_text_take(struct input *input, size_t *length);
bool packed_answer_process(struct input *input, size_t *budget, struct varve_process *process);
/* `tree` has room for the processes. */
bool packed_answer_tree(const struct varve_trace *trace, struct varve_tree *tree);
bool packed_answer_paths(const struct varve_trace *trace, uint64_t *paths);

/* packed_totals.c: what is stored of a kind of totals for the stream of a block. */
struct totals;
struct totals_kind;
enum varve_status packed_totals(struct varve_trace *trace, const struct trace_block *block,
				const struct totals_kind *kind, struct totals *totals,
				struct varve_causes *causes) MUST_CHECK;

/* Notes which ids the names of a chunk have in it. */
enum varve_status packed_locals(struct packed *packed, const struct packed_place *place,
				struct packed_tracks *tracks, uint32_t chunk,
				struct varve_causes *causes) MUST_CHECK;

#endif
