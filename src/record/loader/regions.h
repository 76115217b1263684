/* Record: what is open in a thread besides calls: regions that the program names, functions of a program that was built with
 * -finstrument-functions. See regions.c, functions.c.
 *
 * Both are in the list of open calls of their thread, in the order in which they began. They need not end in that order: one
 * that ends before others above it leaves its place empty, so that the depths in the records stay correct.
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
	/* A wrapper's frame is where the compiler puts it, on a full word; see function_frame(). */
	return open->frame & 1;
}

/* The innermost that is open and has this mark; without `marked`: the innermost. As place from 1; 0: none. */
uint32_t open_find(const struct thread *self, enum open_kind kind, bool marked, uint64_t mark);

/* What was begun as a call, at this place, is a region or a function. */
void open_begun(struct thread *self, uint32_t place, uint64_t mark, uintptr_t frame);

/* The record of what is open there gets its end. */
void open_complete(const struct thread *self, uint32_t place, uint64_t now, uint64_t result);

/* What is at this place has ended, and so have the calls and functions that it made. Regions may go on. */
void open_ended(struct thread *self, uint32_t place);

/* One began without a record: its end is not that of the one around it. */
void open_hide(struct thread *self, enum open_kind kind);
/* Whether the end that comes now is of such a one, which is over then. */
bool open_revealed(struct thread *self, enum open_kind kind);

/* While a lane is made ready for a region that goes on: its name in the new block. */
uint64_t region_name_again(struct thread *self, uint32_t place);
/* In the child: its parent's regions are not its own, but it may end them. */
void regions_after_fork(struct thread *self);

/* functions.c */
void functions_resolve(void);

#endif
