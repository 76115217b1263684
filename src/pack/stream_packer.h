/* Pack: one stream of a trace as tracks. Private to src/pack.
 *
 * A stream is read twice: first for the shapes of its events, then for their values (loop/track.h). Both passes use the same
 * code; names and handles keep the numbers of the first pass. Memory: names, handles, the folded structure; it does not grow
 * with the number of records.
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

/* The result of packing a stream. */
struct packed_stream {
	struct track tracks[PACKED_TRACKS];
	uint64_t records;
	struct values_part *times; /* for each chunk, parts of its times, then of its long times */
	size_t time_count;
	struct spool *spool; /* contains all parts */
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
	uint32_t outputs;		     /* set of words that are outputs */
	uint8_t closed;	    /* word of the handle that it closes; RECORD_ARGUMENTS_MOST: none */
	bool runtime_track; /* its records belong to the runtime track, whatever their marks */
	/* For calls that did not fail: whether rows are remembered (struct known_row), which words are their key, and which
	 * words are copied to which columns. */
	bool plain;
	uint8_t misses_left; /* consecutive unknown rows until the search pauses; 0: it pauses */
	uint8_t skip_rows;   /* rows until the pause ends */
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
	uint64_t version; /* 0: the place is free */
	uint64_t key_words[KEY_WORDS_MOST];
	uint64_t values[KNOWN_COLUMNS];
};

/* A name of the block that is being packed. */
struct local_name {
	uint32_t id;	    /* 0: the place is free */
	bool busy;	    /* its number is being determined */
	uint32_t number[2]; /* among the names and the other names; 0: none yet */
	const struct definition *definition;
};

/* A handle of calls that was looked up recently. */
struct recent_handle {
	uint64_t version; /* of the newest handles; 0: the place is free */
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
	uint8_t size; /* number of features, + 1; 0: the place is free */
	uint64_t feature[SYMBOL_FEATURES_MOST];
};

/* The events of a page in one of the two tracks of records. `values` has the values of the first event, of the second ... */
enum { EVENT_COLUMNS_MOST = 3 + 2 * RECORD_ARGUMENTS_MOST };
struct page_events {
	size_t count;
	uint32_t symbol[PAGE_ROWS];
	uint16_t row[PAGE_ROWS];
	uint32_t group[PAGE_ROWS]; /* if times are histograms */
	uint64_t *next;		   /* free place in `values` */
	uint64_t values[PAGE_ROWS * EVENT_COLUMNS_MOST + KNOWN_COLUMNS];
};

/* Times of the rows of a page, in the second pass. */
struct page_times {
	int64_t gap[PAGE_ROWS]; /* since the previous record */
	int64_t duration[PAGE_ROWS];
};

/* The distribution of the gaps or durations of a place. */
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
	struct track_writer *tracks[PACKED_TRACKS]; /* except names and handles */
	struct symbol_cache *cache[2];		    /* of calls and runtime */
	struct page_events *events[2];		    /* likewise */
	struct page_times *page_times;
	struct known_row *known;
	uint64_t version[DEPENDS]; /* by what a row depends on: incremented when that changes */
	struct record_plan *plans; /* by function id, and one for unknown functions */
	uint32_t *some;		   /* by function id: words that the shapes of events depend on */
	struct name_table names[2];

	uint32_t *handles; /* local number - 1: number in the process */
	size_t handle_count, handle_room;
	uint32_t *handle_slots; /* local numbers, by hash; the size is a power of two */
	size_t handle_slot_count;
	uint32_t seen_handles; /* in this pass */
	uint32_t newest
		[HANDLES_NEWEST]; /* local numbers of the newest that are open, newest first */
	struct recent_handle recent[HANDLES_RECENT]; /* by handle */

	/* of the present block */
	const struct trace_block *block;
	uint64_t block_number; /* from 1; the second pass continues to count */
	struct definitions definitions;
	struct local_name *locals;
	size_t local_room; /* a power of two */
	size_t local_count;
	uint32_t local_last; /* largest id */
	struct definition *late;
	size_t late_count, late_room;
	uint64_t calls, runtime, since_runtime, odd;
	uint64_t own_records; /* records that are not ghosts */
	uint64_t ordinal;     /* of the next record, if it is consecutive */
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
	struct totals *totals; /* TOTALS elements, in the second pass */
	/* of all blocks */
	uint64_t records; /* records that are not ghosts, in the second pass */
	uint64_t last_sequence;
	uint64_t next_ordinal;
	int64_t stream_tick; /* last tick of the previous chunk */
	struct values_part *parts;
	size_t part_count;
};

