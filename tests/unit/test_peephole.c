/* Tests: the record encoding of Recorder 2.0: the paper's own example byte by byte, which record is referred to, texts, and bytes
 * that no writer made. The rest beside the records is tested in test_peephole_records.c, whole lanes in test_encode.c. */
#include "codec/inprocess/peephole.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

enum { ROOM = 1 << 20 };

struct call {
	uint32_t start, end, function;
	unsigned count;
	const char *argument[8];
};

/* Both sides of the encoding, and bytes between them. */
struct sides {
	struct peephole_last put_last[PEEPHOLE_WINDOW_MOST], get_last[PEEPHOLE_WINDOW_MOST];
	struct peephole_window put, get;
	uint8_t bytes[ROOM];
	uint8_t *at;
	const uint8_t *read;
};

static struct sides *sides_start(unsigned window)
{
	static struct sides sides;
	sides.put = (struct peephole_window){.last = sides.put_last, .size = window};
	sides.get = (struct peephole_window){.last = sides.get_last, .size = window};
	sides.read = sides.at = sides.bytes;
	return &sides;
}

/* Writes a call whose arguments need no escapes, and reads it back. */
static struct peephole_record pass(struct sides *sides, const struct call *call)
{
	struct peephole_record put = {call->start, call->end, call->function, call->count, {{0}},
				      0,	   0},
			       got;
	for (unsigned i = 0; i < call->count; i++)
		put.argument[i] = (struct peephole_text){(const uint8_t *)call->argument[i],
							 (uint32_t)strlen(call->argument[i])};
	sides->at = peephole_put(&sides->put, &put, sides->at);
	const char *wrong = peephole_get(&sides->get, &sides->read, sides->at, &got);
	if (!CHECK_STR(wrong, NULL))
		return got;
	peephole_keep(&sides->get, &got);
	CHECK(sides->read == sides->at);
	CHECK_EQ(got.start, call->start);
	CHECK_EQ(got.end, call->end);
	CHECK_EQ(got.function, call->function);
	CHECK_EQ(got.status, put.status);
	CHECK_EQ(got.distance, put.distance);
	if (!CHECK_EQ(got.count, call->count))
		return got;
	for (unsigned i = 0; i < call->count; i++)
		CHECK(got.argument[i].length == strlen(call->argument[i]) &&
		      !memcmp(got.argument[i].at, call->argument[i], got.argument[i].length));
	return got;
}

