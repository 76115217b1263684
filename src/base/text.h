/* Base: building texts without the C library's stdio, and reading small files as a whole.
 *
 * Raw system calls, no allocation: used inside traced programs and by tools.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Reads a small file, at most `room - 1` bytes, and adds a zero byte. Returns the number of bytes, or -errno. */
long file_read(const char *path, char *text, size_t room);

/* Append a text or a number at `at`, which is below `end`; return the new end. They cut what does not fit, and always write a
 * zero byte. */
char *text_add(char *at, const char *end, const char *piece);
char *text_add_bytes(char *at, const char *end, const char *bytes, size_t length);
char *text_add_number(char *at, const char *end, uint64_t number);
char *text_add_signed(char *at, const char *end, int64_t number);

#endif
