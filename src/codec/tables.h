/* Codec: the tables of functions, arguments and kinds, as a trace carries them (BLOCK_TABLES).
 *
 * gen/ makes the bytes (`tables_blob`); tables_parse() reads those of any trace, so that a reader prints what its
 * recorder knew. docs/format.md has the layout.
 */
#ifndef CODEC_TABLES_H
#define CODEC_TABLES_H

#include "base/status.h"
#include "codec/record.h"
#include "codec/rows.h"

#include <varve/definitions.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tables {
	uint32_t layer_count;
	const char **layers;
	uint32_t kind_count;
	struct varve_kind *kinds;
	uint32_t function_count; /* sorted by id */
	struct varve_function *functions;
	struct call_row *rows; /* of all functions, sorted by id */
	void *memory;	       /* inside */
};

enum status tables_parse(const uint8_t *bytes, size_t size, struct tables *tables,
			 struct varve_causes *causes) MUST_CHECK;
void tables_clear(struct tables *tables);

/* By which tables are known to be the same: XXH64 of their bytes, the zero bytes at their end left out. */
uint64_t tables_check_of(const uint8_t *bytes, size_t size);
const struct varve_function *tables_find(const struct tables *tables, uint16_t id);

static inline enum varve_style tables_style(const struct tables *tables, uint32_t kind)
{
	return kind < tables->kind_count ? tables->kinds[kind].style : VARVE_STYLE_ABSENT;
}

/* The first argument of one of two styles, among inputs or outputs, in a record of `words` words; NULL: none. */
/* The field that tells where in a file a call is at work: the first input that is a position, else the output of kind
 * `byte_offset`, which is negative where that is not known; NULL: there is none. Only fields below `words` count. */
const struct varve_field *tables_offset(const struct tables *tables,
					const struct varve_function *function, uint32_t words);

const struct varve_field *tables_field(const struct tables *tables,
				       const struct varve_function *function, enum varve_style one,
				       enum varve_style other, bool output, uint32_t words);

/* The bytes that a call moved which returned `result`; false: it is none that counts them. */
static inline bool function_bytes(const struct varve_function *function, int64_t result,
				  const uint64_t *words, uint32_t word_count, uint64_t *bytes)
{
	*bytes = 0;
	if (function->bytes_rule == VARVE_BYTES_WORD) {
		if (function->bytes_word < word_count)
			*bytes = words[function->bytes_word];
		return function->bytes_word < word_count;
	}
	if (function->bytes_rule == VARVE_BYTES_NONE || result < 0)
		return false;
	bool times = function->bytes_rule == VARVE_BYTES_RESULT_TIMES;
	if (times && function->bytes_word >= word_count)
		return false;
	*bytes = (uint64_t)result * (times ? words[function->bytes_word] : 1);
	return true;
}
/* The bytes that a record adds to sums: what a call moved before it failed counts too, if its result tells it. 0: none. */
static inline uint64_t record_bytes(const struct varve_function *function, uint8_t marks,
				    int64_t result, const uint64_t *words, uint32_t word_count)
{
	uint64_t bytes;
	bool told = function->bytes_rule == VARVE_BYTES_WORD;
	if ((marks & (RECORD_UNFINISHED | (told ? RECORD_FAILED : 0))) ||
	    !function_bytes(function, result, words, word_count, &bytes))
		return 0;
	return bytes;
}

#endif
