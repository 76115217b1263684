/* Trace: the packed form: one file, or a folder of several, read through the same blocks, streams and pages as the folder
 * form.
 *
 * The former blocks of a stream are *chunks* here. Each has a header, made when the trace is opened, whose counters and
 * times decide whether its records are read, as for any block. A chunk contains no records: it is a range of events in
 * each track of the stream (packed/packed_layout.h). The tracks are read from the end of the last chunk on, or skipped.
 * The content is hostile input.
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

/* The beginning of a chunk in the tracks of its stream; it ends where the next one begins. */
struct packed_chunk {
	/* number of earlier events; for calls, runtime, definitions, ordinals */
	uint64_t at[PACKED_TRACKS];
	uint32_t time_part; /* its first part, among the parts of times */
	uint32_t long_bytes;
};

/* A stream in the file. */
struct packed_place {
	uint32_t process, thread;
	int32_t pid, tid, rank;
	uint32_t node;
	uint32_t resolution, clock_kind;
	uint32_t class_of[PACKED_TRACKS];  /* 0: none */
	uint32_t member_of[PACKED_TRACKS]; /* index in its class */
	size_t first_part, part_count;
	size_t first_time;   /* index of the first part of times, among all parts */
	uint64_t begin, end; /* range of its parts in the mapped files, without parts of lists */
	struct packed_chunk *chunks; /* one entry more than chunks: the end */
	size_t chunk_count;
	struct packed_tracks *tracks; /* the tracks that were loaded; NULL: none yet */
};

/* A file in the range of addresses to which all files are mapped. */
struct packed_extent {
	uint64_t base;
	uint64_t length; /* bytes that exist */
	size_t streams; /* number of streams with parts in it, after the streams of the file before */
	const char *name; /* NULL: no memory for it */
	bool foreign;	  /* a good file, but not the one that was written with the first file */
};

struct packed {
	const uint8_t *file; /* the file, or the range of all files */
	size_t size;
	struct packed_extent extents[PACKED_FILES_MOST];
	size_t extent_count;
	uint64_t bytes; /* total size of all files */
	bool answered;	/* there is a section with answers */
	uint8_t run_id[16];
	struct packed_foot foot;
	struct packed_zone *zones; /* zones that have guards */
	size_t zone_count;
	uint64_t mended;	     /* bytes that were wrong and are corrected */
	uint64_t wrong;		     /* bytes in lines of zones (guard.h) that are still wrong */
	uint8_t *sections[SECTIONS]; /* uncompressed */
	size_t lengths[SECTIONS];
	struct track_class *classes[PACKED_TRACKS];
	size_t class_count[PACKED_TRACKS];
	struct packed_place *places;
	size_t place_count;
	struct values_part *parts;
	size_t part_count;
	uint64_t overruns, candidates; /* of folding: varve_packed */
	struct arena memory;	       /* headers of blocks, chunks, texts of damage */
	size_t budget;
	struct column_decoder decoder;
	uint64_t damages_stored; /* number of damages that the packed trace itself stores */
	uint64_t longer;	 /* number of damages that are only bytes after the end of a file */
	size_t kept;		 /* approximate memory of all packed_tracks */
	struct record_form **forms[2]; /* of calls and runtime, by class; NULL: not needed yet */
};

