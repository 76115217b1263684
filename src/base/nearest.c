/* Base: the nearest name, by the number of typing errors between two names. See nearest.h. */
#include "base/nearest.h"

#include <string.h>

enum { SHORT = 4, PREFIX_LEAST = 3, NEAR_MOST = 2 };

static char small_letter(char byte)
{
	return (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
}

static bool letters_alike(char a, char b)
{
	return small_letter(a) == small_letter(b);
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The number of bytes that must be changed, added, removed or swapped with the next one to turn one name into the other.
 * Counting stops above NEAR_MOST: there are thousands of names, and almost all are far away. */
static size_t slips_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][NEAREST_MOST + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];
	if (a_length > b_length + NEAR_MOST || b_length > a_length + NEAR_MOST)
		return NEAR_MOST + 1;
	size_t least_of_last = 0;
	for (size_t j = 0; j <= b_length; j++)
		before[j] = last[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		now[0] = i;
		size_t least_of_now = i;
		for (size_t j = 1; j <= b_length; j++) {
			now[j] = least_of(least_of(last[j], now[j - 1]) + 1,
					  last[j - 1] + !letters_alike(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && letters_alike(a[i - 1], b[j - 2]) &&
			    letters_alike(a[i - 2], b[j - 1]))
				now[j] = least_of(now[j], before[j - 2] + 1);
			least_of_now = least_of(least_of_now, now[j]);
		}
		/* No later row can have a value below the smallest of these two rows. */
		if (least_of(least_of_now, least_of_last) > NEAR_MOST)
			return NEAR_MOST + 1;
		least_of_last = least_of_now;
		size_t *free_row = before;
		before = last;
		last = now;
		now = free_row;
	}
	return last[b_length];
}

static bool name_begins(const char *name, const char *with, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!letters_alike(name[i], with[i]))
			return false;
	return true;
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	size_t length = strlen(name), wanted = nearest->length;
	if (!length || length > NEAREST_MOST || wanted > NEAREST_MOST)
		return;
	bool begins = wanted >= PREFIX_LEAST && wanted <= length &&
		      name_begins(name, nearest->wanted, wanted);
	size_t distance =
		begins ? length - wanted : slips_between(nearest->wanted, wanted, name, length);
	/* A name that differs in every byte is not offered. */
	if (!begins && (distance > (wanted < SHORT ? 1u : NEAR_MOST) || distance >= length))
		return;
	if (nearest->name && (nearest->begins > begins ||
			      (nearest->begins == begins && distance >= nearest->distance)))
		return;
	nearest->name = name;
	nearest->distance = distance;
	nearest->begins = begins;
}
