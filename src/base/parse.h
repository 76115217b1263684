/* Base: values of settings and options as people write them. No locale, no allocation: also used inside traced programs. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* "512K", "1MiB", "2G": bytes, powers of 1024; false: not a size. */
bool parse_size(const char *text, uint64_t *bytes);
/* "1.5s", "20ms", "3us", "100ns", "2min", "1h", "7" (seconds): ns; false: not a time. */
bool parse_time(const char *text, int64_t *ns);
/* A decimal number up to `most`; false: not such a number. */
bool parse_number(const char *text, uint64_t most, uint64_t *number);
/* "1", "yes", "on", "true", and "0", "no", "off", "false"; false: another text. */
bool parse_truth(const char *text, bool *truth);
/* An element of a list of ranks: N; A:B or A-B, which include both ends; A:B:STRIDE. */
struct rank_range {
	uint64_t first, last, step;
};
/* Reads the range at the start of a list. Returns the position behind it, at a comma or at the end; NULL: not a range. */
const char *parse_rank_range(const char *list, struct rank_range *range);
bool rank_range_has(const struct rank_range *range, uint64_t number);
/* Whether the number is in a list such as "0:15,32". `*good` is set to whether the text is such a list. */
bool parse_ranks(const char *list, uint64_t number, bool *good);

#endif
