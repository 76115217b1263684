/* Fuzzing: one block: its header, summaries and columns, and its records and definitions.
 *
 * Input: a byte of flags, a byte of which parts are wanted, then the block. Decoded twice: what is decoded in part must be
 * the same as in the whole.
 */
#include "fuzz.h"

#include "codec/decode.h"

#include <stdlib.h>
#include <string.h>

enum { REPAIR = 1, NEWER = 2, RECORDS_MOST = 4096 };

static bool batch_read(const uint8_t *bytes, const struct block_header *header, unsigned want,
		       struct batch *batch)
{
	bound_begin((size_t)header->length, 1);
	enum status status =
		decode_block(bytes, header, call_rows, call_rows_count, want, batch, NULL);
	bound_end();
	return status == STATUS_OK;
}

static void read_rows(const uint8_t *bytes, const struct block_header *header)
{
	for (uint32_t i = 0; i < header->summaries; i++) {
		struct block_summary row = block_summary_at(bytes, header, i);
		touch(&row, sizeof row);
	}
	for (uint32_t i = 0; i < header->columns; i++) {
		struct block_column row = block_column_at(bytes, header, i);
		touch(&row, sizeof row);
	}
}

static void read_definitions(const struct batch *batch)
{
	for (size_t i = 0; i < batch->definition_count; i++) {
		const struct definition *definition = &batch->definitions[i];
		if (definition->before > batch->count)
			abort();
		if (definition->text_length)
			touch(definition->text, definition->text_length);
	}
}

static void same(bool fine)
{
	if (!fine)
		abort();
}

/* Some records of a long block, all of a short one; what `part` has must be as in `whole`. */
static void compare(const struct batch *whole, const struct batch *part, unsigned want)
{
	same(whole->count == part->count);
	size_t step = whole->count / RECORDS_MOST + 1;
	for (size_t at = 0; at < whole->count; at += step) {
		struct record a, b;
		batch_record(whole, at, &a);
		batch_record(part, at, &b);
		touch(a.word, a.words * sizeof *a.word);
		same(a.words <= RECORD_ARGUMENTS_MOST && b.words <= RECORD_ARGUMENTS_MOST);
		same(a.function == b.function && a.depth == b.depth && a.marks == b.marks &&
		     a.ordinal == b.ordinal);
		same(!(want & WANT_TIMES) || (a.entry == b.entry && a.exit == b.exit));
		same(!(want & WANT_RESULTS) || (a.result == b.result && a.error == b.error));
		same(!(want & WANT_WORDS) ||
		     (a.words == b.words && !memcmp(a.word, b.word, a.words * sizeof *a.word)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	uint8_t flags = input_byte(&input);
	unsigned want = input_byte(&input) & WANT_ALL;
	size_t length = input.left;
	uint8_t *block = part_copy(input_rest(&input));
	if (flags & REPAIR)
		repair_block(block, length, flags & NEWER ? REPAIR_NEWER : 0);
	touch(&(uint64_t){block_search(block, length, 1)}, sizeof(uint64_t));
	struct block_header header;
	struct batch whole, part;
	if (block_open(block, length, &header, NULL) == STATUS_OK) {
		read_rows(block, &header);
		if (block_check(block, &header, NULL) != STATUS_OK)
			touch(&header, sizeof header);
		bool good = batch_read(block, &header, WANT_ALL, &whole);
		bool some = batch_read(block, &header, want, &part);
		same(some || !good);
		if (good) {
			compare(&whole, &part, want);
			read_definitions(&whole);
		}
		if (good)
			batch_clear(&whole);
		if (some)
			batch_clear(&part);
	}
	free(block);
	return 0;
}
