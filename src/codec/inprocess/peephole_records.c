/* Codec: Varve's records as records of the paper, and the rest beside them. See peephole_records.h. */
#include "codec/inprocess/peephole_records.h"

#include "base/varint.h"

/* Bits of the first byte of a record's rest, above the depth. */
enum { REST_RESULT = 0x20, REST_HANDLE = 0x40, REST_MORE = 0x80 };
/* Bits of the second byte, above the marks. */
enum { REST_HIGH = 0x20, REST_MARKS = 0x1f };

/* Upper half of a time: (high << 32 | low) is the time. */
static uint64_t high_half(int64_t time)
{
	return (uint64_t)(time >> 32);
}

static uint32_t pairs_among(uint32_t pairs, uint32_t words)
{
	return pairs & ((1u << words) - 1);
}

_Static_assert(RECORD_ARGUMENTS_MOST < 32, "a bit for each word");

/* Where the last handle of this descriptor is stored. */
static uint32_t *handle_of(struct peephole_past *past, uint64_t pair)
{
	return &past->handle[(uint32_t)pair % REST_HANDLES];
}

static bool handles_known(struct peephole_past *past, const struct record *record, uint32_t pairs)
{
	for (; pairs; pairs &= pairs - 1) {
		uint64_t word = record->word[__builtin_ctz(pairs)];
		if (*handle_of(past, word) != pair_handle(word))
			return false;
	}
	return true;
}

static void handles_keep(struct peephole_past *past, const struct record *record, uint32_t pairs)
{
	for (; pairs; pairs &= pairs - 1) {
		uint64_t word = record->word[__builtin_ctz(pairs)];
		*handle_of(past, word) = pair_handle(word);
	}
}

void peephole_writer_start(struct peephole_writer *writer, unsigned window)
{
	writer->window = (struct peephole_window){.last = writer->last, .size = window};
	writer->past = (struct peephole_past){0};
}

/* Written before the rest itself: the function, if it does not fit into the byte, and the pairs of a new function. */
static uint8_t *function_put(struct peephole_past *past, uint8_t *at,
			     const struct peephole_record *made, uint32_t pairs)
{
	if (!made->distance && made->function >= PEEPHOLE_FAR)
		at = varint_put(at, made->function);
	if (made->function == past->functions) {
		at = varint_put(at, pairs);
		past->functions++;
	}
	return at;
}

static uint8_t *rest_put(struct peephole_past *past, uint8_t *at, const struct record *record,
			 uint32_t pairs)
{
	uint64_t high = high_half(record->entry), end_high = high_half(record->exit);
	bool far = high != past->high || end_high != high;
	bool more = record->marks || far;
	bool handles = !handles_known(past, record, pairs);
	*at++ = (uint8_t)(record->depth | (record->result ? REST_RESULT : 0) |
			  (handles ? REST_HANDLE : 0) | (more ? REST_MORE : 0));
	if (more)
		*at++ = (uint8_t)(record->marks | (far ? REST_HIGH : 0));
	if (far) {
		at = varint_put(at, zigzag((int64_t)(high - past->high)));
		at = varint_put(at, zigzag((int64_t)(end_high - high)));
		past->high = high;
	}
	if (record->marks & VARVE_FAILED)
		at = varint_put(at, (uint32_t)record->error);
	if (record->result)
		at = varint_put(at, zigzag(record->result));
	if (handles)
		for (uint32_t left = pairs; left; left &= left - 1)
			at = varint_put(at, pair_handle(record->word[__builtin_ctz(left)]));
	handles_keep(past, record, pairs);
	return at;
}

void peephole_write(struct peephole_writer *writer, const struct record *record, uint32_t function,
		    const struct call_row *row, uint8_t **at, uint8_t **rest,
		    struct peephole_record *made)
{
	uint8_t texts[RECORD_ARGUMENTS_MOST * PEEPHOLE_WORD_TEXT], *text = texts;
	uint32_t pairs = row ? row->pairs : 0, hex = row ? row->hex : 0;
	made->start = (uint32_t)record->entry;
	made->end = (uint32_t)record->exit;
	made->function = function;
	made->count = record->words;
	for (uint32_t i = 0; i < record->words; i++) {
		uint64_t word = record->word[i];
		if (pairs >> i & 1)
			word = (uint64_t)(int64_t)pair_fd(word);
		uint8_t *end = peephole_word_put(text, word, hex >> i & 1);
		made->argument[i] = (struct peephole_text){text, (uint32_t)(end - text)};
		text = end;
	}
	*at = peephole_put(&writer->window, made, *at);
	*rest = function_put(&writer->past, *rest, made, pairs);
	*rest = rest_put(&writer->past, *rest, record, pairs_among(pairs, record->words));
}

