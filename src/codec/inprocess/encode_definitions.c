/* Codec: definitions from their form in a lane to their form in a block: type, place, then their words as varints. */
#include "codec/inprocess/encode_state.h"

#include "base/varint.h"

#include <string.h>

/* Number of words of each definition after its length. If it has a text, the last of these words is the length of the text. */
static const struct {
	uint8_t words;
	bool text;
} forms[] = {
	[DEFINE_NAME - DEFINE_FIRST] = {4, true},      [DEFINE_HANDLE - DEFINE_FIRST] = {7, false},
	[DEFINE_IDENTITY - DEFINE_FIRST] = {5, false}, [DEFINE_PROCESS - DEFINE_FIRST] = {1, true},
	[DEFINE_THREAD - DEFINE_FIRST] = {3, false},
};

void encode_definition(struct encode *encode, const uint64_t *words, uint64_t length)
{
	unsigned type = (unsigned)(words[WORD_HEADER] >> 16 & 0xffff) - DEFINE_FIRST;
	if (type >= sizeof forms / sizeof *forms || length < 2u + forms[type].words)
		return;
	const uint64_t *field = words + 2;
	uint64_t room = (length - 2 - forms[type].words) * 8;
	uint64_t text = forms[type].text ? field[forms[type].words - 1] : 0;
	if (text > room)
		return;
	uint8_t *at = encode->definitions_end;
	*at++ = (uint8_t)type;
	at = varint_put(at, encode->count);
	for (unsigned i = 0; i < forms[type].words; i++)
		at = varint_put(at, field[i]);
	memcpy(at, field + forms[type].words, text);
	encode->definitions_end = at + text;
	encode->header.definitions++;
}
