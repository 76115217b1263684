/* Codec: the rule for bytes: how the number of bytes that a call moved follows from its row and its record.
 *
 * The only place of this rule. Encoders use it for the sums of blocks, readers for files, filters, batches and totals. A row
 * has one of `enum varve_bytes_rule` and a number, which is an argument word or, for VARVE_BYTES_FIXED, the bytes of each call.
 */
#ifndef CODEC_MOVED_H
#define CODEC_MOVED_H

#include "codec/record.h"
#include "codec/rows.h"

/* The bytes that a call moved. False: the call counts no bytes, it did not return, or it failed before it moved any. */
static inline bool moved_bytes(uint8_t rule, uint8_t number, unsigned marks, int64_t result,
			       const uint64_t *words, uint32_t word_count, uint64_t *bytes)
{
	*bytes = 0;
	bool failed = marks & VARVE_FAILED;
	if (rule == VARVE_BYTES_NONE || marks & VARVE_UNFINISHED)
		return false;
	if (rule == VARVE_BYTES_FIXED) {
		/* -1 is the end of the file. */
		*bytes = failed || result == -1 ? 0 : number;
		return !failed;
	}
	if (rule != VARVE_BYTES_RESULT && number >= word_count)
		return false;
	if (rule == VARVE_BYTES_WORD) {
		*bytes = failed ? 0 : words[number];
		return !failed;
	}
	if (result < 0)
		return false;
	*bytes = (uint64_t)result * (rule == VARVE_BYTES_RESULT_TIMES ? words[number] : 1);
	return !failed || result > 0;
}

#endif
