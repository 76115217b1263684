/* Command line: the buffer of standard output: numbers, times, escapes. See output.h. */
#include "cli/terminal/output.h"

#include "cli/terminal/pager.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct output output;

void output_flush(void)
{
	if (pager.wanted && output.used)
		pager_start();
	for (size_t at = 0; at < output.used;) {
		ssize_t done = write(STDOUT_FILENO, output.bytes + at, output.used - at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			int error = errno;
			output.used = 0;
			progress_end();
			if (error == EPIPE) {
				pager_end();
				_exit(EXIT_PIPE);
			}
			message("cannot write to standard output: %s; free some space, or redirect "
				"the output elsewhere",
				strerror(error));
			pager_end();
			_exit(EXIT_SYSTEM);
		}
		at += (size_t)done;
	}
	output.used = 0;
}

void put_unsigned(uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	output_room();
	memcpy(output.bytes + output.used, digits + at, sizeof digits - at);
	output.used += sizeof digits - at;
}

void put_signed(int64_t value)
{
	if (value < 0)
		put_char('-');
	put_unsigned(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void put_base(uint64_t value, unsigned base, const char *prefix)
{
	char digits[64];
	size_t at = sizeof digits;
	put_text(prefix);
	do
		digits[--at] = "0123456789abcdef"[value % base];
	while (value /= base);
	put_bytes(digits + at, sizeof digits - at);
}

void put_padded(const char *text, int width)
{
	int length = (int)strlen(text);
	for (int i = length; i < width; i++)
		put_char(' ');
	put_text(text);
	for (int i = length; i < -width; i++)
		put_char(' ');
}

void put_format(const char *format, ...)
{
	char text[4096];
	va_list list;
	va_start(list, format);
	int length = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (length > 0)
		put_bytes(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* `value` as `digits` decimal digits. */
static void put_digits(uint64_t value, int digits)
{
	output_room();
	for (int i = digits - 1; i >= 0; i--) {
		output.bytes[output.used + (size_t)i] = (char)('0' + value % 10);
		value /= 10;
	}
	output.used += (size_t)digits;
}

static int count_digits(uint64_t value)
{
	int count = 1;
	while (value /= 10)
		count++;
	return count;
}

void put_seconds(int64_t ns, int width)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t whole = size / 1000000000;
	for (int i = count_digits(whole) + 10 + (ns < 0); i < width; i++)
		put_char(' ');
	if (ns < 0)
		put_char('-');
	put_unsigned(whole);
	put_char('.');
	put_digits(size % 1000000000, 9);
}

static void put_with_unit(int64_t ns, int width, const char *gap)
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = {{1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
	uint64_t size = ns < 0 ? 0 : (uint64_t)ns;
	if (size < 1000) {
		for (int i = count_digits(size) + 2; i < width; i++)
			put_char(' ');
		put_unsigned(size);
		put_text(gap);
		put_text("ns");
		return;
	}
	size_t unit = size < 1000000 ? 0 : size < 1000000000 ? 1 : 2;
	uint64_t whole = size / units[unit].unit;
	for (int i = count_digits(whole) + 2 + (int)strlen(units[unit].name); i < width; i++)
		put_char(' ');
	put_unsigned(whole);
	put_char('.');
	put_unsigned(size % units[unit].unit * 10 / units[unit].unit);
	put_text(gap);
	put_text(units[unit].name);
}

void put_duration(int64_t ns, int width)
{
	put_with_unit(ns, width, "");
}

void put_duration_words(int64_t ns)
{
	put_with_unit(ns, 0, " ");
}

/* Length of the well-formed UTF-8 sequence at `bytes`, or 0. */
static size_t utf8_length(const unsigned char *bytes, size_t room)
{
	unsigned char lead = bytes[0];
	size_t length = lead < 0x80		      ? 1
			: lead >= 0xc2 && lead < 0xe0 ? 2
			: lead >= 0xe0 && lead < 0xf0 ? 3
			: lead >= 0xf0 && lead < 0xf5 ? 4
						      : 0;
	if (!length || length > room)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	if ((lead == 0xe0 && bytes[1] < 0xa0) || (lead == 0xed && bytes[1] > 0x9f) ||
	    (lead == 0xf0 && bytes[1] < 0x90) || (lead == 0xf4 && bytes[1] > 0x8f))
		return 0;
	return length;
}

static bool is_plain_byte(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* The number of bytes from `at` on that need no escape. */
static size_t plain_length(const char *bytes, size_t length, size_t at, char quote)
{
	size_t end = at;
	while (end < length && is_plain_byte((unsigned char)bytes[end]) && bytes[end] != quote)
		end++;
	return end - at;
}

static void put_hex(const char *prefix, unsigned char byte)
{
	put_text(prefix);
	put_char("0123456789abcdef"[byte >> 4]);
	put_char("0123456789abcdef"[byte & 15]);
}

/* Puts the plain bytes from `*at` on. False: there are no others; else `*sequence` is the length of the next as UTF-8, 0 if it
 * is none. */
static bool put_plain(const char *bytes, size_t length, char quote, size_t *at, size_t *sequence)
{
	size_t run = plain_length(bytes, length, *at, quote);
	put_bytes(bytes + *at, run);
	*at += run;
	if (*at == length)
		return false;
	*sequence = utf8_length((const unsigned char *)bytes + *at, length - *at);
	return true;
}

void put_json(const char *bytes, size_t length)
{
	size_t sequence;
	put_char('"');
	for (size_t at = 0; at < length && put_plain(bytes, length, '"', &at, &sequence);) {
		unsigned char byte = (unsigned char)bytes[at];
		if (byte == '"' || byte == '\\') {
			put_char('\\');
			put_char((char)byte);
		} else if (byte < ' ' || byte == 0x7f) {
			put_hex("\\u00", byte);
		} else if (!sequence) {
			put_hex("\\udc", byte);
		} else {
			put_bytes(bytes + at, sequence);
			at += sequence - 1;
		}
		at++;
	}
	put_char('"');
}

void put_json_member(const char *before, const char *text)
{
	put_text(before);
	if (text)
		put_json(text, strlen(text));
	else
		put_text("null");
}

static void put_quote(void)
{
	put_char('"');
	if (output.doubled_quotes)
		put_char('"');
}

void put_escaped(const char *bytes, size_t length, char quote)
{
	static const char letters[] = {
		['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
	size_t sequence;
	for (size_t at = 0; at < length && put_plain(bytes, length, quote, &at, &sequence);) {
		unsigned char byte = (unsigned char)bytes[at];
		if (byte < sizeof letters && letters[byte]) {
			put_char('\\');
			if (byte == '"')
				put_quote();
			else
				put_char(letters[byte]);
		} else if (!sequence || byte < ' ' || byte == 0x7f ||
			   byte == (unsigned char)quote ||
			   (byte == 0xc2 && (unsigned char)bytes[at + 1] < 0xa0)) {
			put_hex("\\x", byte); /* also the control characters of Latin-1 */
		} else {
			put_bytes(bytes + at, sequence);
			at += sequence - 1;
		}
		at++;
	}
}

void put_quoted(const char *bytes, size_t length)
{
	put_quote();
	put_escaped(bytes, length, '"');
	put_quote();
}

void put_csv(const char *bytes, size_t length)
{
	bool quote = false;
	for (size_t i = 0; i < length && !quote; i++)
		quote = bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r';
	if (!quote) {
		put_bytes(bytes, length);
		return;
	}
	put_char('"');
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '"')
			put_char('"');
		put_char(bytes[i]);
	}
	put_char('"');
}