/* Figures 5 and 6 of the paper; where the figures differ from its definitions, the definitions count: docs/format.md. */
CASE(the_example_of_the_paper_byte_by_byte)
{
	static const struct {
		struct call call;
		size_t length;
		const char *bytes;
	} rows[] = {
#define BYTES(text) sizeof(text) - 1, text
		{{0, 0, 100, 2, {"1", "0x7ffdc64a6f64"}},
		 BYTES("\0\0\0\0\0\0\0\0\0d 1 0x7ffdc64a6f64\n")},
		{{5, 5, 100, 2, {"1", "0x7ffdc64a6f64"}}, BYTES("\x80\x05\0\0\0\x05\0\0\0\xff\n")},
		{{7, 7, 100, 2, {"1", "0x7ffdc64a6f64"}}, BYTES("\x80\x07\0\0\0\x07\0\0\0\xff\n")},
		{{9, 9, 100, 2, {"1", "0x7ffdc64a6f64"}}, BYTES("\x80\t\0\0\0\t\0\0\0\xff\n")},
		{{2104,
		  2107,
		  116,
		  6,
		  {"0x564591831ec0", "0x5645917a10a0", "11", "2", "1476395010", "1"}},
		 BYTES("\0\x38\x08\0\0\x3b\x08\0\0t 0x564591831ec0 0x5645917a10a0 11 2 "
		       "1476395010 1\n")},
		{{2111,
		  2115,
		  116,
		  6,
		  {"0x564591831f20", "0x564591831e60", "11", "2", "1476395009", "1"}},
		 BYTES("\xe4\x3f\x08\0\0\x43\x08\0\0\xff 0x564591831f20 0x564591831e60 "
		       "1476395009\n")},
		{{2960,
		  2965,
		  92,
		  6,
		  {"0x5645916fdaa0", "39416", "0x5645917a1cf0", "256", "3", "0x7ffdc649cc70"}},
		 BYTES("\0\x90\x0b\0\0\x95\x0b\0\0\\ 0x5645916fdaa0 39416 0x5645917a1cf0 256 3 "
		       "0x7ffdc649cc70\n")},
		{{2962, 2963, 11, 4, {"0", "0x5645917a1cf0", "256", "39416"}},
		 BYTES("\0\x92\x0b\0\0\x93\x0b\0\0\x0b 0 0x5645917a1cf0 256 39416\n")},
		{{2965,
		  2967,
		  92,
		  6,
		  {"0x5645916fdaa0", "34184", "0x7ffdc64a73b0", "48", "3", "0x7ffdc649c430"}},
		 BYTES("\xba\x95\x0b\0\0\x97\x0b\0\0\xfe 34184 0x7ffdc64a73b0 48 "
		       "0x7ffdc649c430\n")},
		{{2970, 2973, 11, 4, {"0", "0x7ffdc64a73b0", "48", "34184"}},
		 BYTES("\xb8\x9a\x0b\0\0\x9d\x0b\0\0\xfe 0x7ffdc64a73b0 48 34184\n")},
#undef BYTES
	};
	struct sides *sides = sides_start(PEEPHOLE_WINDOW);
	struct peephole_tally tally = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const uint8_t *from = sides->at;
		struct peephole_record record = pass(sides, &rows[i].call);
		peephole_count(&tally, &record);
		if (!CHECK_EQ(sides->at - from, rows[i].length) ||
		    !CHECK(!memcmp(from, rows[i].bytes, rows[i].length)))
			printf("# record %zu\n", i + 1);
	}
	CHECK_EQ(tally.records, 10);
	CHECK_EQ(tally.compressed, 6);
	CHECK_EQ(tally.arguments, 40);
	CHECK_EQ(tally.compressed_arguments, 22);
	CHECK_EQ(tally.saved, 12);
	CHECK_EQ(tally.differing[0], 3);
	CHECK_EQ(tally.differing[3], 2);
	CHECK_EQ(tally.differing[4], 1);
	CHECK_EQ(tally.bytes, sides->at - sides->bytes);
	struct sides *plain = sides_start(0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CHECK_EQ(pass(plain, &rows[i].call).status, 0);
	CHECK_EQ(tally.plain_bytes, plain->at - plain->bytes);
}

CASE(the_most_equal_arguments_win_then_the_last)
{
	static const struct call far = {0, 0, 7, 3, {"a", "b", "c"}},
				 middle = {0, 0, 7, 3, {"a", "x", "y"}},
				 near = {0, 0, 7, 3, {"a", "x", "z"}},
				 other = {0, 0, 8, 3, {"a", "b", "d"}},
				 made = {0, 0, 7, 3, {"a", "b", "d"}};
	struct sides *sides = sides_start(4);
	pass(sides, &far);
	pass(sides, &middle);
	pass(sides, &near);
	pass(sides, &other);
	/* Only the function of the record before it differs, the next ones share one argument, the fourth two. */
	struct peephole_record record = pass(sides, &made);
	CHECK_EQ(record.distance, 4);
	CHECK_EQ(record.status, 0x90);
	/* The last of equally similar ones. */
	sides = sides_start(4);
	pass(sides, &middle);
	pass(sides, &near);
	record = pass(sides, &made);
	CHECK_EQ(record.distance, 1);
	CHECK_EQ(record.status, 0xb0);
	/* The same function with another number of arguments is not similar, and neither is one without a common argument. */
	static const struct call two = {0, 0, 7, 2, {"a", "b"}},
				 strange = {0, 0, 7, 3, {"p", "q", "r"}};
	sides = sides_start(4);
	pass(sides, &two);
	pass(sides, &strange);
	CHECK_EQ(pass(sides, &made).status, 0);
}

