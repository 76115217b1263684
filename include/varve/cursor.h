/* Varve: reading records, one by one or as arrays of columns; by stream, or merged by time over all streams.
 *
 *	struct varve_query query = VARVE_QUERY_ALL;
 *	query.filter = filter;
 *	varve_cursor_open(trace, &query, &cursor, &causes);
 *	while ((status = varve_cursor_next(cursor, &call, &causes)) == VARVE_OK)
 *		...
 *	varve_cursor_close(cursor);
 *
 * A call that was cut by the end of a block is one call here: it stands where it began and has the result that it got later.
 * Only blocks that can hold wanted records are decoded, and of those only the columns that are asked for. Merged by time,
 * equal times keep the order of streams, and a stream the order of its records. Memory: a part of one decoded block for each
 * stream that has records around the current time.
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

/* What is wanted beside function, depth, marks and ordinal, which are always there. */
enum varve_column {
	VARVE_TIMES = 1,
	VARVE_RESULTS = 2, /* results and errors */
	VARVE_ARGUMENTS = 4,
	VARVE_FILES = 8, /* of batches: which file each record is about; brings arguments */
	VARVE_SIZES =
		16, /* of batches: the bytes that each record moved, as varve_call_size() gives them */
	VARVE_COLUMNS_ALL = 31,
};

struct varve_query {
	enum varve_order order;
	unsigned columns;		   /* enum varve_column, or-ed */
	const struct varve_filter *filter; /* NULL: all records; must outlive the cursor */
	uint32_t process;		   /* 0: all */
	uint32_t thread;		   /* 0: all */
	int64_t from_ns;		   /* entry since the start of the run, from here on */
	int64_t to_ns;			   /* and before this */
	const uint8_t *
		functions; /* 65536 flags by id of the function: those that are wanted; NULL: all; must outlive the cursor */
	void *reserved[3];
};

/* clang-format off */
#define VARVE_QUERY_ALL                                                                            \
	{VARVE_ORDER_TIME, VARVE_COLUMNS_ALL, 0, 0, 0, INT64_MIN, INT64_MAX, 0, {0, 0, 0}}
/* clang-format on */

/* One call; valid until the cursor's next call. */
struct varve_call {
	const struct varve_stream *stream;
	const struct varve_function *function; /* NULL: not in the trace's tables */
	uint16_t function_id;
	uint8_t depth; /* calls of the same thread that it was made in */
	uint8_t marks; /* enum varve_mark */
	int32_t error;
	uint64_t ordinal; /* number of the call in its stream, from 0 */
	int64_t start;	  /* ns since the start of the run */
	int64_t end;
	int64_t result;
	uint32_t word_count;
	const uint64_t *
		words; /* argument words as they were recorded; varve_call_argument() makes values of them */
	void *cursor; /* inside */
	uint64_t place;
};

enum varve_status varve_cursor_open(struct varve_trace *trace, const struct varve_query *query,
				    struct varve_cursor **cursor, struct varve_causes *causes);
/* VARVE_END: no more. Damage that is found on the way goes into the trace's list. */
enum varve_status varve_cursor_next(struct varve_cursor *cursor, const struct varve_call **call,
				    struct varve_causes *causes);
void varve_cursor_close(struct varve_cursor *cursor);

/* How far the cursor is: records of all blocks that are behind it, and of all that it has to read. */
void varve_cursor_progress(const struct varve_cursor *cursor, uint64_t *done, uint64_t *all);

/* The file that a call is about: that of its first path, else of its first descriptor or handle; false: nothing is known.
 * This, arguments, descriptor and position need VARVE_ARGUMENTS, the size of what was moved VARVE_RESULTS too: without, there
 * are none. */
bool varve_call_file(const struct varve_call *call, struct varve_file *file);
/* Of a call on two files the other one: that of its second path, or of its second descriptor or handle; false: there is none. */
bool varve_call_second_file(const struct varve_call *call, struct varve_file *file);

/* Bytes that the call moved, its descriptor, its position in the file; false: it has none. */
bool varve_call_size(const struct varve_call *call, uint64_t *size);
bool varve_call_fd(const struct varve_call *call, int32_t *fd);
bool varve_call_offset(const struct varve_call *call, int64_t *offset);

/* An argument as a value. */
struct varve_argument {
	const struct varve_field *field;
	const struct varve_kind *kind;
	uint64_t word;		/* as recorded */
	int32_t fd;		/* VARVE_STYLE_FD, _DIRFD */
	uint32_t handle;	/* VARVE_STYLE_FD, _DIRFD, _HANDLE; 0: unknown */
	struct varve_text text; /* VARVE_STYLE_NAME, _STRING: as the program gave it */
	struct varve_text
		absolute; /* VARVE_STYLE_NAME: the absolute path; of a handle: that of its file */
};
/* Field `at` of the call's function; false: it was not recorded, or is an output of a call that failed or never returned. */
bool varve_call_argument(const struct varve_call *call, size_t at, struct varve_argument *argument);

/* Records as columns: entry i of each array belongs to record i. Arrays that were not asked for are NULL. */
struct varve_batch {
	size_t count;
	const uint32_t *stream;	  /* place: varve_stream_at() */
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
	const uint32_t *file; /* VARVE_FILES: place in `files`, or VARVE_NO_FILE */
	const struct varve_file *files;
	size_t file_count;
	const uint64_t *size; /* VARVE_SIZES: bytes that the call moved, or VARVE_NO_SIZE */
};
#define VARVE_NO_FILE UINT32_MAX
#define VARVE_NO_SIZE UINT64_MAX

/* The next records, some thousands at most; valid until the cursor's next call. VARVE_END: no more. One cursor is read either
 * by calls or by batches. */
enum varve_status varve_cursor_batch(struct varve_cursor *cursor, const struct varve_batch **batch,
				     struct varve_causes *causes);

#ifdef __cplusplus
}
#endif

#endif
