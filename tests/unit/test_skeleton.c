/* Tests: texts as skeletons with numbers, and back. Texts are random sequences of digits in runs of all lengths, zeros before them,
 * the byte that marks fields, and bytes 0. The use of skeletons is not tested here. */
#include "loop/skeleton.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

static struct skeleton skeleton;
static char joined[SKELETON_KEY_MOST + 64 * SKELETON_DIGITS_MOST];

static size_t join(void)
{
	size_t counted = skeleton_join(skeleton.key, skeleton.length, skeleton.values,
				       2 * skeleton.fields, NULL);
	if (counted == SIZE_MAX)
		return counted;
	size_t made = skeleton_join(skeleton.key, skeleton.length, skeleton.values,
				    2 * skeleton.fields, joined);
	CHECK_EQ(made, counted);
	return made;
}

/* Whether a text is unchanged after both steps; texts that are too long are cut. */
static bool comes_back(const char *text, size_t length)
{
	skeleton_split(&skeleton, text, length);
	size_t expected = length < SKELETON_TEXT_MOST ? length : SKELETON_TEXT_MOST;
	return CHECK(skeleton.fields <= SKELETON_FIELDS_MOST) &&
	       CHECK(skeleton.length <= SKELETON_KEY_MOST) && CHECK_EQ(join(), expected) &&
	       CHECK(!memcmp(joined, text, expected));
}

static size_t text_by_chance(struct chance *chance, char *text, size_t most)
{
	size_t length = 0, wanted = chance_below(chance, most + 1);
	while (length < wanted) {
		size_t run = 1 + chance_below(chance, chance_once(chance, 10) ? 40 : 6);
		unsigned way = (unsigned)chance_below(chance, 6);
		for (; run && length < wanted; run--) {
			char letter = (char)('0' + chance_below(chance, 10));
			if (way == 0)
				letter = '0';
			else if (way == 1)
				letter = (char)chance_word(chance);
			else if (way == 2)
				letter = (char)chance_below(chance, 3);
			else if (way == 3)
				letter = "/.a-_"[chance_below(chance, 5)];
			text[length++] = letter;
		}
	}
	return length;
}

CASE(a_text_is_itself_again)
{
	static const char *const texts[] = {"",	  "a",	    "0",       "00",	  "007",
					    "10", "/a/b.7", "x1y22z3", "1.2.3.4", "rank0001.00",
					    "\1", "\1\1",   "\0011",   "1\0012",  "9"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!comes_back(texts[i], strlen(texts[i])))
			printf("# of \"%s\"\n", texts[i]);
	comes_back("a\0b\0001\1", 6);
	comes_back("999999999999999999", 18);
	comes_back("000000000000000000", 18);
	comes_back("1000000000000000000", 19);
	comes_back("18446744073709551616", 20);
}

CASE(texts_by_chance)
{
	static char text[4096];
	struct chance chance = chance_start(1);
	for (int i = 0; i < 60000; i++) {
		size_t length = text_by_chance(&chance, text, chance_once(&chance, 50) ? 4096 : 60);
		if (!comes_back(text, length))
			break;
	}
}

/* The longest text, with the longest key, and one that is cut. */
CASE(long_texts)
{
	static char text[SKELETON_TEXT_MOST + 10];
	static const char *const of[] = {"\1", "1", "1x", "0a1", "a"};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		for (size_t at = 0; at < sizeof text; at++)
			text[at] = of[i][at % strlen(of[i])];
		comes_back(text, SKELETON_TEXT_MOST - 1);
		comes_back(text, SKELETON_TEXT_MOST);
		comes_back(text, sizeof text);
	}
}

/* Names that differ in numbers alone have one skeleton, whatever the numbers are. */
CASE(numbers_are_no_part_of_the_key)
{
	struct skeleton *other = malloc(sizeof *other);
	skeleton_split(other, "out.0007.rank12", 15);
	skeleton_split(&skeleton, "out.0123456.rank9", 17);
	CHECK_EQ(skeleton.length, other->length);
	CHECK(!memcmp(skeleton.key, other->key, other->length));
	CHECK_EQ(skeleton.fields, 2);
	CHECK_EQ(skeleton.values[0], 123456);
	CHECK_EQ(skeleton.values[1], 7);
	CHECK_EQ(skeleton.values[2], 9);
	CHECK_EQ(skeleton.values[3], 0);
	free(other);
}

CASE(values_of_no_text_are_refused)
{
	static const struct {
		const char *key;
		size_t length;
		uint64_t values[4];
		size_t count;
	} wrong[] = {
		{"\1\1", 2, {0}, 0},			   /* no values */
		{"\1\1", 2, {1}, 1},			   /* half a field */
		{"\1\1", 2, {1, 0, 1, 0}, 4},		   /* too many */
		{"a", 1, {1, 0}, 2},			   /* none is needed */
		{"\1\1\1\1", 4, {1, 0}, 2},		   /* too few */
		{"\1", 1, {0}, 0},			   /* ends in a mark */
		{"\1\2", 2, {1, 0}, 2},			   /* no such mark */
		{"\1\1", 2, {1, 19}, 2},		   /* wider than any */
		{"\1\1", 2, {1, UINT64_MAX}, 2},	   /* likewise */
		{"\1\1", 2, {12, 2}, 2},		   /* no zero in front */
		{"\1\1", 2, {123, 2}, 2},		   /* does not fit */
		{"\1\1", 2, {1000000000000000000u, 0}, 2}, /* 19 digits */
		{"\1\1", 2, {UINT64_MAX, 0}, 2},	   /* 20 digits */
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (!CHECK_EQ(skeleton_join((const uint8_t *)wrong[i].key, wrong[i].length,
					    wrong[i].values, wrong[i].count, NULL),
			      SIZE_MAX))
			printf("# number %zu\n", i);
}

/* Random keys and values: the counted length is the written one, in room of exactly this size. */
CASE(hostile_keys)
{
	struct chance chance = chance_start(2);
	uint64_t values[8];
	for (int i = 0; i < 200000; i++) {
		size_t length = chance_below(&chance, 24), count = chance_below(&chance, 9);
		uint8_t *key = malloc(length + 1);
		for (size_t k = 0; k < length; k++)
			key[k] = (uint8_t)(chance_once(&chance, 4) ? chance_word(&chance)
								   : chance_below(&chance, 3));
		for (size_t k = 0; k < count; k++)
			values[k] = chance_once(&chance, 3) ? chance_below(&chance, 20)
							    : chance_wide(&chance);
		size_t counted = skeleton_join(key, length, values, count, NULL);
		if (counted != SIZE_MAX) {
			char *text = malloc(counted + 1);
			CHECK_EQ(skeleton_join(key, length, values, count, text), counted);
			free(text);
		}
		free(key);
	}
}

RUN(ENTRY(a_text_is_itself_again), ENTRY(texts_by_chance), ENTRY(long_texts),
    ENTRY(numbers_are_no_part_of_the_key), ENTRY(values_of_no_text_are_refused),
    ENTRY(hostile_keys))