CASE(as_far_back_as_the_window)
{
	static const unsigned windows[] = {1, 2, 3, 127};
	static const struct call made = {1, 2, 7, 1, {"same"}}, between = {1, 2, 8, 0, {0}};
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		struct sides *sides = sides_start(windows[i]);
		pass(sides, &made);
		for (unsigned k = 1; k < windows[i]; k++)
			pass(sides, &between);
		CHECK_EQ(pass(sides, &made).distance, windows[i]);
		for (unsigned k = 0; k < windows[i]; k++)
			pass(sides, &between);
		CHECK_EQ(pass(sides, &made).distance, 0);
	}
	/* With no window nothing is compressed: the encoding `binary` of the paper. */
	struct sides *sides = sides_start(0);
	pass(sides, &made);
	CHECK_EQ(pass(sides, &made).status, 0);
}

CASE(none_and_more_than_seven_arguments_are_never_compressed)
{
	static const struct call none = {0, 0, 1, 0, {0}},
				 seven = {0, 0, 2, 7, {"1", "2", "3", "4", "5", "6", "7"}},
				 eight = {0, 0, 3, 8, {"1", "2", "3", "4", "5", "6", "7", "8"}};
	struct sides *sides = sides_start(PEEPHOLE_WINDOW);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(pass(sides, &none).status, 0);
		CHECK_EQ(pass(sides, &eight).status, 0);
		CHECK_EQ(pass(sides, &seven).status, i ? 0x80 : 0);
	}
	static const struct call last = {0, 0, 2, 7, {"1", "2", "3", "4", "5", "6", "x"}};
	CHECK_EQ(pass(sides, &last).status, 0x81);
	/* Functions from 255 on are stored elsewhere. */
	static const struct call far = {0, 0, 255, 0, {0}};
	const uint8_t *from = sides->at;
	pass(sides, &far);
	CHECK_EQ(from[9], 255);
}

/* A text with the escapes of the paper, and without; both return the end. Varve itself writes words, which need none. */
static uint8_t *escape(uint8_t *to, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == ' ' || text[i] == '\n' || text[i] == '\\')
			*to++ = '\\';
		*to++ = (uint8_t)text[i];
	}
	return to;
}

static char *plain(char *to, struct peephole_text text)
{
	for (uint32_t i = 0; i < text.length; i++) {
		i += text.at[i] == '\\';
		*to++ = (char)text.at[i];
	}
	return to;
}

CASE(escapes)
{
	static const char *const texts[] = {"", " ", "\n", "\\", "a b", "\\ \n", "\\\\n", "x\\"};
	enum { TEXTS = sizeof texts / sizeof *texts };
	struct sides *sides = sides_start(PEEPHOLE_WINDOW);
	for (unsigned i = 0; i < TEXTS; i++) {
		uint8_t escaped[2][16];
		struct peephole_record put = {.function = 5, .count = 2}, got;
		const char *text[2] = {texts[i], texts[(i * 3 + 1) % TEXTS]};
		for (unsigned k = 0; k < 2; k++) {
			uint8_t *end = escape(escaped[k], text[k], strlen(text[k]));
			put.argument[k] =
				(struct peephole_text){escaped[k], (uint32_t)(end - escaped[k])};
		}
		sides->at = peephole_put(&sides->put, &put, sides->at);
		if (!CHECK_STR(peephole_get(&sides->get, &sides->read, sides->at, &got), NULL) ||
		    !CHECK_EQ(got.count, 2) || !CHECK(sides->read == sides->at))
			return;
		peephole_keep(&sides->get, &got);
		for (unsigned k = 0; k < 2; k++) {
			char unescaped[16];
			*plain(unescaped, got.argument[k]) = 0;
			CHECK_STR(unescaped, text[k]);
		}
	}
	struct peephole_record put = {.function = 5, .count = 1};
	uint8_t escaped[16];
	uint8_t *end = escape(escaped, "a b\\\n", 5);
	put.argument[0] = (struct peephole_text){escaped, (uint32_t)(end - escaped)};
	uint8_t *at = peephole_put(&sides->put, &put, sides->at);
	CHECK_EQ(at - sides->at, 10 + 10);
	CHECK(!memcmp(sides->at + 10, " a\\ b\\\\\\\n\n", 10));
}

