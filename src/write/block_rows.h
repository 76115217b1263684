/* Write: the content of a block that will be written: its records, one after the other, and its definitions in their stored
 * form.
 *
 * Owns the memory, which is reused for one block after the other and grows to the longest. Never reads a trace.
 */
#ifndef WRITE_BLOCK_ROWS_H
#define WRITE_BLOCK_ROWS_H

#include "base/status.h"
#include "codec/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record as the block stores it: the halves of a cut call are separate records. */
struct block_row {
	uint64_t ordinal;
	int64_t entry; /* ticks of its node */
	int64_t exit;
	int64_t result;
	size_t word_at; /* index of its argument words in `words` */
	int32_t error;
	uint16_t function;
	uint8_t depth;
	uint8_t marks; /* enum varve_mark */
	uint8_t words;
};

struct block_rows {
	struct block_row *rows;
	size_t count, room;
	uint64_t *words;
	size_t word_count, word_room;
	uint8_t *definitions;
	size_t definition_bytes, definition_room;
	uint32_t definition_count;
	bool partial; /* set before definitions are added: BLOCK_VERSION_PART, because records after the first one are missing */
};

void block_rows_empty(struct block_rows *block);
void block_rows_clear(struct block_rows *block);

/* Adds a record with room for its words, which the caller fills in. */
enum varve_status block_rows_add(struct block_rows *block, const struct block_row *row,
				 uint64_t **words, struct varve_causes *causes) MUST_CHECK;

/* Adds a definition; its text is copied. */
enum varve_status block_rows_define(struct block_rows *block, const struct definition *definition,
				    struct varve_causes *causes) MUST_CHECK;

#endif
