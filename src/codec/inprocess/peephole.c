/* Codec: the record encoding of Recorder 2.0. See peephole.h. */
#include "codec/inprocess/peephole.h"

#include <string.h>

static unsigned differing_columns(const struct peephole_record *record)
{
	return (unsigned)__builtin_popcount(record->status & (PEEPHOLE_COMPRESSED - 1));
}

static uint8_t bit_of(unsigned argument)
{
	return (uint8_t)(PEEPHOLE_COMPRESSED >> (argument + 1));
}

static bool same_text(struct peephole_text a, struct peephole_text b)
{
	return a.length == b.length && (a.at == b.at || !memcmp(a.at, b.at, a.length));
}

/* The record `distance` records back. */
static const struct peephole_last *record_back(const struct peephole_window *window,
					       uint32_t distance)
{
	uint32_t place = window->newest + window->size - (distance - 1);
	return &window->last[place < window->size ? place : place - window->size];
}

/* Chooses the record to refer to: the one with the most equal arguments, and the last of several. */
static void reference_choose(const struct peephole_window *window, struct peephole_record *record)
{
	unsigned most = 0;
	record->status = record->distance = 0;
	if (!record->count || record->count > PEEPHOLE_ARGUMENTS)
		return;
	for (uint32_t distance = 1; distance <= window->held && most < record->count; distance++) {
		const struct peephole_last *last = record_back(window, distance);
		if (last->function != record->function || last->count != record->count)
			continue;
		uint8_t status = PEEPHOLE_COMPRESSED;
		unsigned equal = 0;
		for (unsigned i = 0; i < record->count; i++) {
			bool same = same_text(last->argument[i], record->argument[i]);
			equal += same;
			status |= same ? 0 : bit_of(i);
		}
		if (equal > most) {
			most = equal;
			record->status = status;
			record->distance = (uint8_t)distance;
		}
	}
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof value);
	return at + sizeof value;
}

uint8_t *peephole_put(struct peephole_window *window, struct peephole_record *record, uint8_t *at)
{
	reference_choose(window, record);
	*at++ = record->status;
	at = put32(at, record->start);
	at = put32(at, record->end);
	if (record->distance)
		*at++ = (uint8_t)-record->distance;
	else
		*at++ = record->function < PEEPHOLE_FAR ? (uint8_t)record->function : PEEPHOLE_FAR;
	for (unsigned i = 0; i < record->count; i++) {
		struct peephole_text *argument = &record->argument[i];
		if (record->distance && !(record->status & bit_of(i))) {
			*argument = record_back(window, record->distance)->argument[i];
			continue;
		}
		*at++ = ' ';
		memcpy(at, argument->at, argument->length);
		argument->at = at;
		at += argument->length;
	}
	*at++ = '\n';
	peephole_keep(window, record);
	return at;
}

void peephole_keep(struct peephole_window *window, const struct peephole_record *record)
{
	if (!window->size)
		return;
	window->newest = window->newest + 1 < window->size ? window->newest + 1 : 0;
	window->held += window->held < window->size;
	struct peephole_last *last = &window->last[window->newest];
	last->function = record->function;
	last->count = record->count;
	if (record->count <= PEEPHOLE_ARGUMENTS)
		memcpy(last->argument, record->argument, record->count * sizeof *record->argument);
}

/* Reads the argument that begins with the space at `*at`, up to the next space or newline that is not escaped. */
static const char *text_get(const uint8_t **at, const uint8_t *end, struct peephole_text *text)
{
	const uint8_t *from = ++*at, *to = from;
	for (; to < end && *to != ' ' && *to != '\n'; to++) {
		if (*to != '\\')
			continue;
		if (++to == end || (*to != ' ' && *to != '\n' && *to != '\\'))
			return "a record has a wrong escape sequence";
	}
	if (to - from > (ptrdiff_t)UINT32_MAX)
		return "an argument of a record is too long";
	*text = (struct peephole_text){from, (uint32_t)(to - from)};
	*at = to;
	return NULL;
}

/* Reads the stored arguments, one after the other, and the newline. */
static const char *texts_get(const uint8_t **at, const uint8_t *end, struct peephole_text *texts,
			     uint32_t most, uint32_t *count)
{
	for (*count = 0; *at < end && **at == ' '; ++*count) {
		if (*count == most)
			return "a record has too many arguments";
		const char *wrong = text_get(at, end, &texts[*count]);
		if (wrong)
			return wrong;
	}
	if (*at == end || *(*at)++ != '\n')
		return "the end of a record is missing";
	return NULL;
}

