/* Analyze: sums over the records about one file in a layer, or about one region of the program.
 *
 * A *kind* of totals defines the key of a total and what is summed. Rows of pages are added up; a packed trace stores the sums of
 * each stream as a track (packed_totals.c), so that nothing is decoded. Memory: a text and the sums for each total.
 */
#ifndef ANALYZE_TOTALS_H
#define ANALYZE_TOTALS_H

#include "base/host/known.h"
#include "packed/packed_layout.h"
#include "trace/cursor/page.h"

#include <varve/filter.h>

/* Longer texts are cut: no system has such paths. */
enum { TOTAL_TEXT_MOST = 16384 };

/* The key of a total: two are the same if all of this is equal. */
struct total_key {
	uint32_t tag;	 /* layer of a file, function of a region */
	uint32_t owner;	 /* process that the number is of; 0: there is none */
	uint64_t number; /* place in its code */
	struct varve_text text;
};

struct total {
	struct total_key key; /* the text is ended by a zero byte, and freed with the list */
	uint64_t sums[TOTAL_SUMS];
	uint64_t processes; /* that were added */
	uint32_t process;   /* the last of them */
};

/* All zero to begin with. */
struct totals {
	struct known known; /* by key */
	struct total *list;
	uint64_t *
		budget; /* memory that totals may still take, of all streams together; NULL: no limit */
	uint8_t *wanted; /* by function id; NULL: all are, or not computed yet */
	uint32_t place
		[PAGE_FILES_MOST]; /* for the kind: of things of the page, place in the list and one more */
};
void totals_clear(struct totals *totals);

struct totals_kind {
	enum packed_track track;
	uint32_t since; /* version of the foot from which on the track is read */
	uint8_t sums;
	uint8_t tag_bytes; /* of the tag, in keys of the track */
	bool numbered;	   /* a column of the track has the number */
	/* Sums, as bits: those that are ticks; of which the greatest counts; that stop at 2^64 - 1. */
	uint8_t ticks, greatest, limited;
	unsigned want; /* of pages: enum page_want */
	/* Whether records of a function count; NULL: all may. */
	bool (*wants)(const struct varve_trace *trace, const struct varve_function *function);
	/* Adds these rows of a page. Sums of ticks grow by `scale` for each. */
	enum varve_status (*page)(struct totals *totals, const struct varve_trace *trace,
				  const struct page *page, const uint16_t *rows, size_t count,
				  uint64_t scale, struct varve_causes *causes);
};

/* All kinds, in the order of their tracks. */
enum { TOTALS_FILES, TOTALS_REGIONS, TOTALS };
extern const struct totals_kind totals_kinds[TOTALS];

/* Finds out which functions matter to this kind. */
enum varve_status totals_start(struct totals *totals, const struct varve_trace *trace,
			       const struct totals_kind *kind,
			       struct varve_causes *causes) MUST_CHECK;

/* The place in the list of the total with this key; a new one is added. */
enum varve_status totals_find(struct totals *totals, const struct total_key *given, size_t *place,
			      struct varve_causes *causes) MUST_CHECK;

/* Of all streams; of the records that the filter selects, NULL: of all. */
enum varve_status totals_make(struct varve_trace *trace, const struct totals_kind *kind,
			      const struct varve_filter *where, struct totals *totals,
			      struct varve_causes *causes) MUST_CHECK;

#endif
