/* Command line: the buffer of standard output.
 *
 * All data that `varve` prints goes through it. If the reader closes the output, the program ends silently; any other
 * write error ends it with a message and EXIT_SYSTEM.
 */
#ifndef CLI_TERMINAL_OUTPUT_H
#define CLI_TERMINAL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OUTPUT_ROOM = 1 << 18, OUTPUT_SPARE = 256 };

extern struct output {
	size_t used;
	bool doubled_quotes; /* inside a quoted field of CSV */
	char bytes[OUTPUT_ROOM + OUTPUT_SPARE];
} output;

/* Writes the buffer to standard output. */
void output_flush(void);

/* Ensures that OUTPUT_SPARE more bytes can be stored. */
static inline void output_room(void)
{
	if (output.used >= OUTPUT_ROOM)
		output_flush();
}

static inline void put_char(char c)
{
	output_room();
	output.bytes[output.used++] = c;
}

static inline void put_bytes(const char *bytes, size_t length)
{
	while (length > OUTPUT_SPARE) {
		output_room();
		memcpy(output.bytes + output.used, bytes, OUTPUT_SPARE);
		output.used += OUTPUT_SPARE;
		bytes += OUTPUT_SPARE;
		length -= OUTPUT_SPARE;
	}
	output_room();
	if (length)
		memcpy(output.bytes + output.used, bytes, length);
	output.used += length;
}

static inline void put_text(const char *text)
{
	put_bytes(text, strlen(text));
}

void put_unsigned(uint64_t value);
void put_signed(int64_t value);
void put_base(uint64_t value, unsigned base, const char *prefix); /* base 8 or 16 */
void put_padded(const char *text, int width); /* a negative width: left-aligned */
void put_format(const char *format, ...)
	__attribute__((format(printf, 1, 2))); /* not for the hot path */

/* Nanoseconds as seconds with nine decimals, right-aligned in `width` columns. */
void put_seconds(int64_t ns, int width);

/* Nanoseconds with a unit, for example 12.3us, right-aligned in `width` columns. */
void put_duration(int64_t ns, int width);

/* Nanoseconds with a unit for a sentence, for example 12.3 us. */
void put_duration_words(int64_t ns);

/* A string of a JSON document, in quotes. A byte that is not UTF-8 becomes \udcXX, which Python's surrogateescape can
 * read. */
void put_json(const char *bytes, size_t length);

/* `before`, for example `,"path":`, then the text as a JSON string; NULL: null. */
void put_json_member(const char *before, const char *text);

/* A C string in quotes; control bytes and bytes that are not UTF-8 become \xNN. */
void put_quoted(const char *bytes, size_t length);

/* The same escapes without quotes, for example for a path in angle brackets. */
void put_escaped(const char *bytes, size_t length, char quote);

/* A field of CSV (RFC 4180), in quotes if necessary. */
void put_csv(const char *bytes, size_t length);

#endif
