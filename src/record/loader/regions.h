/* Record: what can be open in a thread besides calls: regions that the program names, and functions of a program that was built
 * with -finstrument-functions. See regions.c, functions.c.
 *
 * Both are in the list of open calls of their thread, in the order in which they began. They need not end in that order: one that
 * ends before others above it leaves its place empty, so that the depths in the records stay correct.
 */
#ifndef RECORD_LOADER_REGIONS_H
#define RECORD_LOADER_REGIONS_H

#include "record/recorder.h"

static inline bool open_is(const struct thread *self, uint32_t place, enum open_kind kind)
{
	const struct open_call *open = &self->open[place];
	if (!open->slot)
		return false;
	if (kind == OPEN_REGION)
		return open->frame == REGION_FRAME;
	/* The frame of a function is odd, see function_frame(); that of a wrapper is aligned. */
	return open->frame & 1;
}

/* The innermost open one with this mark; without `marked`, with any mark. The result is its place + 1; 0: none. */
uint32_t open_find(const struct thread *self, enum open_kind kind, bool marked, uint64_t mark);

/* The call that was begun at this place is a region or a function. */
void open_begun(struct thread *self, uint32_t place, uint64_t mark, uintptr_t frame);

/* Completes the record of what is open at this place. */
void open_complete(const struct thread *self, uint32_t place, uint64_t now, uint64_t result);

/* What is open at this place has ended, and so have the calls and functions inside it. Regions may continue. */
void open_ended(struct thread *self, uint32_t place);

/* Counts one that began without a record, so that its end does not end the one around it. */
void open_hide(struct thread *self, enum open_kind kind);
/* Whether the present end belongs to such a one, which is then no longer counted. */
bool open_revealed(struct thread *self, enum open_kind kind);

/* Defines the name of a continued region in the new block. */
uint64_t region_name_again(struct thread *self, uint32_t place);
/* In a forked child: the parent's regions are not recorded here, but the child may end them. */
void regions_after_fork(struct thread *self);

/* functions.c */
void functions_resolve(void);

#endif
