/* Base: texts that are put together without the C library's stdio, and small files that are read whole.
 *
 * Raw system calls, no allocation: used inside traced programs and by tools.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Reads a small file whole; returns its bytes (a zero byte is added behind them), or -errno. */
long file_read(const char *path, char *text, size_t room);

/* Text of a number, and pieces of paths, without the C library's stdio. `at` below `end`; returns the new end; always
 * leaves room for and writes a zero byte. */
char *text_add(char *at, const char *end, const char *piece);
char *text_add_bytes(char *at, const char *end, const char *bytes, size_t length);
char *text_add_number(char *at, const char *end, uint64_t number);
char *text_add_signed(char *at, const char *end, int64_t number);

#endif
