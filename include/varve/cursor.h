/* Varve: reads records, one by one or as arrays of columns, stream by stream or all streams merged by time.
 *
 *	struct varve_query query = VARVE_QUERY_ALL;
 *	query.filter = filter;
 *	varve_cursor_open(trace, &query, &cursor, &causes);
 *	while ((status = varve_cursor_next(cursor, &call, &causes)) == VARVE_OK)
 *		...
 *	varve_cursor_close(cursor);
 *
 * A call that a block boundary cuts in two is returned as one call, at the place where it began and with its final result.
 * Only blocks that can contain selected records are decoded, and only the requested columns of them. When streams are
 * merged by time, records with equal times are in the order of streams, and records of one stream keep their order.
 * Memory: a part of one decoded block for each stream that has records around the current time.
 */
#ifndef VARVE_CURSOR_H
#define VARVE_CURSOR_H

#include <varve/filter.h>
#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct varve_cursor;

enum varve_order { VARVE_ORDER_TIME, VARVE_ORDER_STREAM };

/* Columns to read. Function, depth, marks and ordinal are always read. */
enum varve_column {
	VARVE_TIMES = 1,
	VARVE_RESULTS = 2, /* results and errors */
	VARVE_ARGUMENTS = 4,
	/* only in batches: the file of each record; implies VARVE_ARGUMENTS and VARVE_RESULTS */
	VARVE_FILES = 8,
	VARVE_SIZES =
		16, /* only in batches: the bytes that each record transferred, as varve_call_size() returns them */
	VARVE_COLUMNS_ALL = 31,
};

struct varve_query {
	enum varve_order order;
	unsigned columns; /* bits of enum varve_column */
	/* NULL: all records; must be valid until the cursor is closed */
	const struct varve_filter *filter;
	uint32_t process; /* number of a process; 0: all */
	uint32_t thread;  /* number of a thread; 0: all */
	/* only calls with an entry at or after this time, in ns since the start of the run */
	int64_t from_ns;
	int64_t to_ns; /* and before this time */
	const uint8_t *
		functions; /* 65536 flags by id of a function: 1 selects it; NULL: all; must be valid until the cursor is closed */
	void *reserved[3];
};

/* clang-format off */
#define VARVE_QUERY_ALL                                                                            \
	{VARVE_ORDER_TIME, VARVE_COLUMNS_ALL, 0, 0, 0, INT64_MIN, INT64_MAX, 0, {0, 0, 0}}
/* clang-format on */

/* One call; valid until the next call of a function of this cursor. */
struct varve_call {
	const struct varve_stream *stream;
	const struct varve_function *function; /* NULL: not in the trace's tables */
	uint16_t function_id;
	uint8_t depth; /* number of recorded calls of the same thread around this one */
	uint8_t marks; /* enum varve_mark */
	int32_t error;
	uint64_t ordinal; /* number of the call in its stream, from 0 */
	int64_t start;	  /* ns since the start of the run */
	int64_t end;
	int64_t result;
	uint32_t word_count;
	const uint64_t *
		words; /* argument words as they were recorded; varve_call_argument() decodes them */
	/* internal */
	void *cursor;
	uint64_t place;
};

/* Opens a cursor for the selected records. VARVE_USAGE: the filter was made for another trace. */
enum varve_status varve_cursor_open(struct varve_trace *trace, const struct varve_query *query,
				    struct varve_cursor **cursor, struct varve_causes *causes);
/* Returns VARVE_END after the last record. Damage that is found while reading is added to the list of the trace. */
enum varve_status varve_cursor_next(struct varve_cursor *cursor, const struct varve_call **call,
				    struct varve_causes *causes);
/* NULL: does nothing. */
void varve_cursor_close(struct varve_cursor *cursor);

/* Progress: the number of records in all blocks that the cursor has finished, and in all that it has to read. */
void varve_cursor_progress(const struct varve_cursor *cursor, uint64_t *done, uint64_t *all);

/* The file of a call: the file of its first path, or else of its first descriptor or handle. False: not known.
 * This function and those for arguments, descriptor and offset need VARVE_ARGUMENTS in the query; varve_call_size() also
 * needs VARVE_RESULTS. Without these columns they return false. */
bool varve_call_file(const struct varve_call *call, struct varve_file *file);
/* The second file of a call on two files: the file of its second path, or of its second descriptor or handle. False: there
 * is none. */
bool varve_call_second_file(const struct varve_call *call, struct varve_file *file);

/* The bytes that the call transferred, its descriptor, its offset in the file. False: it has none. */
bool varve_call_size(const struct varve_call *call, uint64_t *size);
bool varve_call_fd(const struct varve_call *call, int32_t *fd);
bool varve_call_offset(const struct varve_call *call, int64_t *offset);

/* A decoded argument. */
struct varve_argument {
	const struct varve_field *field;
	const struct varve_kind *kind;
	uint64_t word;		/* as recorded */
	int32_t fd;		/* VARVE_STYLE_FD, _DIRFD */
	uint32_t handle;	/* VARVE_STYLE_FD, _DIRFD, _HANDLE; 0: unknown */
	struct varve_text text; /* VARVE_STYLE_NAME, _STRING: as the program passed it */
	struct varve_text
		absolute; /* VARVE_STYLE_NAME: the absolute path; with a handle: the path of its file */
};
/* Argument number `at` of the call's function. False: it was not recorded, or it is an output of a call that failed or
 * never returned. */
bool varve_call_argument(const struct varve_call *call, size_t at, struct varve_argument *argument);

/* Records as columns: entry i of each array belongs to record i. Arrays that the query does not request are NULL. */
struct varve_batch {
	size_t count;
	const uint32_t *stream;	  /* index: varve_stream_at() */
	const uint16_t *function; /* id: varve_function_of() */
	const uint8_t *depth;
	const uint8_t *marks;
	const uint64_t *ordinal;
	const int64_t *start; /* VARVE_TIMES */
	const int64_t *end;
	const int64_t *result; /* VARVE_RESULTS */
	const int32_t *error;
	const uint8_t *
		word_count; /* VARVE_ARGUMENTS: words[word_at[i]] is the first of word_count[i] words */
	const uint32_t *word_at;
	const uint64_t *words;
	const uint32_t *file; /* VARVE_FILES: index in `files`, or VARVE_NO_FILE */
	const struct varve_file *files;
	size_t file_count;
	const uint64_t *size; /* VARVE_SIZES: bytes that the call transferred, or VARVE_NO_SIZE */
};
#define VARVE_NO_FILE UINT32_MAX
#define VARVE_NO_SIZE UINT64_MAX

/* The next records, up to some thousands; valid until the next call of a function of this cursor. VARVE_END: there are no
 * more. Read a cursor either by calls or by batches, not both. */
enum varve_status varve_cursor_batch(struct varve_cursor *cursor, const struct varve_batch **batch,
				     struct varve_causes *causes);

#ifdef __cplusplus
}
#endif

#endif
