/* Codec: the plain codec `binary`: every record whole, one after the other. The reference for the others, and what is
 * used when a lane holds more kinds of records than the columns have room for.
 *
 * Per record: marks, depth, function (2 bytes), words (1 byte), zero (3 bytes), ordinal, entry, exit, result (8 bytes
 * each), errno (4 bytes), zero (4 bytes), then its words.
 */
#include "codec/encode_state.h"
#include "codec/lane_walk.h"

#include <string.h>

enum { BINARY_HEAD = 48 };

static uint8_t *put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof value);
	return at + sizeof value;
}

/* Summaries are few and searched from the newest: records come in runs. */
static struct block_summary *summary_of(struct block_summary *summaries, uint32_t *count,
					uint16_t function)
{
	for (uint32_t i = *count; i-- > 0;)
		if (summaries[i].function == function)
			return &summaries[i];
	summaries[*count] = (struct block_summary){.function = function};
	return &summaries[(*count)++];
}

void encode_binary(struct encode *encode, uint8_t *output)
{
	struct block_header *header = &encode->header;
	struct encoded *found = encode->found;
	struct lane_walk walk = lane_walk_start(encode->lane, encode->lane_size);
	uint32_t summary_count = 0;
	uint8_t *rows = output + sizeof *header;
	uint8_t *at = rows;
	uint64_t length, fresh = encode->lane->first_ordinal;
	const uint64_t *words;
	found->backward = 0;
	encode->count = 0;
	encode->definitions_end = encode->definitions;
	header->definitions = 0;
	header->first_tick = INT64_MAX;
	header->last_tick = INT64_MIN;
	while ((words = lane_walk_next(&walk, &length))) {
		uint32_t key = (uint32_t)words[WORD_HEADER];
		uint16_t function = (uint16_t)(key >> 16);
		if (function >= DEFINE_FIRST) {
			encode_definition(encode, words, length);
			continue;
		}
		bool continued = key & MARK_CONTINUED;
		size_t count = (size_t)length - WORD_ARGUMENTS;
		if (continued && count == 0)
			continue;
		count -= continued;
		uint8_t marks = words[WORD_EXIT] == 0 ? RECORD_UNFINISHED
						      : (uint8_t)(words[WORD_EXIT] >> 63);
		uint64_t ordinal = continued ? words[length - 1] : fresh++;
		int64_t entry = clock_ticks(&encode->line, words[WORD_ENTRY]);
		int64_t exit =
			marks & RECORD_UNFINISHED
				? entry
				: clock_ticks(&encode->line, words[WORD_EXIT] & ~EXIT_FAILED);
		int32_t error = 0;
		int64_t result = marks & RECORD_UNFINISHED
					 ? 0
					 : record_result(words, marks & RECORD_FAILED, &error);
		if (marks & RECORD_UNFINISHED)
			encoded_see(found, (uint64_t)(words - walk.base) * 8, ordinal);
		struct block_summary *summary =
			summary_of(encode->summaries, &summary_count, function);
		summary->calls += !continued;
		summary->failures += marks & RECORD_FAILED;
		summary->unfinished += (marks & RECORD_UNFINISHED ? 1 : 0) - continued;
		summary->ticks += (uint64_t)exit - (uint64_t)entry;
		const struct call_row *row =
			call_row_find(encode->rows, encode->row_count, function);
		if (row && row->bytes_rule == BYTES_WORD) {
			if (!(marks & (RECORD_UNFINISHED | RECORD_FAILED)) &&
			    row->bytes_word < count)
				summary->bytes += words[WORD_ARGUMENTS + row->bytes_word];
		} else if (row && row->bytes_rule != BYTES_NONE && result > 0)
			summary->bytes +=
				(uint64_t)result *
				(row->bytes_rule == BYTES_RESULT_TIMES && row->bytes_word < count
					 ? words[WORD_ARGUMENTS + row->bytes_word]
					 : 1);
		*at++ = (uint8_t)(marks | (continued ? RECORD_CONTINUED : 0) |
				  (key & MARK_VFORK ? RECORD_VFORK : 0) |
				  (key & MARK_RUNTIME ? RECORD_RUNTIME : 0));
		*at++ = key & DEPTH_MASK;
		memcpy(at, &function, sizeof function);
		at += sizeof function;
		*at++ = (uint8_t)count;
		memset(at, 0, 3);
		at = put64(at + 3, ordinal);
		at = put64(at, (uint64_t)entry);
		at = put64(at, (uint64_t)exit);
		at = put64(at, (uint64_t)result);
		at = put64(at, (uint32_t)error);
		memcpy(at, words + WORD_ARGUMENTS, count * 8);
		at += count * 8;
		found->backward += exit < entry;
		header->first_tick = entry < header->first_tick ? entry : header->first_tick;
		header->last_tick = exit > header->last_tick ? exit : header->last_tick;
		header->last_tick = entry > header->last_tick ? entry : header->last_tick;
		encode->count++;
	}
	found->records = encode->count;
	found->fresh = fresh - encode->lane->first_ordinal;
	found->gaps = walk.gaps;
	found->definitions = header->definitions;
	if (!encode->count)
		header->first_tick = header->last_tick = 0;

	size_t row_bytes = (size_t)(at - rows);
	size_t definition_bytes = (size_t)(encode->definitions_end - encode->definitions);
	struct block_column columns[2] = {
		{.column = COLUMN_ROWS, .encoding = ENCODING_BYTES, .count = (uint32_t)row_bytes},
		{.column = COLUMN_DEFINITIONS,
		 .encoding = ENCODING_BYTES,
		 .count = (uint32_t)definition_bytes},
	};
	header->codec = CODEC_BINARY;
	header->records = encode->count;
	header->summaries = summary_count;
	header->columns = 2;
	header->header_length =
		(uint32_t)(sizeof *header + summary_count * sizeof(struct block_summary) +
			   sizeof columns);
	/* Make room for the header's rows and for the plane's leading byte. */
	uint8_t *payload = output + header->header_length;
	memmove(payload + 1, rows, row_bytes);
	*payload = PLANE_STORED;
	columns[0].stored = (uint32_t)row_bytes + 1;
	uint8_t *after = payload + columns[0].stored;
	*after = PLANE_STORED;
	memcpy(after + 1, encode->definitions, definition_bytes);
	columns[1].stored = (uint32_t)definition_bytes + 1;
	uint8_t *row = output + sizeof *header;
	memcpy(row, encode->summaries, summary_count * sizeof(struct block_summary));
	memcpy(row + summary_count * sizeof(struct block_summary), columns, sizeof columns);
	header->length = header->header_length + columns[0].stored + columns[1].stored;
	block_seal(output, header);
	found->length = header->length;
}

_Static_assert(BINARY_HEAD == 8 + 8 * 5, "the head of a binary record");
