/* Loop: skeletons of texts. See skeleton.h. */
#include "loop/skeleton.h"

#include <string.h>

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

void skeleton_split(struct skeleton *skeleton, const char *text, size_t length)
{
	uint8_t *key = skeleton->key;
	skeleton->fields = 0;
	if (length > SKELETON_TEXT_MOST)
		length = SKELETON_TEXT_MOST;
	for (size_t i = 0; i < length;) {
		size_t end = i;
		while (end < length && is_digit(text[end]))
			end++;
		size_t digits = end - i;
		if (digits && digits <= SKELETON_DIGITS_MOST &&
		    skeleton->fields < SKELETON_FIELDS_MOST) {
			uint64_t number = 0;
			for (; i < end; i++)
				number = number * 10 + (uint64_t)(text[i] - '0');
			bool padded = digits > 1 && text[end - digits] == '0';
			skeleton->values[2 * skeleton->fields] = number;
			skeleton->values[2 * skeleton->fields + 1] = padded ? digits : 0;
			skeleton->fields++;
			*key++ = SKELETON_MARK;
			*key++ = 1;
		} else if (digits) {
			memcpy(key, text + i, digits);
			key += digits;
			i = end;
		} else {
			*key++ = (uint8_t)text[i];
			if (text[i++] == SKELETON_MARK)
				*key++ = 0;
		}
	}
	skeleton->length = (size_t)(key - skeleton->key);
}

void skeleton_tag(struct skeleton *skeleton, const uint8_t *tag, size_t count)
{
	memmove(skeleton->key + count, skeleton->key, skeleton->length);
	memcpy(skeleton->key, tag, count);
	skeleton->length += count;
}

/* Writes the digits of a number with the field's width; returns their count, 0 if they do not fit. */
static size_t field_text(uint64_t number, uint64_t width, char digits[SKELETON_DIGITS_MOST])
{
	char reversed[20];
	size_t count = 0;
	do {
		reversed[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (width > SKELETON_DIGITS_MOST || count > SKELETON_DIGITS_MOST ||
	    (width && count >= width))
		return 0;
	while (count < width)
		reversed[count++] = '0';
	for (size_t i = 0; i < count; i++)
		digits[i] = reversed[count - 1 - i];
	return count;
}

size_t skeleton_join(const uint8_t *key, size_t length, const uint64_t *values, size_t value_count,
		     char *text)
{
	size_t made = 0, used = 0;
	for (size_t i = 0; i < length; i++) {
		if (key[i] != SKELETON_MARK) {
			if (text)
				text[made] = (char)key[i];
			made++;
			continue;
		}
		if (++i == length || key[i] > 1)
			return SIZE_MAX;
		if (!key[i]) {
			if (text)
				text[made] = SKELETON_MARK;
			made++;
			continue;
		}
		if (value_count < 2 || used > value_count - 2)
			return SIZE_MAX;
		char digits[SKELETON_DIGITS_MOST];
		size_t count = field_text(values[used], values[used + 1], digits);
		if (!count)
			return SIZE_MAX;
		if (text)
			memcpy(text + made, digits, count);
		made += count;
		used += 2;
	}
	return used == value_count ? made : SIZE_MAX;
}