static bool varint_below(const uint8_t **at, const uint8_t *end, uint64_t most, uint64_t *value)
{
	return varint_get(at, end, value) && *value <= most;
}

static const char *function_get(struct peephole_reader *reader, struct peephole_record *made)
{
	uint64_t value = made->function;
	if (!made->distance && value == PEEPHOLE_FAR &&
	    (!varint_below(&reader->rest, reader->rest_end, UINT16_MAX, &value) ||
	     value < PEEPHOLE_FAR))
		return "the function of a record is missing";
	made->function = (uint32_t)value;
	if (value < reader->past.functions)
		return NULL;
	if (value > reader->past.functions || value >= reader->functions)
		return "the function of a record has no summary row";
	if (!varint_below(&reader->rest, reader->rest_end, (1u << RECORD_ARGUMENTS_MOST) - 1,
			  &value))
		return "the list of descriptor words is missing";
	reader->pairs[reader->past.functions++] = (uint32_t)value;
	return NULL;
}

/* Reads times, error and result. */
static const char *outcome_get(struct peephole_reader *reader, uint8_t head, struct record *record,
			       const struct peephole_record *made)
{
	const uint8_t **at = &reader->rest, *end = reader->rest_end;
	uint64_t step = 0, span = 0, error = 0, result = 0;
	uint8_t more = 0;
	if (head & REST_MORE) {
		if (*at == end)
			return "the rest of a record is truncated";
		more = *(*at)++;
	}
	if (more & ~(REST_HIGH | REST_MARKS))
		return "the rest of a record is of an unknown form";
	record->marks = more & REST_MARKS;
	if (((more & REST_HIGH) && (!varint_get(at, end, &step) || !varint_get(at, end, &span))) ||
	    ((more & VARVE_FAILED) && !varint_below(at, end, UINT32_MAX, &error)) ||
	    ((head & REST_RESULT) && !varint_get(at, end, &result)))
		return "the rest of a record is truncated";
	reader->past.high += (uint64_t)unzigzag(step);
	record->entry = (int64_t)(reader->past.high << 32 | made->start);
	record->exit = (int64_t)((reader->past.high + (uint64_t)unzigzag(span)) << 32 | made->end);
	record->error = (int32_t)(uint32_t)error;
	record->result = unzigzag(result);
	return NULL;
}

/* Completes the words: those that are pairs have their descriptors, and get their handles. */
static const char *handles_get(struct peephole_reader *reader, bool stored, struct record *record,
			       uint32_t pairs)
{
	for (uint32_t left = pairs; left; left &= left - 1) {
		uint64_t *word = &record->word[__builtin_ctz(left)];
		uint64_t handle = *handle_of(&reader->past, *word);
		if ((uint64_t)(int64_t)pair_fd(*word) != *word)
			return "a descriptor is out of range";
		if (stored && !varint_below(&reader->rest, reader->rest_end, UINT32_MAX, &handle))
			return "the rest of a record is truncated";
		*word = pair_make(pair_fd(*word), (uint32_t)handle);
	}
	handles_keep(&reader->past, record, pairs);
	return NULL;
}

const char *peephole_read(struct peephole_reader *reader, struct record *record,
			  struct peephole_record *made)
{
	const char *wrong = peephole_get(&reader->window, &reader->at, reader->end, made);
	if (!wrong)
		wrong = function_get(reader, made);
	if (wrong)
		return wrong;
	peephole_keep(&reader->window, made);
	record->function = (uint16_t)made->function;
	record->words = made->count;
	for (uint32_t i = 0; i < made->count; i++)
		if (!peephole_word_get(made->argument[i], &record->word[i]))
			return "an argument is not a number";
	if (reader->rest == reader->rest_end)
		return "the rest of a record is missing";
	uint8_t head = *reader->rest++;
	record->depth = head & DEPTH_MASK;
	wrong = outcome_get(reader, head, record, made);
	if (wrong)
		return wrong;
	return handles_get(reader, head & REST_HANDLE, record,
			   pairs_among(reader->pairs[made->function], made->count));
}
