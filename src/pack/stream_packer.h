/* Pack: one stream of a trace as tracks. Inside of src/pack.
 *
 * A stream is gone through twice: first what its events look like, then their values (loop/track.h). Both times the same code
 * makes the events, and what it knows of names and handles the second time is what it learned the first time. Memory: names,
 * handles, the folded structure; it does not grow with the records.
 */
#ifndef PACK_STREAM_PACKER_H
#define PACK_STREAM_PACKER_H

#include "loop/bytes.h"
#include "loop/packed.h"
#include "loop/track.h"
#include "pack/name_table.h"
#include "trace/file_totals.h"
#include "trace/stream.h"

/* What became of a stream. */
struct packed_stream {
	struct track tracks[PACKED_TRACKS];
	uint64_t records;
	struct values_part *times; /* parts of times of each chunk, then of its long times */
	size_t time_count;
	struct spool *spool; /* that all parts are in */
	bool borrowed;	     /* shapes, trees and parts belong to a packed trace */
};
void packed_stream_clear(struct packed_stream *packed);

enum { EVENT_KEY_MOST = RECORD_KEY_HEAD + RECORD_ARGUMENTS_MOST * 11, HANDLES_NEAR = 16 };

/* How the records of a function become events. */
struct record_plan {
	bool known;
	uint8_t words;
	uint8_t result;			     /* enum packed_result */
	uint8_t kind[RECORD_ARGUMENTS_MOST]; /* enum packed_word */
	uint32_t outputs;		     /* words that are */
	bool closes;
	bool apart; /* it belongs to the runtime track by itself */
};

/* A name of the block that is being packed. */
struct local_name {
	uint32_t id;	    /* 0: free place */
	bool busy;	    /* its number is being looked for */
	uint32_t number[2]; /* among the names and the other names; 0: none yet */
	const struct definition *definition;
};

struct symbol_cache {
	uint64_t hint;
	uint32_t length;
	uint32_t symbol;
	uint8_t key[48];
};
enum { CACHED = 256 };

/* How gaps or durations of a place were spread. */
struct time_histogram {
	uint64_t count;
	int64_t least, most;
	double mean, squares; /* sum of squares of differences from the mean */
	uint64_t bins[HISTOGRAM_BINS];
};

struct stream_packer {
	enum packed_time time;
	struct varve_trace *trace;
	const struct varve_stream *where;
	struct values_coder *coder;
	struct varve_causes *causes;
	bool second;
	struct track_writer *tracks[PACKED_TRACKS]; /* but for names and handles */
	struct symbol_cache *cache[2];		    /* of calls and runtime */
	struct record_plan *plans;		    /* by function id */
	struct name_table names[2];

	uint32_t *handles; /* local number - 1: number in the process */
	size_t handle_count, handle_room;
	uint32_t *handle_slots; /* local numbers, by hash; a power of two */
	size_t handle_slot_count;
	uint32_t seen_handles;	     /* this time */
	uint32_t near[HANDLES_NEAR]; /* local numbers of the newest that are open, newest first */

	/* of the block */
	const struct trace_block *block;
	uint64_t block_number; /* from 1, counted on the second time */
	struct definitions definitions;
	struct local_name *locals;
	size_t local_room; /* a power of two */
	size_t local_count;
	uint32_t local_last; /* largest id */
	struct definition *late;
	size_t late_count, late_room;
	uint64_t calls, runtime, since_runtime, odd;
	uint64_t told;	  /* records that are no ghosts */
	uint64_t ordinal; /* of the next record, if it counts on */
	int64_t first_tick, last_tick;
	struct block_summary *sums; /* by function id */
	uint16_t *summed;	    /* ids, in order of first use */
	size_t summed_count;

	uint8_t *times;
	size_t time_count, time_room;
	struct bytes times_long;
	int64_t last_entry, last_exit;
	unsigned last_depth;
	int64_t gap, duration; /* of the row */
	struct time_histogram (
		*histograms[2])[2]; /* by group, of calls and runtime: gaps, durations */
	size_t histogram_count[2];
	struct file_totals *files; /* the second time */
	/* over blocks */
	uint64_t records; /* that are no ghosts, the second time */
	uint64_t last_sequence;
	uint64_t next_ordinal;
	int64_t stream_tick; /* last tick of the chunk before */
	struct values_part *parts;
	size_t part_count;
};

/* An event of a track: seen, or put with its values. */
enum status packer_event(struct stream_packer *packer, enum packed_track track, const uint8_t *key,
			 uint32_t length, const uint64_t *values, uint32_t columns,
			 uint64_t hint) MUST_CHECK;

/* pack_record.c: a row of a page. A *ghost* is the record of a call that is told by the block in which it began: what is made
 * inside it, and with what it made, is found by it. */
enum status packer_plans(struct stream_packer *packer) MUST_CHECK;
enum status packer_record(struct stream_packer *packer, const struct page *page, size_t row,
			  bool ghost) MUST_CHECK;

/* pack_names.c */
/* Starts on the names of a block. */
enum status packer_names(struct stream_packer *packer) MUST_CHECK;
/* Whether the block has a name of this id. */
bool packer_has_name(const struct stream_packer *packer, uint32_t id);
/* The number of a name of the block in one of the two tables, 0: it has none. */
enum status packer_name(struct stream_packer *packer, uint32_t id, unsigned table,
			uint32_t *number) MUST_CHECK;
/* Adds a name that the block does not have, and gives it an id. */
enum status packer_late_name(struct stream_packer *packer, unsigned table, struct varve_text text,
			     uint32_t *id) MUST_CHECK;
/* The local number of a handle; 0: none. */
enum status packer_handle(struct stream_packer *packer, uint32_t handle,
			  uint32_t *number) MUST_CHECK;
/* How near to the newest one a handle is, by local number, HANDLES_NEAR: far; and that it is gone. */
uint32_t packer_nearness(const struct stream_packer *packer, uint32_t number);
void packer_closed(struct stream_packer *packer, uint32_t number);
/* Definitions of the block as events; names get their numbers. */
enum status packer_definitions(struct stream_packer *packer) MUST_CHECK;
enum status packer_late(struct stream_packer *packer,
			const struct definition *definition) MUST_CHECK;

/* pack_chunk.c: times, sums, and the chunk when its block is done. */
enum status packer_times(struct stream_packer *packer, const struct page *page, size_t row,
			 bool ghost) MUST_CHECK;
enum status packer_chunk(struct stream_packer *packer) MUST_CHECK;

/* pack_times.c: histograms, once the tracks are folded; of a row that was put; as a track. */
enum status packer_histograms_start(struct stream_packer *packer) MUST_CHECK;
void packer_histogram(struct stream_packer *packer, bool apart);
enum status packer_histograms_track(struct stream_packer *packer, struct track *track) MUST_CHECK;

/* pack_files.c: totals of files as a track. */
enum status packer_files_track(struct stream_packer *packer, struct track *track) MUST_CHECK;

/* pack_stream.c */
enum status pack_stream(struct varve_trace *trace, const struct varve_stream *where,
			enum packed_time time, struct values_coder *coder,
			struct packed_stream *packed, struct varve_causes *causes) MUST_CHECK;

#endif
