/* Pack: one stream of a trace as tracks. Inside of src/pack.
 *
 * A stream is read twice: first for the shapes of its events, then for their values (loop/track.h). The same code makes the
 * events both times; names and handles keep the numbers of the first pass. Memory: names, handles, the folded structure; it does
 * not grow with the records.
 */
#ifndef PACK_STREAM_PACKER_H
#define PACK_STREAM_PACKER_H

#include "analyze/totals.h"
#include "base/host/bytes.h"
#include "loop/track.h"
#include "pack/name_table.h"
#include "packed/packed_layout.h"
#include "trace/cursor/page.h"
#include "trace/cursor/stream.h"

/* What became of a stream. */
struct packed_stream {
	struct track tracks[PACKED_TRACKS];
	uint64_t records;
	struct values_part *times; /* parts of times of each chunk, then of its long times */
	size_t time_count;
	struct spool *spool; /* that all parts are in */
};
void packed_stream_clear(struct packed_stream *packed);

enum { HANDLES_NEWEST = 16, HANDLES_RECENT = 8 };

/* How the records of a function become events. */
enum {
	KEY_WORDS_MOST = 6,
	KNOWN_COLUMNS = 12,
	ROWS_KNOWN = 256,
	MISSES_MOST = 16,
	SKIP_ROWS = 240
};
struct record_plan {
	uint8_t words;
	uint8_t result;			     /* enum packed_result */
	uint8_t kind[RECORD_ARGUMENTS_MOST]; /* enum packed_word */
	uint32_t outputs;		     /* words that are */
	uint8_t closed;	    /* word of the handle that it ends; RECORD_ARGUMENTS_MOST: none */
	bool runtime_track; /* its records belong to the runtime track whatever their marks */
	/* Of calls that did not fail: whether rows are remembered (struct known_row), which words are their key, and which words
	 * are copied to which columns. */
	bool plain;
	uint8_t misses_left; /* rows in a row that may be unknown until the search pauses; 0: it does */
	uint8_t skip_rows; /* rows for which it still pauses */
	uint8_t key_words, copied, columns;
	uint8_t depends; /* enum depends */
	uint8_t key_word_at[KEY_WORDS_MOST];
	uint8_t copy_from[KNOWN_COLUMNS], copy_to[KNOWN_COLUMNS];
};

/* What the event of a row depends on besides the row: the newest open handles, the names of the block. */
enum depends { DEPENDS_HANDLES = 1, DEPENDS_NAMES = 2, DEPENDS = 4 };

/* A recent row. Another row with the same key words has the same symbol, and the same values except those that are copied from
 * words. */
struct known_row {
	uint32_t head; /* function, depth, marks */
	uint32_t symbol;
	uint64_t version; /* 0: free place */
	uint64_t key_words[KEY_WORDS_MOST];
	uint64_t values[KNOWN_COLUMNS];
};

/* A name of the block that is being packed. */
struct local_name {
	uint32_t id;	    /* 0: free place */
	bool busy;	    /* its number is being looked for */
	uint32_t number[2]; /* among the names and the other names; 0: none yet */
	const struct definition *definition;
};

/* A handle of calls that was looked up recently. */
struct recent_handle {
	uint64_t version; /* of the newest handles; 0: free place */
	uint32_t handle;
	uint32_t number;
	uint32_t recency;
};

/* *Features* distinguish the event of a row from others of the same function, depth and marks: see pack_record.c. */
enum {
	EVENT_FEATURES_MOST = 1 + RECORD_ARGUMENTS_MOST,
	SYMBOL_FEATURES_MOST = 8,
	SYMBOLS_CACHED = 256
};

/* The symbol of a recent event. */
struct symbol_cache {
	uint32_t head; /* function, depth, marks */
	uint32_t symbol;
	uint8_t words;
	uint8_t size; /* features, and one; 0: free place */
	uint64_t feature[SYMBOL_FEATURES_MOST];
};

/* What a page becomes in one of the two tracks of records. Values of the first event, of the second ... */
enum { EVENT_COLUMNS_MOST = 3 + 2 * RECORD_ARGUMENTS_MOST };
struct page_events {
	size_t count;
	uint32_t symbol[PAGE_ROWS];
	uint16_t row[PAGE_ROWS];
	uint32_t group[PAGE_ROWS]; /* where times are histograms */
	uint64_t *next;		   /* free place in `values` */
	uint64_t values[PAGE_ROWS * EVENT_COLUMNS_MOST + KNOWN_COLUMNS];
};

/* Of the rows of a page, the second time. */
struct page_times {
	int64_t gap[PAGE_ROWS]; /* since the record before */
	int64_t duration[PAGE_ROWS];
};

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
	struct page_events *events[2];		    /* likewise */
	struct page_times *page_times;
	struct known_row *known;
	uint64_t version[DEPENDS]; /* by what a row depends on: counted on when that changes */
	struct record_plan *plans; /* by function id, and one */
	uint32_t *some;		   /* by function id: what events' shapes depend on */
	struct name_table names[2];

	uint32_t *handles; /* local number - 1: number in the process */
	size_t handle_count, handle_room;
	uint32_t *handle_slots; /* local numbers, by hash; a power of two */
	size_t handle_slot_count;
	uint32_t seen_handles; /* this time */
	uint32_t newest
		[HANDLES_NEWEST]; /* local numbers of the newest that are open, newest first */
	struct recent_handle recent[HANDLES_RECENT]; /* by handle */

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
	uint64_t own_records; /* that are no ghosts */
	uint64_t ordinal;     /* of the next record, if it counts on */
	int64_t first_tick, last_tick;
	struct block_summary *sums; /* by function id */
	uint16_t *summed;	    /* ids, in order of first use */
	size_t summed_count;

	uint8_t *times;
	size_t time_count, time_room;
	struct bytes times_long;
	int64_t last_entry, last_exit;
	unsigned last_depth;
	struct time_histogram (
		*histograms[2])[2]; /* by group, of calls and runtime: gaps, durations */
	size_t histogram_count[2];
	struct totals *totals; /* TOTALS of them, the second time */
	/* over blocks */
	uint64_t records; /* that are no ghosts, the second time */
	uint64_t last_sequence;
	uint64_t next_ordinal;
	int64_t stream_tick; /* last tick of the chunk before */
	struct values_part *parts;
	size_t part_count;
};

