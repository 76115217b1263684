/* Record: regions, which a program names itself: include/varve/region.h. A region's record begins like that of a call and stays
 * open until the program ends it, whichever functions return meanwhile.
 *
 * So a region is not a stack frame, and neither longjmp nor an exception ends it: when an outer region ends, the regions that are
 * open inside it end too and are marked as left. Nothing here waits, allocates, or trusts its arguments.
 */
#include "record/loader/regions.h"

#include "base/hash.h"
#include "record/lane/lanes.h"
#include "record/manual.h"

#include <string.h>

/* Programs are compiled with these values: they must never change. */
enum { SAY_BEGIN = 1, SAY_END = 2, SAY_PHASE = 3, SAY_VALUE = 4 };
enum { END_ENDED = 0, END_LEFT = 1 };

EXPORTED int varve_region(int what, const char *name, size_t length, int64_t number);

uint32_t open_find(const struct thread *self, enum open_kind kind, bool marked, uint64_t mark)
{
	uint32_t place = self->open_count < REGIONS_MOST ? self->open_count : REGIONS_MOST;
	for (; place; place--)
		if (open_is(self, place - 1, kind) &&
		    (!marked || self->open_mark[place - 1] == mark))
			break;
	return place;
}

void open_complete(const struct thread *self, uint32_t place, uint64_t now, uint64_t result)
{
	uint64_t *slot = self->open[place].slot;
	slot[WORD_RESULT] = result;
	BARRIER();
	*(volatile uint64_t *)&slot[WORD_EXIT] = now;
}

static void place_empty(struct thread *self, uint32_t place)
{
	self->open[place].frame = REGION_FRAME;
	BARRIER();
	self->open[place].slot = NULL;
}

static void places_trim(struct thread *self)
{
	while (self->open_count && !self->open[self->open_count - 1].slot)
		self->open_count--;
}

void open_ended(struct thread *self, uint32_t place)
{
	for (uint32_t i = self->open_count; i-- > place;)
		if (i == place || !open_is(self, i, OPEN_REGION))
			place_empty(self, i);
	places_trim(self);
}

void open_begun(struct thread *self, uint32_t place, uint64_t mark, uintptr_t frame)
{
	self->open_mark[place] = mark;
	for (unsigned kind = 0; kind < OPEN_KINDS; kind++)
		self->open_hidden[kind][place + 1] = 0;
	BARRIER();
	self->open[place].frame = frame;
}

void open_hide(struct thread *self, enum open_kind kind)
{
	self->open_hidden[kind][open_find(self, kind, false, 0)]++;
}

bool open_revealed(struct thread *self, enum open_kind kind)
{
	uint32_t *hidden = &self->open_hidden[kind][open_find(self, kind, false, 0)];
	if (LIKELY(!*hidden))
		return false;
	--*hidden;
	return true;
}

uint64_t region_name_again(struct thread *self, uint32_t place)
{
	const struct known *known = self->known;
	return name_define(self, known->region_name[place], known->region_length[place],
			   VARVE_BASE_NONE, 0, 0);
}

void regions_after_fork(struct thread *self)
{
	uint32_t open = 0;
	for (uint32_t i = 0; i <= REGIONS_MOST; i++) {
		open += self->open_hidden[OPEN_REGION][i];
		open += i < self->open_count && i < REGIONS_MOST && open_is(self, i, OPEN_REGION);
		self->open_hidden[OPEN_REGION][i] = 0;
	}
	self->open_hidden[OPEN_REGION][0] = open;
}

/* The length of a name that is kept; negative: there is none, or it cannot be read. */
static long name_kept(struct thread *self, const char *name, size_t length)
{
	if (!name)
		return -1;
	long kept = (long)length;
	if (length == SIZE_MAX)
		kept = text_length(self, name, REGION_NAME + 1);
	else if (length > REGION_NAME)
		kept = REGION_NAME + 1;
	if (length != SIZE_MAX && length && !memory_readable(self, name, (size_t)kept))
		return -1;
	if (kept <= REGION_NAME)
		return kept;
	loss_count(LOSS_NAME, 1);
	return REGION_NAME;
}

static bool switched_off(uint16_t id)
{
	return UNLIKELY(call_switch[id]) && call_switched(id, true, NULL, 0) != SWITCHED_RECORD;
}

