/* Base: building texts, reading small files. See text.h. */
#include "base/text.h"

#include "base/sys.h"

#include <string.h>

char *text_add_bytes(char *at, const char *end, const char *bytes, size_t length)
{
	if (length >= (size_t)(end - at))
		length = (size_t)(end - at) - 1;
	memcpy(at, bytes, length);
	at[length] = 0;
	return at + length;
}

char *text_add(char *at, const char *end, const char *piece)
{
	return text_add_bytes(at, end, piece, strlen(piece));
}

char *text_add_number(char *at, const char *end, uint64_t number)
{
	char digits[24];
	size_t first = sizeof digits;
	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return text_add_bytes(at, end, digits + first, sizeof digits - first);
}

char *text_add_signed(char *at, const char *end, int64_t number)
{
	if (number < 0)
		at = text_add_bytes(at, end, "-", 1);
	return text_add_number(at, end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

long file_read(const char *path, char *text, size_t room)
{
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	size_t used = 0;
	long got = 0;
	while (used + 1 < room && (got = sys_read(fd, text + used, room - 1 - used)) > 0)
		used += (size_t)got;
	sys_close(fd);
	if (got < 0)
		return got;
	text[used] = 0;
	return (long)used;
}

enum { CHUNK = 16384 };

bool file_holds(const char *path, const char *text)
{
	/* Not on the stack, whose limit is the program's. */
	static char bytes[2 * CHUNK];
	size_t length = strlen(text), kept = 0;
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	bool holds = false;
	long got;
	while (!holds && (got = sys_read(fd, bytes + kept, CHUNK)) > 0) {
		size_t size = kept + (size_t)got;
		holds = memmem(bytes, size, text, length) != NULL;
		kept = size < length ? size : length - 1;
		memmove(bytes, bytes + size - kept, kept);
	}
	sys_close(fd);
	return holds;
}
