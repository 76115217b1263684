/* Codec: the tables of functions, arguments and kinds in a trace (BLOCK_TABLES).
 *
 * gen/ makes the bytes (`tables_blob`). tables_parse() reads them from any trace, so that a reader prints what the recorder of
 * that trace supported. docs/format.md has the layout.
 */
#ifndef CODEC_HOST_TABLES_H
#define CODEC_HOST_TABLES_H

#include "base/status.h"
#include "codec/moved.h"
#include "codec/record.h"
#include "codec/rows.h"

#include <varve/definitions.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version at the beginning of tables. Version 3 has VARVE_BYTES_FIXED; version 2 is a packed form of one of these. */
enum { TABLES_VERSION_FIRST = 1, TABLES_VERSION = 3 };

struct tables {
	uint32_t layer_count;
	const char **layers;
	uint32_t kind_count;
	struct varve_kind *kinds;
	uint32_t function_count; /* sorted by id */
	struct varve_function *functions;
	struct call_row *rows; /* of all functions, sorted by id */
	void *memory;	       /* contains all of these */
};

enum varve_status tables_parse(const uint8_t *bytes, size_t size, struct tables *tables,
			       struct varve_causes *causes) MUST_CHECK;
void tables_clear(struct tables *tables);

/* Identifies tables: the XXH64 of their bytes, without the zero bytes at their end. */
uint64_t tables_check_of(const uint8_t *bytes, size_t size);
const struct varve_function *tables_find(const struct tables *tables, uint16_t id);

static inline enum varve_style tables_style(const struct tables *tables, uint32_t kind)
{
	return kind < tables->kind_count ? tables->kinds[kind].style : VARVE_STYLE_ABSENT;
}

/* Whether a word means that the program passed no value: a pointer to a position was NULL. */
bool tables_absent(const struct varve_kind *kind, uint64_t word);

/* Whether a successful call has set an output: a wait that returned without a child (WNOHANG) has not set a status. */
bool tables_set(const struct varve_kind *kind, int64_t result, uint64_t word);

/* The field with the position in the file at which a call works: the first input that is a position, otherwise the output of
 * kind `byte_offset`, which is negative if the position is unknown; NULL: no such field. Only fields below `words` count. */
const struct varve_field *tables_offset(const struct tables *tables,
					const struct varve_function *function, uint32_t words);

/* The first argument of one of two styles, among inputs or outputs, in a record of `words` words; NULL: none. */
const struct varve_field *tables_field(const struct tables *tables,
				       const struct varve_function *function, enum varve_style one,
				       enum varve_style other, bool output, uint32_t words);

/* The bytes that a record adds to sums; includes what a failed call moved before it failed, if its result says so. */
static inline uint64_t record_bytes(const struct varve_function *function, uint8_t marks,
				    int64_t result, const uint64_t *words, uint32_t word_count)
{
	uint64_t bytes;
	(void)moved_bytes(function->bytes_rule, function->bytes_word, marks, result, words,
			  word_count, &bytes);
	return bytes;
}

#endif
