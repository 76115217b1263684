/* Base: shell patterns. See pattern.h. */
#include "base/pattern.h"

/* Whether the byte matches a bracket expression; `*pattern` is the first byte behind the opening bracket, and is moved behind
 * the closing one. An opening bracket without a closing one matches itself. */
static bool fits_class(const char **pattern, unsigned char byte)
{
	const char *at = *pattern;
	bool other = *at == '!' || *at == '^', found = false;
	at += other;
	for (const char *first = at; *at && (*at != ']' || at == first); at++) {
		unsigned char low = (unsigned char)*at, high = low;
		if (at[1] == '-' && at[2] && at[2] != ']') {
			high = (unsigned char)at[2];
			at += 2;
		}
		found |= low <= byte && byte <= high;
	}
	if (*at != ']')
		return byte == '[';
	*pattern = at + 1;
	return found != other;
}

/* Whether one byte matches the next element of the pattern, which is not a star; `*pattern` is moved behind the element. */
static bool fits_byte(const char **pattern, char byte)
{
	char wanted = *(*pattern)++;
	if (wanted == '?')
		return true;
	if (wanted == '[')
		return fits_class(pattern, (unsigned char)byte);
	if (wanted == '\\' && **pattern)
		wanted = *(*pattern)++;
	return wanted == byte;
}

bool pattern_fits(const char *pattern, const char *text, size_t length)
{
	/* The last star, and the end of the text that it matches: after a mismatch, it matches one byte more. */
	const char *star = NULL;
	size_t at = 0, reached = 0;
	while (at < length) {
		if (*pattern == '*') {
			star = ++pattern;
			reached = at;
			continue;
		}
		if (*pattern && fits_byte(&pattern, text[at])) {
			at++;
			continue;
		}
		if (!star)
			return false;
		pattern = star;
		at = ++reached;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool fits_folders(const char *pattern, const char *path, size_t length)
{
	if (pattern_fits(pattern, path, length))
		return true;
	for (size_t i = 1; i < length; i++)
		if (path[i] == '/' && pattern_fits(pattern, path, i))
			return true;
	return false;
}

bool pattern_fits_path(const char *pattern, const char *path, size_t length)
{
	if (*pattern == '/' || *pattern == '*')
		return fits_folders(pattern, path, length);
	for (size_t i = 0; i < length; i++)
		if (path[i] == '/' && fits_folders(pattern, path + i + 1, length - i - 1))
			return true;
	return false;
}
