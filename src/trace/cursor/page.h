/* Trace: a page: consecutive records of one stream as columns, with the halves of cut calls joined.
 *
 * Every reader works on pages: the cursor returns them, the filter evaluates them column by column. A page belongs to its
 * stream and is valid until the stream's next page. Columns that were not requested have undefined values.
 */
#ifndef TRACE_CURSOR_PAGE_H
#define TRACE_CURSOR_PAGE_H

#include "codec/record.h"
#include "trace/names/names.h"
#include "trace/trace.h"

#include <varve/definitions.h>

enum { PAGE_ROWS = 1024, PAGE_FILES_MOST = 2 * PAGE_ROWS, PAGE_NO_FILE = UINT16_MAX };

/* Columns to read besides function, depth, marks and ordinal: bits above those of enum want. */
enum page_want {
	PAGE_FILES = 0x100,   /* `file`, `second`, `side` and `files` */
	PAGE_PARENTS = 0x200, /* `parent` */
	PAGE_INSIDE = 0x400,  /* `inside` */
	PAGE_REGIONS = 0x800, /* `region` */
};

struct page {
	size_t count; /* rows */
	const struct varve_stream *stream;
	const struct trace_block
		*block; /* its header contains process, thread, pid, tid, rank, resolution */
	uint16_t function[PAGE_ROWS]; /* ids */
	uint8_t depth[PAGE_ROWS];
	uint8_t marks[PAGE_ROWS];  /* enum varve_mark */
	uint8_t stored[PAGE_ROWS]; /* marks in the block, before halves were joined */
	int32_t error[PAGE_ROWS];  /* errno of a failed call; 0: none */
	uint64_t ordinal[PAGE_ROWS];
	int64_t entry[PAGE_ROWS]; /* ticks since the start of the run */
	int64_t exit[PAGE_ROWS];  /* of an unfinished call: its entry time */
	int64_t result[PAGE_ROWS];
	uint32_t word_at[PAGE_ROWS]; /* index in `words` of the first argument word of a row */
	uint8_t word_count[PAGE_ROWS];
	uint64_t *words;
	/* Indices in `files`, or PAGE_NO_FILE: the file of the row, and the second file of a call on two files. */
	uint16_t file[PAGE_ROWS];
	uint16_t second[PAGE_ROWS];
	/* whether the row's bytes were read from or written to these files: enum varve_side */
	uint8_t side[2][PAGE_ROWS];
	struct varve_file
		*files; /* each file of the rows once, or again after more became known about it */
	size_t file_count;
	uint16_t parent[PAGE_ROWS]; /* function of the directly enclosing call; 0: none */
	uint32_t inside
		[PAGE_ROWS]; /* the filter's `inside` bits of all enclosing calls, combined by or */
	struct varve_text
		region[PAGE_ROWS]; /* name of the innermost region around it; bytes NULL: none */
	struct names *names;	   /* names of the block; see page_name() */
	/* outputs of calls that returned in a later block, in order of rows; there are few */
	size_t late_count;
	size_t *late_row;
	struct named_late *late;
};

/* The text of a word that is a name (VARVE_STYLE_NAME, VARVE_STYLE_STRING), as the program passed it; bytes NULL: none. */
struct varve_text page_name(const struct page *page, size_t row, int32_t word);

/* The part of a row that functions of names.h need to find its file. */
struct named_record page_named(const struct page *page, const struct varve_trace *trace,
			       size_t row);

/* Applies a row, which is record `at` of its block, to `names`. */
enum varve_status page_row_follow(const struct page *page, const struct varve_trace *trace,
				  size_t row, struct names *names, size_t at,
				  struct varve_causes *causes) MUST_CHECK;

/* The same; returns early for most rows, which do not change names. */
MUST_CHECK static inline enum varve_status page_follow(const struct page *page,
						       const struct varve_trace *trace, size_t row,
						       struct names *names, size_t at,
						       struct varve_causes *causes)
{
	if (names->applied == names->definitions->count && !trace_makes(trace, page->function[row]))
		return VARVE_OK;
	return page_row_follow(page, trace, row, names, at, causes);
}

/* Fills `file`, `second`, `side` and `files`. `names` must have followed all rows of the block before the page, which are
 * `before` rows; it follows the rows of the page too. */
enum varve_status page_files(struct page *page, const struct varve_trace *trace,
			     struct names *names, size_t before,
			     struct varve_causes *causes) MUST_CHECK;

#endif
