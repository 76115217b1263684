/* Base: values of settings and options as people write them. No locale, no allocation: used inside traced programs too. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* "512K", "1MiB", "2G": bytes, powers of 1024; false: none. */
bool parse_size(const char *text, uint64_t *bytes);
/* "1.5s", "20ms", "3us", "100ns", "2min", "1h", "7" (seconds): ns; false: none. */
bool parse_time(const char *text, int64_t *ns);
/* A decimal number up to `most`; false: none. */
bool parse_number(const char *text, uint64_t most, uint64_t *number);
/* "1", "yes", "on", "true" and their contraries; false: none. */
bool parse_truth(const char *text, bool *truth);
/* A part of a list of ranks: N, A:B or A-B with both ends in it, A:B:STRIDE. */
struct rank_range {
	uint64_t first, last, step;
};
/* The range at the start of a list; what is behind it, a comma or the end. NULL: there is none. */
const char *parse_rank_range(const char *list, struct rank_range *range);
bool rank_range_has(const struct rank_range *range, uint64_t number);
/* Whether the number is in a list such as "0:15,32". `*good` is whether it is such a list. */
bool parse_ranks(const char *list, uint64_t number, bool *good);

#endif
