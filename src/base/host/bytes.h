/* Base: a growing buffer of bytes, and a reader of numbers from bytes. Header only. */
#ifndef BASE_HOST_BYTES_H
#define BASE_HOST_BYTES_H

#include "base/status.h"
#include "base/varint.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A buffer that grows when it is written to. `failed`: an allocation failed, and everything since then was dropped. The user
 * checks it at the end. */
struct bytes {
	uint8_t *at;
	size_t length;
	size_t room;
	bool failed;
};

static inline uint8_t *bytes_room(struct bytes *bytes, size_t more)
{
	if (bytes->room - bytes->length < more && !bytes->failed) {
		size_t room = bytes->room * 2 + more + 256;
		uint8_t *at = realloc(bytes->at, room);
		bytes->failed = !at;
		if (at) {
			bytes->at = at;
			bytes->room = room;
		}
	}
	return bytes->failed ? NULL : bytes->at + bytes->length;
}

static inline void bytes_put(struct bytes *bytes, const void *from, size_t length)
{
	uint8_t *to = bytes_room(bytes, length);
	if (to && length)
		memcpy(to, from, length);
	if (to)
		bytes->length += length;
}

static inline void bytes_number(struct bytes *bytes, uint64_t number)
{
	uint8_t *to = bytes_room(bytes, VARINT_MOST);
	if (to)
		bytes->length = (size_t)(varint_put(to, number) - bytes->at);
}

/* Writes the length, then the bytes. */
static inline void bytes_text(struct bytes *bytes, const void *text, size_t length)
{
	bytes_number(bytes, length);
	bytes_put(bytes, text, length);
}

static inline void bytes_clear(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){0};
}

/* Bytes that are still to be read. `bad`: the input ended too early; all numbers read since then are 0. */
struct input {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

static inline uint64_t input_number(struct input *input)
{
	uint64_t number = 0;
	if (input->bad || !varint_get(&input->at, input->end, &number)) {
		input->bad = true;
		return 0;
	}
	return number;
}

/* Reads a count of elements, each of which takes at least `least` bytes. */
static inline size_t input_count(struct input *input, size_t least)
{
	uint64_t count = input_number(input);
	if (count > (uint64_t)(input->end - input->at) / least) {
		input->bad = true;
		return 0;
	}
	return (size_t)count;
}

static inline const uint8_t *input_bytes(struct input *input, size_t length)
{
	if (input->bad || length > (size_t)(input->end - input->at)) {
		input->bad = true;
		return NULL;
	}
	const uint8_t *from = input->at;
	input->at += length;
	return from;
}

#endif
