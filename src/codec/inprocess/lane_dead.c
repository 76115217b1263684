/* Codec: the rules for lanes that dead processes left. See lane_dead.h.
 *
 * Words of a lane are checked before they are used: sums may wrap around, and lengths are compared with that of the file. Never
 * opens, maps or writes anything.
 */
#include "codec/inprocess/lane_dead.h"

#include "base/clock.h"
#include "base/program/process.h"
#include "codec/control.h"

#include <string.h>

/* SHORT_NS: a clock rate measured over a shorter time is not reliable. */
enum { SHORT_NS = 1000000 };

bool lane_head_good(const struct lane *head, uint64_t file_size)
{
	return head->magic == LANE_MAGIC && head->version == LANE_VERSION &&
	       head->size >= LANE_HEADER && head->size <= file_size &&
	       head->stash_room == file_size - head->size;
}

struct lane_image lane_image_of(const struct lane *lane)
{
	return (struct lane_image){lane->process, lane->pid, lane->process_start,
				   lane->pid_namespace};
}

static bool same_process(const struct lane_image *left, const struct lane_image *right)
{
	return left->pid == right->pid && left->start == right->start &&
	       left->pid_namespace == right->pid_namespace;
}

bool lane_same_process(const struct lane *left, const struct lane *right)
{
	const struct lane_image one = lane_image_of(left), other = lane_image_of(right);
	return same_process(&one, &other);
}

bool lane_image_replaced(const struct lane_image *image, const struct lane_image *other)
{
	return same_process(image, other) && other->process > image->process;
}

static double counts_per_ns(struct lane_clock from, struct lane_clock to)
{
	double ns = (double)to.monotonic - (double)from.monotonic;
	double counts = (double)to.counter - (double)from.counter;
	return ns > 0 && counts > 0 ? counts / ns : 0;
}

struct lane_clock lane_dead_clock(const struct lane *lane, struct lane_clock start)
{
	struct lane_clock now = {0};
	uint8_t boot_id[16];
	process_boot_id(boot_id);
	bool other_boot = memcmp(boot_id, lane->boot_id, sizeof boot_id) != 0;
	clock_pair(lane->clock_kind == CLOCK_KIND_TSC, &now.counter, &now.monotonic);
	double rate = counts_per_ns(lane->begin, now);
	double known = counts_per_ns(start, lane->begin);
	/* The lane is not trusted: sums may wrap around. */
	uint64_t base = (uint64_t)lane->begin.monotonic - (uint64_t)start.monotonic;
	bool unsure = known <= 0 || (int64_t)base < SHORT_NS;
	if (!other_boot && rate > 0 && (unsure || (rate < known * 1.01 && rate > known * 0.99)))
		return now;
	if (known <= 0)
		return lane->begin;
	return (struct lane_clock){lane->begin.counter + (lane->begin.counter - start.counter),
				   (int64_t)((uint64_t)lane->begin.monotonic + base)};
}

bool lane_stash_next(struct lane *lane, uint64_t *at, struct block_header *header,
		     const uint8_t **bytes)
{
	if (lane->stash_used > lane->stash_room || *at >= lane->stash_used)
		return false;
	*bytes = lane_stash(lane) + *at;
	if (block_open(*bytes, lane->stash_used - *at, header, NULL) != VARVE_OK ||
	    header->process != lane->process || header->thread != lane->thread)
		return false;
	*at += header->length;
	return true;
}
