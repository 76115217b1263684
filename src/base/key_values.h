/* Base: lists of strings `key=value`, each with a zero byte at its end: the descriptions of runs, nodes and processes in a
 * trace, the settings of a run, and the entries of an environment.
 *
 * Writes such a list into a buffer of the caller, and reads it. No allocation, no system call: used inside traced programs and
 * by readers. Does not interpret keys.
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

/* Adds a string. Returns false, and adds nothing, if there is no room for it. */
bool key_values_add(struct key_values *list, const char *key, const char *value);
bool key_values_add_bytes(struct key_values *list, const char *key, size_t key_length,
			  const char *value, size_t length);
bool key_values_add_number(struct key_values *list, const char *key, uint64_t number);
bool key_values_add_signed(struct key_values *list, const char *key, int64_t number);

/* Adds as much of the string as fits. A string that was cut has no zero byte behind it, and must be the last one. */
void key_values_add_cut(struct key_values *list, const char *key, const char *value);

/* Adds all strings of another list. Returns false, and adds nothing, if there is no room for them. */
bool key_values_add_list(struct key_values *list, const char *bytes, size_t length);

/* The value of a string if its key is `key`; NULL: it has another key, or none. */
const char *key_value(const char *string, const char *key);

/* The value of the first string with this key at or after `*at`; NULL: none. `*at` is moved behind the string. A string without
 * a zero byte ends the list. */
const char *key_values_find(const char *bytes, size_t length, const char *key, size_t *at);

/* The next string with a key, from `*at` on; false: none. `*at` is moved behind the string. */
struct key_value {
	const char *key;
	size_t key_length;
	const char *value; /* with a zero byte at its end */
	size_t length;
};
bool key_values_next(const char *bytes, size_t length, size_t *at, struct key_value *next);

#endif
