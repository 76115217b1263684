/* Codec: why lanes could not be created: a set of errnos. See lane_errors.h.
 *
 * No allocation, no printing. A set that was read from a trace may contain any bytes.
 */
#include "codec/inprocess/lane_errors.h"

#include "base/text.h"

#include <errno.h>

uint64_t lane_errors_add(uint64_t set, unsigned error)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		unsigned there = set >> shift & 0xff;
		if (there == error)
			return set;
		if (!there)
			return set | (uint64_t)(error & 0xff) << shift;
	}
	return set;
}

uint64_t lane_errors_join(uint64_t left, uint64_t right)
{
	for (; right; right >>= 8)
		if (right & 0xff)
			left = lane_errors_add(left, right & 0xff);
	return left;
}

/* NULL: there is no text for this errno. */
static const char *error_words(unsigned error)
{
	switch (error) {
	case ENOSPC:
		return "no space left in the lane folder";
	case EDQUOT:
		return "quota exceeded in the lane folder";
	case EFBIG:
		return "maximum file size exceeded (`ulimit -f`)";
	case EACCES:
	case EPERM:
		return "no permission to write to the lane folder";
	case EROFS:
		return "the lane folder is on a read-only file system";
	case EMFILE:
	case ENFILE:
		return "no file descriptor was free (`ulimit -n`)";
	case ENOMEM:
		return "out of memory";
	case ENOENT:
	case ENOTDIR:
		return "the lane folder was removed, or the process could not reach it";
	case LANE_ERROR_MOST:
		return "the process already has the maximum number of lanes";
	case LANE_ERROR_QUIET:
		return "the program disabled system calls (seccomp)";
	default:
		return NULL;
	}
}

void lane_errors_text(uint64_t set, char text[LANE_TEXT])
{
	const char *words[8], *end = text + LANE_TEXT;
	unsigned count = 0;
	char *at = text_add(text, end, "calls not recorded: no buffer (lane) could be created");
	for (; set; set >>= 8) {
		const char *next = error_words(set & 0xff);
		bool said = !(set & 0xff);
		for (unsigned i = 0; i < count; i++)
			said = said || (next && words[i] == next);
		if (said)
			continue;
		at = text_add(at, end, count ? ", " : ": ");
		at = next ? text_add(at, end, next)
			  : text_add_number(text_add(at, end, "errno "), end, set & 0xff);
		words[count++] = next;
	}
}

void losses_add(uint64_t sum[LOSS_ROOM], const uint64_t more[LOSS_ROOM])
{
	uint64_t errors = lane_errors_join(sum[NOTE_LANE_ERRORS], more[NOTE_LANE_ERRORS]);
	for (unsigned i = 0; i < LOSS_ROOM; i++)
		sum[i] += more[i];
	sum[NOTE_LANE_ERRORS] = errors;
}
