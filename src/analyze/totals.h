/* Analyze: sums over the records of one file in a layer, or of one region of the program.
 *
 * A *kind* of totals defines the key of a total and what is summed. Rows of pages are added up. A packed trace stores the
 * sums of each stream as a track (packed_totals.c), so that nothing is decoded. Memory: a text and the sums for each
 * total.
 */
#ifndef ANALYZE_TOTALS_H
#define ANALYZE_TOTALS_H

#include "base/host/known.h"
#include "packed/packed_layout.h"
#include "trace/cursor/page.h"

#include <varve/filter.h>

/* Longer texts are truncated: no system has such paths. */
enum { TOTAL_TEXT_MOST = 16384 };

/* The key of a total: two totals are the same if all fields are equal. */
struct total_key {
	uint32_t tag;	 /* files: index of the layer; regions: id of the function */
	uint32_t owner;	 /* process that the address belongs to; 0: none */
	uint64_t number; /* address in its code */
	struct varve_text text;
};

struct total {
	struct total_key key; /* the text ends with a zero byte, and is freed with the list */
	uint64_t sums[TOTAL_SUMS];
	uint64_t processes; /* number of processes that were added */
	uint32_t process;   /* the last process that was added */
};

/* Must be zero at first. */
struct totals {
	struct known known; /* by key */
	struct total *list;
	uint64_t *
		budget; /* memory that totals of all streams together may still take; NULL: no limit */
	/* by function id: 1: its records are needed; NULL: all are, or not computed yet */
	uint8_t *wanted;
	uint32_t place
		[PAGE_FILES_MOST]; /* used by the kind: for each file of the page, its index in the list plus one */
};
void totals_clear(struct totals *totals);

struct totals_kind {
	enum packed_track track;
	uint32_t since; /* the track is read if the foot has this version or a later one */
	uint8_t sums;
	uint8_t tag_bytes; /* length of the tag in keys of the track */
	bool numbered;	   /* one column of the track contains the number */
	/* Sums, as bits: those in ticks; those of which the largest value counts; those that stop at 2^64 - 1. */
	uint8_t ticks, greatest, limited;
	unsigned want; /* of pages: bits of enum page_want */
	/* Whether records of a function are needed; NULL: all are. */
	bool (*wants)(const struct varve_trace *trace, const struct varve_function *function);
	/* Adds these rows of a page. Sums of ticks are multiplied by `scale`. */
	enum varve_status (*page)(struct totals *totals, const struct varve_trace *trace,
				  const struct page *page, const uint16_t *rows, size_t count,
				  uint64_t scale, struct varve_causes *causes);
};

/* All kinds, in the order of their tracks. */
enum { TOTALS_FILES, TOTALS_REGIONS, TOTALS };
extern const struct totals_kind totals_kinds[TOTALS];

/* Finds the functions that this kind needs. */
enum varve_status totals_start(struct totals *totals, const struct varve_trace *trace,
			       const struct totals_kind *kind,
			       struct varve_causes *causes) MUST_CHECK;

/* Finds the total with this key, or adds one; *place is its index in the list. */
enum varve_status totals_find(struct totals *totals, const struct total_key *given, size_t *place,
			      struct varve_causes *causes) MUST_CHECK;

/* Totals of all streams, of the records that the filter selects; NULL: of all. */
enum varve_status totals_make(struct varve_trace *trace, const struct totals_kind *kind,
			      const struct varve_filter *where, struct totals *totals,
			      struct varve_causes *causes) MUST_CHECK;

#endif
