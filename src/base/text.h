/* Base: building texts without the C library's stdio, and reading small files as a whole.
 *
 * Raw system calls, no allocation: used inside traced programs and by tools.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a small file, at most `room - 1` bytes, and adds a zero byte. Returns the number of bytes, or -errno. */
long file_read(const char *path, char *text, size_t room);

/* Whether a file of any size contains this text, which is shorter than 16 KiB. For one thread at a time. */
bool file_holds(const char *path, const char *text);

/* Append a text or a number at `at`, which is below `end`; return the new end. They cut what does not fit, and always write a
 * zero byte. */
char *text_add(char *at, const char *end, const char *piece);
char *text_add_bytes(char *at, const char *end, const char *bytes, size_t length);
char *text_add_number(char *at, const char *end, uint64_t number);
char *text_add_signed(char *at, const char *end, int64_t number);

#endif
