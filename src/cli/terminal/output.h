/* Command line: the buffer of standard output.
 *
 * Owns the only way by which data leaves `varve`. If the reader closes the output, the program ends silently; any other write error
 * ends it with a message and EXIT_SYSTEM.
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

/* Writes what is there. */
void output_flush(void);

/* After this, OUTPUT_SPARE bytes may be stored. */
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
void put_padded(const char *text, int width);			  /* negative: to the left */
void put_format(const char *format, ...)
	__attribute__((format(printf, 1, 2))); /* not on a hot path */

/* Nanoseconds as seconds with nine decimals, to the right of `width` columns. */
void put_seconds(int64_t ns, int width);

/* Nanoseconds with a unit, as 12.3us, to the right of `width` columns. */
void put_duration(int64_t ns, int width);

/* Nanoseconds with a unit in a sentence, as 12.3 us. */
void put_duration_words(int64_t ns);

/* A string for a JSON document, in quotes. A byte that is no UTF-8 becomes \udcXX, as Python's surrogateescape reads it. */
void put_json(const char *bytes, size_t length);

/* `before`, as in `,"path":`, then the text as a JSON string; NULL: null. */
void put_json_member(const char *before, const char *text);

/* A C string in quotes; control bytes and what is no UTF-8 as \xNN. */
void put_quoted(const char *bytes, size_t length);

/* The same escapes without quotes, for places where a path stands in angle brackets. */
void put_escaped(const char *bytes, size_t length, char quote);

/* A field of CSV (RFC 4180): in quotes when it needs them. */
void put_csv(const char *bytes, size_t length);

#endif
