/* Base: lists of strings `key=value`, each ended by a zero byte: the descriptions of runs, nodes and processes in a trace, the
 * settings of a run, and the entries of an environment.
 *
 * Owns how such a list is written into a buffer of its caller and how it is read. No allocation, no system call: used inside
 * traced programs and by readers alike. Gives no key a meaning.
 */
#ifndef BASE_KEY_VALUES_H
#define BASE_KEY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list that is being written. */
struct key_values {
	char *bytes;
	size_t length; /* bytes of the strings so far, with their zero bytes */
	size_t room;
};

/* One more string. False: there is no room for it, and nothing was added. */
bool key_values_add(struct key_values *list, const char *key, const char *value);
bool key_values_add_bytes(struct key_values *list, const char *key, size_t key_length,
			  const char *value, size_t length);
bool key_values_add_number(struct key_values *list, const char *key, uint64_t number);
bool key_values_add_signed(struct key_values *list, const char *key, int64_t number);

/* The same, cut to the room: behind a string that was cut there is no zero byte, and no further string. */
void key_values_add_cut(struct key_values *list, const char *key, const char *value);

/* All strings of another list. False: there is no room for them. */
bool key_values_add_list(struct key_values *list, const char *bytes, size_t length);

/* The value of one string when its key is `key`; NULL: it has another key, or none. */
const char *key_value(const char *string, const char *key);

/* The value of the first string with this key at or after `*at`, which is moved behind it; NULL: there is none. A string
 * without a zero byte ends the list. */
const char *key_values_find(const char *bytes, size_t length, const char *key, size_t *at);

/* The next string that has a key, from `*at` on, which is moved behind it; false: there is none. */
struct key_value {
	const char *key;
	size_t key_length;
	const char *value; /* ended by a zero byte */
	size_t length;
};
bool key_values_next(const char *bytes, size_t length, size_t *at, struct key_value *next);

#endif