CASE(words_as_text)
{
	static const struct {
		uint64_t word;
		bool hex;
		const char *text;
	} words[] = {
		{0, false, "0"},
		{0, true, "0x0"},
		{UINT64_MAX, false, "-1"},
		{UINT64_MAX, true, "0xffffffffffffffff"},
		{1ull << 63, false, "-9223372036854775808"},
		{(1ull << 63) - 1, false, "9223372036854775807"},
		{0x7ffdc64a6f64, true, "0x7ffdc64a6f64"},
		{1476395010, false, "1476395010"},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		uint8_t text[PEEPHOLE_WORD_TEXT + 1];
		uint8_t *end = peephole_word_put(text, words[i].word, words[i].hex);
		uint64_t back = 99;
		CHECK(peephole_word_get((struct peephole_text){text, (uint32_t)(end - text)},
					&back));
		CHECK_EQ(back, words[i].word);
		*end = 0;
		CHECK_STR((const char *)text, words[i].text);
	}
	/* Readers also accept the upper half of numbers without a sign. */
	uint64_t word = 0;
	CHECK(peephole_word_get((struct peephole_text){(const uint8_t *)"18446744073709551615", 20},
				&word));
	CHECK_EQ(word, UINT64_MAX);
	static const char *const none[] = {"",
					   "-",
					   "0x",
					   "x1",
					   "1x",
					   "0xg",
					   "--1",
					   "18446744073709551616",
					   "0X1",
					   "+1",
					   "0x-1",
					   " 1",
					   "1 ",
					   "0xF",
					   "1\\",
					   "0x10000000000000000",
					   "-9223372036854775809"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (!CHECK(!peephole_word_get((struct peephole_text){(const uint8_t *)none[i],
								     (uint32_t)strlen(none[i])},
					      &word)))
			printf("# '%s'\n", none[i]);
}

/* The number of equal arguments; 0 if the two are not similar. */
static unsigned likeness(const struct call *a, const struct call *b)
{
	unsigned equal = 0;
	if (a->function != b->function || a->count != b->count || a->count > PEEPHOLE_ARGUMENTS)
		return 0;
	for (unsigned i = 0; i < a->count; i++)
		equal += !strcmp(a->argument[i], b->argument[i]);
	return equal;
}

CASE(records_by_chance)
{
	enum { CALLS = 300 };
	static const char *const texts[] = {"", "0", "1", "0x7f", "a\\ b", "-100", "longer"};
	struct chance chance = chance_start(5);
	for (unsigned run = 0; run < 200; run++) {
		static struct call calls[CALLS];
		unsigned window = (unsigned)chance_below(&chance, 128);
		window = chance_once(&chance, 2) ? window % 5 : window;
		struct sides *sides = sides_start(window);
		for (unsigned i = 0; i < CALLS; i++) {
			struct call *call = &calls[i];
			*call = (struct call){(uint32_t)chance_word(&chance),
					      (uint32_t)chance_word(&chance),
					      (uint32_t)chance_below(&chance, 3),
					      (unsigned)chance_below(&chance, 9),
					      {0}};
			for (unsigned k = 0; k < call->count; k++)
				call->argument[k] = texts[chance_below(&chance, 7)];
			unsigned best = 0, distance = 0;
			for (unsigned back = 1; back <= window && back <= i; back++)
				if (likeness(call, &calls[i - back]) > best) {
					best = likeness(call, &calls[i - back]);
					distance = back;
				}
			CHECK_EQ(pass(sides, call).distance, distance);
		}
		if (harness_failures)
			return;
	}
}

/* Reads records up to an error; they are in memory of exactly their length. */
static const char *read_all(const uint8_t *bytes, size_t length, unsigned window)
{
	static struct peephole_last last[PEEPHOLE_WINDOW_MOST];
	struct peephole_window get = {.last = last, .size = window};
	uint8_t *copy = malloc(length + 1);
	memcpy(copy, bytes, length);
	copy = realloc(copy, length ? length : 1);
	const uint8_t *at = copy, *end = copy + length;
	const char *wrong = NULL;
	while (!wrong && at < end) {
		struct peephole_record record;
		uint64_t word;
		wrong = peephole_get(&get, &at, end, &record);
		for (unsigned i = 0; !wrong && i < record.count; i++)
			peephole_word_get(record.argument[i], &word);
		if (!wrong)
			peephole_keep(&get, &record);
	}
	free(copy);
	return wrong;
}

CASE(bytes_that_no_writer_wrote)
{
	static const char *const wrong[][2] = {
		{"\x01\0\0\0\0\0\0\0\0\x05\n", "a record of an unknown status"},
		{"\x80\0\0\0\0\0\0\0\0\xff\n", "a record refers to a missing record"},
		{"\0\0\0\0\0\0\0\0\0\x05", "the end of a record is missing"},
		{"\0\0\0\0\0\0\0\0\0\x05 1", "the end of a record is missing"},
		{"\0\0\0\0\0\0\0\0\0\x05x\n", "the end of a record is missing"},
		{"\0\0\0\0\0\0\0\0\0", "a record is truncated"},
		{"\0\0\0\0\0\0\0\0\0\x05 \\", "a record has a wrong escape sequence"},
		{"\0\0\0\0\0\0\0\0\0\x05 \\a\n", "a record has a wrong escape sequence"},
		{"\0\0\0\0\0\0\0\0\0\x05 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
		 "a record has too many arguments"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		size_t length = 9 + (i == 5 ? 0 : 1 + strlen(wrong[i][0] + 10));
		CHECK_STR(read_all((const uint8_t *)wrong[i][0], length, 3), wrong[i][1]);
	}
	/* After a record with two arguments: invalid compressed records. */
	static const char first[] = "\0\0\0\0\0\0\0\0\0\x05 1 2\n";
	static const struct {
		uint8_t status, reference;
		const char *arguments, *expected;
	} second[] = {
		{0x80, 0xff, "\n", NULL},
		{0xc0, 0xff, " 3\n", NULL},
		{0xa0, 0xff, " 3\n", NULL},
		{0xe0, 0xff, " 3 4\n",
		 "a record lists differences in arguments that it does not have"},
		{0x90, 0xff, " 3\n",
		 "a record lists differences in arguments that it does not have"},
		{0x81, 0xff, " 3\n",
		 "a record lists differences in arguments that it does not have"},
		{0xc0, 0xff, "\n", "a record has too few arguments"},
		{0xc0, 0xff, " 3 4\n", "a record has too many arguments"},
		{0x80, 0xfe, "\n", "a record refers to a missing record"},
		{0x80, 0x00, "\n", "a record refers to a missing record"},
		{0x80, 0x01, "\n", "a record refers to a missing record"},
	};
	for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
		uint8_t bytes[64] = {0};
		size_t length = sizeof first - 1;
		memcpy(bytes, first, length);
		bytes[length] = second[i].status;
		bytes[length + 9] = second[i].reference;
		memcpy(bytes + length + 10, second[i].arguments, strlen(second[i].arguments));
		length += 10 + strlen(second[i].arguments);
		if (!CHECK_STR(read_all(bytes, length, 3), second[i].expected))
			printf("# the second record, number %zu\n", i);
		CHECK(read_all(bytes, length, 0) != NULL);
	}
	/* Anything at all: reading ends and stays in its memory. */
	struct chance chance = chance_start(6);
	for (int i = 0; i < 20000; i++) {
		uint8_t bytes[96];
		size_t length = chance_below(&chance, sizeof bytes);
		chance_fill(&chance, bytes, length);
		for (size_t k = 0; k < length; k++)
			if (chance_once(&chance, 2))
				bytes[k] = (uint8_t) " \n\\\x80\xff\0 1"[bytes[k] % 8];
		read_all(bytes, length, (unsigned)chance_below(&chance, 128));
	}
}

RUN(ENTRY(the_example_of_the_paper_byte_by_byte), ENTRY(the_most_equal_arguments_win_then_the_last),
    ENTRY(as_far_back_as_the_window),
    ENTRY(none_and_more_than_seven_arguments_are_never_compressed), ENTRY(escapes),
    ENTRY(words_as_text), ENTRY(records_by_chance), ENTRY(bytes_that_no_writer_wrote))
