/* Loop: a text as a skeleton with numbers in it, and back.
 *
 * Each run of digits is a field of two values: its number, and its width if it begins with a zero (else 0). In the key of the
 * skeleton a field is MARK 1, and a byte MARK of the text is MARK 0; all other bytes stand for themselves. Runs of more than 18
 * digits, and those after SKELETON_FIELDS_MOST fields, stay text.
 */
#ifndef LOOP_SKELETON_H
#define LOOP_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SKELETON_MARK = 1,
	SKELETON_FIELDS_MOST = 30,
	SKELETON_DIGITS_MOST = 18,
	SKELETON_TEXT_MOST = 32768,
	SKELETON_KEY_MOST = 2 * SKELETON_TEXT_MOST,
	SKELETON_TAG_MOST = 2
};

/* Not for the stack, which may be small. */
struct skeleton {
	size_t length;
	uint32_t fields;
	uint64_t values[2 * SKELETON_FIELDS_MOST];
	uint8_t key[SKELETON_TAG_MOST + SKELETON_KEY_MOST];
};

/* Longer texts than SKELETON_TEXT_MOST are cut. */
void skeleton_split(struct skeleton *skeleton, const char *text, size_t length);
/* Inserts up to SKELETON_TAG_MOST bytes before the key. */
void skeleton_tag(struct skeleton *skeleton, const uint8_t *tag, size_t count);

/* Writes the text of a key with these values to `text` (NULL: only counts). Returns its length; SIZE_MAX: no text has such a
 * key and values. */
size_t skeleton_join(const uint8_t *key, size_t length, const uint64_t *values, size_t value_count,
		     char *text);

#endif
