/* Loop: tracks of many streams that have the same form, stored once.
 *
 * A *class* is a set of tracks with equal shapes, trees and groups; its *members* are streams in the order of the trace. Each
 * number that can differ between members (how often a loop runs, start and stride of a column) is stored as a *scalar*: the
 * sequence of its values over the members, which is a series if it follows the rank. The bytes depend only on the members and
 * their order. They do not contain raw parts of columns: these are listed for each stream, in the order of track_parts().
 */
#ifndef LOOP_CLASS_H
#define LOOP_CLASS_H

#include "base/host/bytes.h"
#include "loop/track.h"

enum { SCALAR_BLOCKS = 256 };

/* Whether two tracks belong to the same class; and a hash that is equal if they do. */
bool track_alike(const struct track *a, const struct track *b);
uint64_t track_form(const struct track *track);

/* Appends the class of these tracks, all of which are alike. */
enum varve_status class_write(struct bytes *bytes, struct track *const *members, size_t count,
			      struct varve_causes *causes) MUST_CHECK;

/* Calls `see` for each raw column of a track, in the order in which the parts are listed. */
void track_parts(const struct track *track, void (*see)(void *context, const struct values *values),
		 void *context);

struct scalar {
	uint64_t start,
		stride; /* value of member k: start + k * stride, unless there are blocks or values */
	struct series_block *blocks;
	size_t block_count;
	uint64_t *values;
};

/* How a column is stored for some of the members. */
struct column_form {
	bool raw;
	size_t block_count;
	uint32_t *dimensions;	/* of each block */
	struct scalar *scalars; /* of each block: start, then count and stride of each dimension */
};

struct class_column {
	size_t form_count;
	struct column_form *forms;
	uint32_t *form_of; /* by member, if there are several forms */
	uint32_t *place;   /* by member: its index among those with its form */
};

struct class_group {
	uint32_t shape;
	struct scalar count;
	struct class_column *columns;
};

struct track_class {
	size_t member_count;
	struct track_shape *shapes; /* keys are in the bytes from which the class was read */
	size_t shape_count;
	struct fold_branch *branches;
	size_t branch_count;
	size_t loops;
	struct scalar *visits;	    /* of each loop: how often it is visited */
	struct class_column *trips; /* of each loop */
	struct class_group *groups;
	size_t group_count;
	size_t weight;		    /* maximum memory of one member when it is read, in bytes */
	bool raw;		    /* a column of some member is raw */
	struct arena_chunk *memory; /* contains all of the above */
};

/* Reads a class of `members` streams. The bytes must stay valid. Decreases `*budget` by the memory that is used. */
enum varve_status class_read(struct track_class *class, struct input *input, size_t members,
			     size_t *budget, struct varve_causes *causes) MUST_CHECK;
void class_clear(struct track_class *class);

/* Number of parts of raw columns of one member. */
size_t class_parts(const struct track_class *class, size_t member);
/* The track of one member, without its parts: track_parts_set() adds them. */
enum varve_status class_member(const struct track_class *class, size_t member, struct track *track,
			       struct varve_causes *causes) MUST_CHECK;
void track_parts_set(struct track *track, const struct values_part *parts);
/* Frees the result of class_member(). */
void member_clear(struct track *track);

#endif