/* Reports damage of the file as a whole, or of one chunk. */
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
/* The same, without the errno. */
bool packed_is(const char *path);
/* The path of a file of the trace. If the path of the first file is given, the others are in the same folder. False: too long. */
enum { PACKED_PATH = 4096 + 64 };
bool packed_file_path(const char *path, size_t at, char name[PACKED_PATH]);
/* Maps the first file. */
enum varve_status packed_map(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
/* Called when sections and streams are known: maps the other files, if there are any. */
enum varve_status packed_map_others(struct varve_trace *trace,
				    struct varve_causes *causes) MUST_CHECK;
/* The position in the range of a part of a file; the end of the range if the part is outside of its file. */
uint64_t packed_offset(const struct packed *packed, size_t file, uint64_t offset, uint32_t stored);
/* The offset in a file at which its data begins; positions of parts are relative to it. */
uint64_t packed_data_begin(const struct packed *packed, size_t file);
/* The damaged part of a stream that was found last; the beginning of its parts if all that were read are good. */
struct trace_span packed_span(const struct packed *packed, const struct packed_place *place);
/* Frees the memory of what was read of a stream; it is loaded again when needed. */
void packed_release(const struct packed *packed, const struct packed_place *place);

/* Opens the file: nodes, streams, blocks and damage of the trace. */
enum varve_status packed_open(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
void packed_close(struct varve_trace *trace);

/* packed_foot.c: finds the foot of the first file, or rebuilds its content. */
enum varve_status packed_foot_read(struct varve_trace *trace,
				   struct varve_causes *causes) MUST_CHECK;
/* Finds a good foot of a file of version 3 or later; false: there is none. */
bool packed_foot_find(const uint8_t *bytes, uint64_t length, struct block_header *header,
		      struct packed_foot *foot);
/* Writes a good foot, in memory, over every damaged one in a file of `length` bytes. */
void packed_feet_mend(struct packed *packed, uint64_t base, uint64_t length,
		      const uint8_t run_id[16], const struct packed_foot *foot);

/* packed_parts.c: reads the list of parts. */
enum varve_status packed_parts(struct packed *packed, struct varve_causes *causes) MUST_CHECK;

/* Sizes of the parts of the file. */
struct varve_packed;
void packed_count(const struct packed *packed, struct varve_packed *counts);

/* packed_chunks.c: makes the blocks of the trace, unsorted. */
enum varve_status packed_chunks(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;

/* packed_check.c: finds and reports the blocks that cannot be read; all blocks must be sorted. */
enum varve_status packed_check(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
/* The same for a whole trace of either form and any size: decodes every block. */
enum varve_status trace_check_all(struct varve_trace *trace,
				  struct varve_causes *causes) MUST_CHECK;

/* packed_tracks.c: the tracks of one stream, loaded when they are needed. */
struct record_form {
	uint16_t function;
	uint8_t depth, marks;
	uint8_t result; /* enum packed_result */
	uint8_t words;
	uint8_t kind[RECORD_ARGUMENTS_MOST];   /* enum packed_word */
	uint8_t column[RECORD_ARGUMENTS_MOST]; /* the first column of a word */
	uint64_t fixed[RECORD_ARGUMENTS_MOST];
	uint8_t result_column, error_column;
};

struct packed_text {
	const char *bytes;
	uint32_t length;
	uint32_t base_kind, base;
};

/* Names of a stream: name number n is at index n - 1. */
struct packed_names {
	bool loaded;
	struct packed_text *texts;
	size_t count;
	uint64_t *local; /* by number: (chunk + 1) << 32 | id in that chunk */
};

/* A definition as stored: its shape and the values of its columns. */
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
	uint32_t local_chunk;	     /* chunk of the ids in `local`, plus 1 */
	struct packed_event *events; /* definitions of a chunk */
	size_t event_count;
	uint32_t event_chunk; /* number of that chunk, plus 1 */
	/* with times as histograms: mean gap and mean duration, by group, of calls and of runtime */
	int64_t (*means[2])[2];
	bool means_loaded;
	uint32_t *handles; /* by number - 1: the number in the process */
	size_t handle_count;
	bool handles_loaded;
	struct arena memory;
	size_t budget;
	size_t weight; /* its memory as counted in packed.kept */
	bool lent; /* a chunk is being read with these tracks; another reader needs a second set */
};

/* The tracks of a stream, or a second set of them while the first is in use; packed_tracks_give() returns them. */
enum varve_status packed_tracks_take(struct packed *packed, struct packed_place *place,
				     struct packed_tracks **result,
				     struct varve_causes *causes) MUST_CHECK;
void packed_tracks_give(struct packed *packed, struct packed_place *place,
			struct packed_tracks *tracks);
void packed_tracks_free(struct packed_tracks *tracks);
/* Frees the tracks of a stream, which must not be in use. */
void packed_tracks_forget(struct packed *packed, struct packed_place *place);
/* A reader of a track at event `at`; *result is NULL if the track has no events. */
enum varve_status packed_track(struct packed *packed, const struct packed_place *place,
			       struct packed_tracks *tracks, size_t track, uint64_t at,
			       struct track_reader **result,
			       struct varve_causes *causes) MUST_CHECK;
/* By group, the layout of records in a stream's calls or runtime track; NULL: it has none. */
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

/* packed_times.c: the times of a chunk, from its first record on. Must be zero at first, except `entry` and `exit`, from
 * which the times of the first record count. */
struct chunk_times {
	struct packed *packed;
	const struct values_part *part; /* the next part */
	size_t records;			/* records that remain */
	/* reader of the current part if `open`; `left` values remain in it */
	struct column_reader column;
	bool open;
	size_t left;
	uint8_t *long_bytes;
	const uint8_t *long_at, *long_end;
	int64_t entry, exit; /* times of the last record */
	unsigned depth;
};
/* chunk_times_close() must be called afterwards, also after a failure. */
enum varve_status chunk_times_open(struct chunk_times *times, struct packed *packed,
				   const struct packed_place *place, uint32_t number,
				   size_t records, struct varve_causes *causes) MUST_CHECK;
void chunk_times_close(struct chunk_times *times);
/* Entry and exit of the next `count` records, whose depths are known; `values` has room for `count` values. */
enum varve_status chunk_times_take(struct chunk_times *times, const struct record_columns *to,
				   size_t count, uint64_t *values,
				   struct varve_causes *causes) MUST_CHECK;
/* The same for times that are not exact: from the mean gaps and durations. */
void chunk_times_guess(struct chunk_times *times, const struct record_columns *to, size_t count,
		       const int64_t *gap, const int64_t *duration);

/* packed_definitions.c */
enum varve_status packed_definitions(struct varve_trace *trace, const struct trace_block *block,
				     struct definitions *definitions,
				     struct varve_causes *causes) MUST_CHECK;
/* packed_answers.c: answers about the whole trace that a packed trace stores. False if more damage was found than the
 * trace itself stores, or if the answer is not valid: then the records must be read. */
bool packed_answer(const struct varve_trace *trace, enum packed_answer which, struct input *input);
/* Copies a text of an answer, with a zero byte at the end; NULL: it is not valid, or no memory. */
char *packed_text_take(struct input *input, size_t *length);
/* Reads the strings of the next process. */
bool packed_answer_process(struct input *input, size_t *budget, struct varve_process *process);
/* `tree` must have room for the processes. */
bool packed_answer_tree(const struct varve_trace *trace, struct varve_tree *tree);
bool packed_answer_paths(const struct varve_trace *trace, uint64_t *paths);

/* packed_totals.c: the stored totals of one kind for the stream of a block. */
struct totals;
struct totals_kind;
enum varve_status packed_totals(struct varve_trace *trace, const struct trace_block *block,
				const struct totals_kind *kind, struct totals *totals,
				struct varve_causes *causes) MUST_CHECK;

/* Fills `local` of names with their ids in a chunk. */
enum varve_status packed_locals(struct packed *packed, const struct packed_place *place,
				struct packed_tracks *tracks, uint32_t chunk,
				struct varve_causes *causes) MUST_CHECK;

#endif