/* True: the record was begun. Afterwards the thread is not busy. */
static bool region_begin(struct thread *self, uint16_t id, const char *name, size_t length,
			 int64_t number)
{
	bool off = switched_off(id);
	if (off || self->open_count >= REGIONS_MOST) {
		if (!off)
			loss_count(LOSS_DEEP, 1);
		/* Programs do not end phases. */
		if (id == CALL_region)
			open_hide(self, OPEN_REGION);
		busy_release(self);
		return false;
	}
	long kept = name_kept(self, name, length);
	size_t bytes = kept < 0 ? 0 : (size_t)kept;
	uint64_t word = name_define(self, name, bytes, VARVE_BASE_NONE, 0, 0);
	uint64_t *slot = wrap_reserve(self, WORD_ARGUMENTS + WORDS_region);
	struct call call;
	_Static_assert(WORDS_region == 2 && WORDS_phase == 2, "a region has two words");
	slot[WORD_ARGUMENTS] = word;
	slot[WORD_ARGUMENTS + 1] = (uint64_t)number;
	wrap_begin(self, &call, slot, id, WORD_ARGUMENTS + WORDS_region);
	uint32_t place = call.index;
	if (place >= REGIONS_MOST)
		return true;
	/* Stored only now: a handler may have used this place for a region. */
	if (bytes)
		memcpy(self->known->region_name[place], name, bytes);
	self->known->region_length[place] = (uint32_t)bytes;
	open_begun(self, place, hash_name(name, bytes, 0), REGION_FRAME);
	return true;
}

static bool is_phase(const struct thread *self, uint32_t place)
{
	return (uint16_t)(self->open[place].slot[WORD_HEADER] >> 16) == CALL_phase;
}

/* Ends the region at this place and those inside it: phases are complete, other regions are marked as left. */
static void region_close(struct thread *self, uint32_t place)
{
	uint64_t now = clock_count(self->pulse->tsc);
	for (uint32_t i = self->open_count; i-- > place;) {
		if (!open_is(self, i, OPEN_REGION))
			continue;
		bool left = i > place && !is_phase(self, i);
		open_complete(self, i, now, left ? END_LEFT : END_ENDED);
		place_empty(self, i);
	}
	places_trim(self);
}

static void unmatched_record(struct thread *self, const char *name, long kept)
{
	if (switched_off(CALL_unmatched))
		return;
	uint64_t word = kept < 0 ? 0 : name_define(self, name, (size_t)kept, VARVE_BASE_NONE, 0, 0);
	_Static_assert(WORDS_unmatched == 1, "unmatched has one word");
	own_record(self, clock_count(recorder.tsc), CALL_unmatched, &word, 1);
}

/* The innermost region that is not a phase: phases end by themselves. */
static uint32_t region_innermost(const struct thread *self)
{
	uint32_t place = open_find(self, OPEN_REGION, false, 0);
	uint32_t first = place;
	while (place && (!open_is(self, place - 1, OPEN_REGION) || is_phase(self, place - 1)))
		place--;
	return place ? place : first;
}

static bool region_end(struct thread *self, const char *name, size_t length)
{
	if (open_revealed(self, OPEN_REGION))
		return false;
	long kept = name_kept(self, name, length);
	uint32_t place =
		kept < 0 ? region_innermost(self)
			 : open_find(self, OPEN_REGION, true, hash_name(name, (size_t)kept, 0));
	if (place)
		region_close(self, place - 1);
	else
		unmatched_record(self, name, kept);
	return place != 0;
}

static bool phase_end(struct thread *self)
{
	uint32_t place = open_find(self, OPEN_REGION, false, 0);
	if (!place || !is_phase(self, place - 1))
		return false;
	region_close(self, place - 1);
	return true;
}

static bool region_value_record(struct thread *self, const char *name, size_t length,
				int64_t number)
{
	if (switched_off(CALL_value))
		return false;
	long kept = name_kept(self, name, length);
	uint64_t words[] = {kept < 0 ? 0
				     : name_define(self, name, (size_t)kept, VARVE_BASE_NONE, 0, 0),
			    (uint64_t)number};
	_Static_assert(WORDS_value == 2, "value has two words");
	own_record(self, clock_count(recorder.tsc), CALL_value, words, WORDS_value);
	return true;
}

int varve_region(int what, const char *name, size_t length, int64_t number)
{
	if (call_switch[CALL_region] & SWITCH_DEAD)
		return 0;
	struct thread *self = checked_enter();
	if (!self)
		return 0;
	bool done = false;
	if (what == SAY_BEGIN)
		return region_begin(self, CALL_region, name, length, number);
	if (what == SAY_PHASE) {
		done = phase_end(self);
		if (name)
			return region_begin(self, CALL_phase, name, length, number);
	} else if (what == SAY_END) {
		done = region_end(self, name, length);
	} else if (what == SAY_VALUE) {
		done = region_value_record(self, name, length, number);
	}
	busy_release(self);
	return done;
}