/* Adds an event to a track other than calls and runtime: first pass its shape, second pass also its values. */
enum varve_status packer_event(struct stream_packer *packer, enum packed_track track,
			       const uint8_t *key, uint32_t length, const uint64_t *values,
			       uint32_t columns) MUST_CHECK;

/* What rows depend on has changed: known rows may have other events now. */
static inline void packer_changed(struct stream_packer *packer, enum depends what)
{
	packer->version[what]++;
	packer->version[DEPENDS_HANDLES | DEPENDS_NAMES]++;
}

/* pack_plans.c */
enum varve_status packer_plans(struct stream_packer *packer) MUST_CHECK;
/* The plan of a function. The last one is for functions that are in no table. */
static inline struct record_plan *packer_plan(const struct stream_packer *packer, uint16_t id)
{
	size_t unknown = packer->trace->id_count;
	return &packer->plans[id < unknown ? id : unknown];
}

/* pack_record.c: packs the rows of a page. A *ghost* is the second half of a call that belongs to the block in which it began;
 * it is kept because calls made inside it, and handles that it created, refer to it. `ghost`: by row whether it is one; NULL:
 * none is. */
enum varve_status packer_records(struct stream_packer *packer, const struct page *page,
				 const bool *ghost) MUST_CHECK;

/* pack_names.c */
/* Begins with the names of a block. */
enum varve_status packer_names(struct stream_packer *packer) MUST_CHECK;
/* Whether the block has a name with this id. */
bool packer_has_name(const struct stream_packer *packer, uint32_t id);
/* The number of a name of the block in one of the two tables, 0: none. */
enum varve_status packer_name(struct stream_packer *packer, uint32_t id, unsigned table,
			      uint32_t *number) MUST_CHECK;
/* Adds a name that the block does not have, and gives it an id. */
enum varve_status packer_late_name(struct stream_packer *packer, unsigned table,
				   struct varve_text text, uint32_t *id) MUST_CHECK;
/* Puts the definitions of the block as events; names get their numbers. */
enum varve_status packer_definitions(struct stream_packer *packer) MUST_CHECK;
enum varve_status packer_late(struct stream_packer *packer,
			      const struct definition *definition) MUST_CHECK;

/* pack_handles.c */
/* The local number of a handle; 0: none. */
enum varve_status packer_handle(struct stream_packer *packer, uint32_t handle,
				uint32_t *number) MUST_CHECK;
/* The same for a handle that is not 0, and its *recency*: its index among the newest open handles; HANDLES_NEWEST: it is not
 * one of them. */
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
/* The handle was closed. */
void packer_closed(struct stream_packer *packer, uint32_t number);
/* Restarts for the second pass. */
void packer_handles_again(struct stream_packer *packer);
/* The numbers of the handles, as one column with an event for each handle. */
enum varve_status packer_handles_track(struct stream_packer *packer,
				       struct track *track) MUST_CHECK;

/* pack_chunk.c: times, sums, and the chunk at the end of its block. */
enum varve_status packer_times(struct stream_packer *packer, const struct page *page,
			       const bool *ghost) MUST_CHECK;
enum varve_status packer_chunk(struct stream_packer *packer) MUST_CHECK;

/* pack_times.c: starts histograms after the tracks are folded; adds the events of a page that were put; makes a track. */
enum varve_status packer_histograms_start(struct stream_packer *packer) MUST_CHECK;
void packer_histogram(struct stream_packer *packer, bool runtime_track);
enum varve_status packer_histograms_track(struct stream_packer *packer,
					  struct track *track) MUST_CHECK;

/* pack_totals.c: starts totals of all kinds; adds the selected rows of a page; makes tracks. */
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
