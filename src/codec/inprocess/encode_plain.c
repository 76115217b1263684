/* Codec: a lane record by record, for the codecs that store records one after the other: rows and peephole.
 *
 * Reads each record into the form that readers use, adds it to the sums of its function, and converts definitions to their form
 * in a block. It has no limits: it handles everything that a lane can hold. The codec decides how records are stored.
 */
#include "codec/inprocess/encode_state.h"
#include "codec/moved.h"

#include <string.h>

struct plain_pass plain_start(struct encode *encode)
{
	encode->count = encode->continued = 0;
	encode->found->backward = 0;
	encode->definitions_end = encode->definitions;
	encode->header.definitions = 0;
	encode->header.first_tick = INT64_MAX;
	encode->header.last_tick = INT64_MIN;
	return (struct plain_pass){
		.encode = encode,
		.walk = lane_walk_start(encode->lane, encode->lane_size),
		.fresh = encode->lane->first_ordinal,
	};
}

/* Finds the index of the record's function in the block, and its row. The slot has the index that the same id had last time; a
 * value that the scan for columns has left there is only a wrong guess. */
static void function_place(struct plain_pass *pass, uint16_t id)
{
	struct encode *encode = pass->encode;
	uint16_t *slot = &encode->shape_slot[id % SHAPE_SLOTS];
	uint32_t at = *slot;
	if (at >= pass->functions || encode->summaries[at].function != id)
		for (at = 0; at < pass->functions && encode->summaries[at].function != id; at++)
			;
	bool met = at < pass->functions;
	if (!met) {
		encode->summaries[at] = (struct block_summary){.function = id};
		pass->functions++;
	}
	*slot = (uint16_t)at;
	pass->function = at;
	if (met && at < FUNCTIONS_MOST)
		pass->row = encode->functions[at].row;
	else
		pass->row = call_row_find(encode->rows, encode->row_count, id);
	if (at < FUNCTIONS_MOST)
		encode->functions[at].row = pass->row;
}

static uint64_t record_bytes(const struct call_row *row, const struct record *record)
{
	uint64_t bytes = 0;
	if (row)
		(void)moved_bytes(row->bytes_rule, row->bytes_word, record->marks, record->result,
				  record->word, record->words, &bytes);
	return bytes;
}

static void record_count(struct plain_pass *pass)
{
	const struct record *record = &pass->record;
	struct block_header *header = &pass->encode->header;
	struct block_summary *summary = &pass->encode->summaries[pass->function];
	bool continued = record->marks & VARVE_CONTINUED;
	summary->calls += !continued;
	summary->failures += record->marks & VARVE_FAILED;
	summary->unfinished += (record->marks & VARVE_UNFINISHED ? 1 : 0) - continued;
	summary->ticks += (uint64_t)record->exit - (uint64_t)record->entry;
	summary->bytes = bytes_sum(summary->bytes, record_bytes(pass->row, record));
	int64_t last = record->exit > record->entry ? record->exit : record->entry;
	pass->encode->found->backward += record->exit < record->entry;
	header->first_tick =
		record->entry < header->first_tick ? record->entry : header->first_tick;
	header->last_tick = last > header->last_tick ? last : header->last_tick;
	pass->encode->count++;
	if (continued)
		pass->encode->ordinals[pass->encode->continued++] = record->ordinal;
}

/* Reads a record from the words of a lane. */
static void record_read(struct plain_pass *pass, const uint64_t *words, uint64_t length)
{
	struct encode *encode = pass->encode;
	struct record *record = &pass->record;
	uint32_t key = (uint32_t)words[WORD_HEADER];
	bool continued = key & MARK_CONTINUED, finished = words[WORD_EXIT] != 0;
	uint8_t failed = (uint8_t)(words[WORD_EXIT] >> 63); /* VARVE_FAILED */
	record->function = (uint16_t)(key >> 16);
	record->depth = key & DEPTH_MASK;
	record->marks =
		(uint8_t)((finished ? failed : VARVE_UNFINISHED) |
			  (continued ? VARVE_CONTINUED : 0) | (key & MARK_VFORK ? VARVE_VFORK : 0) |
			  (key & MARK_RUNTIME ? VARVE_RUNTIME : 0));
	record->ordinal = continued ? words[length - 1] : pass->fresh++;
	record->entry = record->exit = clock_ticks(&encode->line, words[WORD_ENTRY]);
	record->result = record->error = 0;
	if (finished) {
		record->exit = clock_ticks(&encode->line, words[WORD_EXIT] & ~EXIT_FAILED);
		record->result = record_result(words, failed, &record->error);
	} else {
		encoded_see(encode->found, (uint64_t)(words - pass->walk.base) * 8,
			    record->ordinal);
	}
	record->words = (uint32_t)(length - WORD_ARGUMENTS - continued);
	memcpy(record->word, words + WORD_ARGUMENTS, record->words * sizeof *record->word);
}

bool plain_next(struct plain_pass *pass)
{
	uint64_t length;
	const uint64_t *words;
	while ((words = lane_walk_next(&pass->walk, &length))) {
		uint32_t key = (uint32_t)words[WORD_HEADER];
		if (key >> 16 >= DEFINE_FIRST) {
			encode_definition(pass->encode, words, length);
			continue;
		}
		/* A continued record without its ordinal is invalid. */
		if ((key & MARK_CONTINUED) && length == WORD_ARGUMENTS)
			continue;
		record_read(pass, words, length);
		function_place(pass, pass->record.function);
		record_count(pass);
		return true;
	}
	return false;
}

void plain_finish(struct plain_pass *pass, struct column_rows *to, uint8_t *block,
		  enum block_codec codec)
{
	struct encode *encode = pass->encode;
	struct block_header *header = &encode->header;
	struct encoded *found = encode->found;
	found->records = encode->count;
	found->fresh = pass->fresh - encode->lane->first_ordinal;
	found->gaps = pass->walk.gaps;
	found->definitions = header->definitions;
	if (!encode->count)
		header->first_tick = header->last_tick = 0;
	header->codec = (uint8_t)codec;
	header->records = encode->count;
	header->summaries = pass->functions;
	header->columns = to->count;
	size_t summaries = pass->functions * sizeof *encode->summaries;
	size_t columns = to->count * sizeof *to->rows;
	header->header_length = (uint32_t)(sizeof *header + summaries + columns);
	/* Columns are directly behind the fixed part until the number of rows of the header is known. */
	size_t payload = (size_t)(to->at - block) - sizeof *header;
	memmove(block + header->header_length, block + sizeof *header, payload);
	memcpy(block + sizeof *header, encode->summaries, summaries);
	memcpy(block + sizeof *header + summaries, to->rows, columns);
	header->length = header->header_length + payload;
	block_seal(block, header);
	found->length = header->length;
}