/* An event of a track, but for calls and runtime: seen, or put with its values. */
enum varve_status packer_event(struct stream_packer *packer, enum packed_track track,
			       const uint8_t *key, uint32_t length, const uint64_t *values,
			       uint32_t columns) MUST_CHECK;

/* What rows depend on has changed: those that are known may be others now. */
static inline void packer_changed(struct stream_packer *packer, enum depends what)
{
	packer->version[what]++;
	packer->version[DEPENDS_HANDLES | DEPENDS_NAMES]++;
}

/* pack_plans.c */
enum varve_status packer_plans(struct stream_packer *packer) MUST_CHECK;
/* The plan of a function. The last one serves functions that no table has. */
static inline struct record_plan *packer_plan(const struct stream_packer *packer, uint16_t id)
{
	size_t unknown = packer->trace->id_count;
	return &packer->plans[id < unknown ? id : unknown];
}

/* pack_record.c: the rows of a page. A *ghost* is the second half of a call that belongs to the block in which it began; it stays
 * because the calls made inside it, and the handles it made, refer to it. `ghost`: by row whether it is one; NULL: none is. */
enum varve_status packer_records(struct stream_packer *packer, const struct page *page,
				 const bool *ghost) MUST_CHECK;

/* pack_names.c */
/* Starts on the names of a block. */
enum varve_status packer_names(struct stream_packer *packer) MUST_CHECK;
/* Whether the block has a name of this id. */
bool packer_has_name(const struct stream_packer *packer, uint32_t id);
/* The number of a name of the block in one of the two tables, 0: it has none. */
enum varve_status packer_name(struct stream_packer *packer, uint32_t id, unsigned table,
			      uint32_t *number) MUST_CHECK;
/* Adds a name that the block does not have, and gives it an id. */
enum varve_status packer_late_name(struct stream_packer *packer, unsigned table,
				   struct varve_text text, uint32_t *id) MUST_CHECK;
/* Definitions of the block as events; names get their numbers. */
enum varve_status packer_definitions(struct stream_packer *packer) MUST_CHECK;
enum varve_status packer_late(struct stream_packer *packer,
			      const struct definition *definition) MUST_CHECK;

/* pack_handles.c */
/* The local number of a handle; 0: none. */
enum varve_status packer_handle(struct stream_packer *packer, uint32_t handle,
				uint32_t *number) MUST_CHECK;
/* The same for a handle that is not 0, and its *recency*: its place among the newest open ones; HANDLES_NEWEST: none of them. */
enum varve_status packer_handle_find(struct stream_packer *packer, uint32_t handle,
				     struct recent_handle *found) MUST_CHECK;
MUST_CHECK static inline enum varve_status packer_handle_recency(struct stream_packer *packer,
								 uint32_t handle, uint32_t *number,
								 uint32_t *recency)
{
	struct recent_handle *recent = &packer->recent[handle % HANDLES_RECENT];
	if (recent->handle != handle || recent->version != packer->version[DEPENDS_HANDLES])
		TRY(packer_handle_find(packer, handle, recent));
	*number = recent->number;
	*recency = recent->recency;
	return VARVE_OK;
}
/* It is gone. */
void packer_closed(struct stream_packer *packer, uint32_t number);
/* The next one will be the first again. */
void packer_handles_again(struct stream_packer *packer);
/* The numbers of the handles, as a column of one event for each. */
enum varve_status packer_handles_track(struct stream_packer *packer,
				       struct track *track) MUST_CHECK;

/* pack_chunk.c: times, sums, and the chunk when its block is done. */
enum varve_status packer_times(struct stream_packer *packer, const struct page *page,
			       const bool *ghost) MUST_CHECK;
enum varve_status packer_chunk(struct stream_packer *packer) MUST_CHECK;

/* pack_times.c: histograms, once the tracks are folded; of the events of a page that were put; as a track. */
enum varve_status packer_histograms_start(struct stream_packer *packer) MUST_CHECK;
void packer_histogram(struct stream_packer *packer, bool runtime_track);
enum varve_status packer_histograms_track(struct stream_packer *packer,
					  struct track *track) MUST_CHECK;

/* pack_totals.c: totals of all kinds: to be summed up, of the rows of a page that are selected, as tracks. */
enum varve_status packer_totals_start(struct stream_packer *packer) MUST_CHECK;
enum varve_status packer_totals(struct stream_packer *packer,
				const struct stream *stream) MUST_CHECK;
enum varve_status packer_totals_tracks(struct stream_packer *packer,
				       struct track *tracks) MUST_CHECK;
void packer_totals_clear(struct stream_packer *packer);

/* pack_stream.c */
enum varve_status pack_stream(struct varve_trace *trace, const struct varve_stream *where,
			      enum packed_time time, struct values_coder *coder,
			      struct packed_stream *packed, struct varve_causes *causes) MUST_CHECK;

#endif
