/* Base: lists of strings `key=value`. See key_values.h. */
#include "base/key_values.h"

#include "base/text.h"

#include <string.h>

bool key_values_add_bytes(struct key_values *list, const char *key, size_t key_length,
			  const char *value, size_t length)
{
	size_t room = list->room - list->length;
	if (key_length >= room || length >= room - key_length || room - key_length - length < 2)
		return false;
	char *at = list->bytes + list->length;
	memcpy(at, key, key_length);
	at[key_length] = '=';
	memcpy(at + key_length + 1, value, length);
	at[key_length + 1 + length] = 0;
	list->length += key_length + length + 2;
	return true;
}

bool key_values_add(struct key_values *list, const char *key, const char *value)
{
	return key_values_add_bytes(list, key, strlen(key), value, strlen(value));
}

bool key_values_add_number(struct key_values *list, const char *key, uint64_t number)
{
	char text[24];
	text_add_number(text, text + sizeof text, number);
	return key_values_add(list, key, text);
}

bool key_values_add_signed(struct key_values *list, const char *key, int64_t number)
{
	char text[24];
	text_add_signed(text, text + sizeof text, number);
	return key_values_add(list, key, text);
}

void key_values_add_cut(struct key_values *list, const char *key, const char *value)
{
	const char *end = list->bytes + list->room;
	char *at = list->bytes + list->length;
	at = text_add(text_add(text_add(at, end, key), end, "="), end, value);
	list->length = (size_t)(at - list->bytes) + (at + 1 < end);
}

bool key_values_add_list(struct key_values *list, const char *bytes, size_t length)
{
	if (length >= list->room - list->length)
		return false;
	if (length)
		memcpy(list->bytes + list->length, bytes, length);
	list->length += length;
	return true;
}

const char *key_value(const char *string, const char *key)
{
	size_t length = strlen(key);
	return strncmp(string, key, length) == 0 && string[length] == '=' ? string + length + 1
									  : NULL;
}

const char *key_values_find(const char *bytes, size_t length, const char *key, size_t *at)
{
	while (bytes && *at < length) {
		const char *string = bytes + *at;
		const char *end = memchr(string, 0, length - *at);
		if (!end)
			break;
		*at += (size_t)(end - string) + 1;
		const char *value = key_value(string, key);
		if (value)
			return value;
	}
	return NULL;
}

bool key_values_next(const char *bytes, size_t length, size_t *at, struct key_value *next)
{
	while (bytes && *at < length) {
		const char *string = bytes + *at;
		const char *end = memchr(string, 0, length - *at);
		if (!end)
			break;
		size_t size = (size_t)(end - string);
		const char *equals = memchr(string, '=', size);
		*at += size + 1;
		if (!equals)
			continue;
		*next = (struct key_value){.key = string,
					   .key_length = (size_t)(equals - string),
					   .value = equals + 1,
					   .length = (size_t)(end - equals - 1)};
		return true;
	}
	return false;
}