/* Reads a compressed record: stored arguments where it differs, those of the other record where it does not. */
static const char *differences_get(const struct peephole_window *window, const uint8_t **at,
				   const uint8_t *end, struct peephole_record *record)
{
	struct peephole_text stored[PEEPHOLE_ARGUMENTS];
	uint32_t count, next = 0;
	if (!record->distance || record->distance > window->held)
		return "a record refers to a missing record";
	const struct peephole_last *last = record_back(window, record->distance);
	record->function = last->function;
	record->count = last->count;
	if (!record->count || record->count > PEEPHOLE_ARGUMENTS ||
	    differing_columns(record) >= record->count ||
	    record->status & (bit_of(record->count - 1) - 1))
		return "a record lists differences in arguments that it does not have";
	const char *wrong = texts_get(at, end, stored, differing_columns(record), &count);
	if (wrong)
		return wrong;
	if (count != differing_columns(record))
		return "a record has too few arguments";
	for (unsigned i = 0; i < record->count; i++)
		record->argument[i] =
			record->status & bit_of(i) ? stored[next++] : last->argument[i];
	return NULL;
}

const char *peephole_get(const struct peephole_window *window, const uint8_t **at,
			 const uint8_t *end, struct peephole_record *record)
{
	const uint8_t *head = *at;
	if (end - head < PEEPHOLE_HEAD)
		return "a record is truncated";
	*at += PEEPHOLE_HEAD;
	record->status = head[0];
	memcpy(&record->start, head + 1, sizeof record->start);
	memcpy(&record->end, head + 5, sizeof record->end);
	if (record->status & PEEPHOLE_COMPRESSED) {
		record->distance = (uint8_t)-head[9];
		return differences_get(window, at, end, record);
	}
	if (record->status)
		return "a record of an unknown status";
	record->distance = 0;
	record->function = head[9];
	return texts_get(at, end, record->argument, RECORD_ARGUMENTS_MOST, &record->count);
}

uint8_t *peephole_word_put(uint8_t *to, uint64_t word, bool hex)
{
	uint8_t digits[PEEPHOLE_WORD_TEXT];
	unsigned count = 0;
	if (hex) {
		*to++ = '0';
		*to++ = 'x';
	} else if ((int64_t)word < 0) {
		*to++ = '-';
		word = -word;
	}
	do {
		digits[count++] = (uint8_t) "0123456789abcdef"[hex ? word & 15 : word % 10];
		word = hex ? word >> 4 : word / 10;
	} while (word);
	while (count)
		*to++ = digits[--count];
	return to;
}

static int digit_of(uint8_t letter)
{
	return letter >= '0' && letter <= '9'	? letter - '0'
	       : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
						: 16;
}

bool peephole_word_get(struct peephole_text text, uint64_t *word)
{
	const uint8_t *at = text.at, *end = text.at + text.length;
	uint64_t sum = 0;
	bool hex = end - at > 2 && at[0] == '0' && at[1] == 'x';
	bool negative = !hex && at < end && *at == '-';
	at += hex ? 2 : negative;
	if (at == end)
		return false;
	uint64_t base = hex ? 16 : 10;
	for (; at < end; at++) {
		uint64_t digit = (uint64_t)digit_of(*at);
		if (digit >= base || sum > (UINT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	if (negative && sum > (uint64_t)1 << 63)
		return false;
	*word = negative ? -sum : sum;
	return true;
}

void peephole_count(struct peephole_tally *tally, const struct peephole_record *record)
{
	uint64_t plain = PEEPHOLE_HEAD + 1, bytes = plain;
	for (unsigned i = 0; i < record->count; i++) {
		uint64_t length = 1 + (uint64_t)record->argument[i].length;
		plain += length;
		bytes += record->distance && !(record->status & bit_of(i)) ? 0 : length;
	}
	tally->records++;
	tally->arguments += record->count;
	tally->bytes += bytes;
	tally->plain_bytes += plain;
	if (!record->distance)
		return;
	unsigned stored = differing_columns(record);
	tally->compressed++;
	tally->compressed_arguments += record->count;
	tally->saved += record->count - stored;
	tally->differing[stored]++;
}
