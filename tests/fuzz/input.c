/* Fuzzing: an input and its parts. See fuzz.h. All bytes are a valid input. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

uint8_t input_byte(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->at++;
}

static struct part take(struct input *input, size_t size)
{
	struct part part = {input->at, size < input->left ? size : input->left};
	if (part.size)
		input->at += part.size;
	input->left -= part.size;
	return part;
}

struct part input_part(struct input *input)
{
	size_t low = input_byte(input), high = input_byte(input);
	return take(input, low | high << 8);
}

struct part input_rest(struct input *input)
{
	return take(input, input->left);
}

void *part_copy(struct part part)
{
	void *copy;
	if (posix_memalign(&copy, 64, part.size))
		abort();
	if (part.size)
		memcpy(copy, part.bytes, part.size);
	return copy;
}

void touch(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		(void)((const volatile uint8_t *)bytes)[i];
}
