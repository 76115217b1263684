/* Loop: reads a class, and the track of one of its members. See class.h.
 *
 * The bytes are hostile input: every count is compared with the bytes that are left, and memory is limited by a budget.
 */
#include "loop/class.h"

#include "base/host/arena.h"

#include <stdlib.h>

static enum varve_status class_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged structure: %s", what);
}

static enum varve_status class_too_large(struct varve_causes *causes)
{
	return cause(causes, VARVE_LIMIT, "the structure needs more memory than its length allows");
}

struct reading {
	struct input *input;
	struct arena arena;
	struct track_class *class;
	struct varve_causes *causes;
};

#define GET(place, count)                                                                          \
	do {                                                                                       \
		(place) = arena_get(&reading->arena, (count), sizeof *(place));                    \
		if (!(place))                                                                      \
			return class_too_large(reading->causes);                                   \
	} while (0)

static uint64_t signed_number(struct input *input)
{
	return (uint64_t)unzigzag(input_number(input));
}

/* Reads a block of a series over the members. */
static bool get_block(struct input *input, struct series_block *block)
{
	block->start = signed_number(input);
	uint64_t dimensions = input_number(input);
	block->values = 1;
	if (dimensions > SERIES_DIMENSIONS)
		return false;
	block->dimensions = (uint32_t)dimensions;
	for (uint32_t d = 0; d < block->dimensions; d++) {
		block->count[d] = input_number(input);
		block->stride[d] = signed_number(input);
		if (!block->count[d] ||
		    __builtin_mul_overflow(block->values, block->count[d], &block->values))
			return false;
	}
	return !input->bad;
}

static enum varve_status get_scalar(struct reading *reading, size_t count, struct scalar *scalar)
{
	struct input *input = reading->input;
	uint64_t tag = input_number(input);
	*scalar = (struct scalar){0};
	if (tag == 1) {
		scalar->start = signed_number(input);
		scalar->stride = signed_number(input);
	} else if (tag == 0) {
		if (count > (size_t)(input->end - input->at))
			return class_damaged(reading->causes, "numbers are truncated");
		GET(scalar->values, count);
		for (size_t i = 0; i < count; i++)
			scalar->values[i] = (i ? scalar->values[i - 1] : 0) + signed_number(input);
	} else {
		size_t blocks = (size_t)(tag - 1);
		if (tag - 1 > SCALAR_BLOCKS || blocks > (size_t)(input->end - input->at))
			return class_damaged(reading->causes, "a number has too many forms");
		GET(scalar->blocks, blocks);
		scalar->block_count = blocks;
		uint64_t left = count;
		for (size_t i = 0; i < blocks; i++) {
			if (!get_block(input, &scalar->blocks[i]) ||
			    scalar->blocks[i].values > left)
				return class_damaged(reading->causes,
						     "a number has a wrong count of values");
			left -= scalar->blocks[i].values;
		}
		if (left)
			return class_damaged(reading->causes,
					     "a number has a wrong count of values");
	}
	return input->bad ? class_damaged(reading->causes, "numbers are truncated") : VARVE_OK;
}

static uint64_t scalar_of(const struct scalar *scalar, size_t at)
{
	if (scalar->values)
		return scalar->values[at];
	if (!scalar->blocks)
		return scalar->start + at * scalar->stride;
	size_t i = 0;
	while (at >= scalar->blocks[i].values)
		at -= scalar->blocks[i++].values;
	return series_block_value(&scalar->blocks[i], at);
}

static enum varve_status get_form(struct reading *reading, size_t members, struct column_form *form)
{
	struct input *input = reading->input;
	uint64_t tag = input_number(input);
	form->raw = !tag;
	reading->class->raw |= form->raw;
	if (!tag || input->bad)
		return input->bad ? class_damaged(reading->causes, "a column is truncated")
				  : VARVE_OK;
	if (tag - 1 > VALUES_BLOCKS)
		return class_damaged(reading->causes, "a column has too many blocks");
	form->block_count = (size_t)(tag - 1);
	GET(form->dimensions, form->block_count);
	GET(form->scalars, form->block_count * (1 + 2 * SERIES_DIMENSIONS));
	for (size_t i = 0; i < form->block_count; i++) {
		uint64_t dimensions = input_number(input);
		if (dimensions > SERIES_DIMENSIONS)
			return class_damaged(reading->causes, "a column has too many dimensions");
		form->dimensions[i] = (uint32_t)dimensions;
		struct scalar *scalar = &form->scalars[i * (1 + 2 * SERIES_DIMENSIONS)];
		for (size_t k = 0; k < 1 + 2 * dimensions; k++)
			TRY(get_scalar(reading, members, &scalar[k]));
	}
	return VARVE_OK;
}

static enum varve_status get_column(struct reading *reading, struct class_column *column)
{
	size_t members = reading->class->member_count;
	uint64_t forms = input_number(reading->input);
	if (!forms || forms > members)
		return class_damaged(reading->causes, "a column has no form");
	column->form_count = (size_t)forms;
	GET(column->forms, column->form_count);
	size_t *count;
	GET(count, column->form_count);
	count[0] = members;
	if (forms > 1) {
		struct scalar of;
		TRY(get_scalar(reading, members, &of));
		GET(column->form_of, members);
		GET(column->place, members);
		count[0] = 0;
		for (size_t m = 0; m < members; m++) {
			uint64_t form = scalar_of(&of, m);
			if (form >= forms)
				return class_damaged(reading->causes, "a column has no such form");
			column->form_of[m] = (uint32_t)form;
			column->place[m] = (uint32_t)count[form]++;
		}
	}
	for (size_t i = 0; i < column->form_count; i++)
		TRY(get_form(reading, count[i], &column->forms[i]));
	return VARVE_OK;
}

static enum varve_status get_shapes(struct reading *reading)
{
	struct track_class *class = reading->class;
	struct input *input = reading->input;
	class->shape_count = input_count(input, 2);
	GET(class->shapes, class->shape_count);
	for (size_t i = 0; i < class->shape_count; i++) {
		struct track_shape *shape = &class->shapes[i];
		uint64_t columns = input_number(input);
		uint64_t length = input_number(input);
		if (columns > TRACK_COLUMNS_MOST || length > TRACK_KEY_MOST)
			return class_damaged(reading->causes, "a shape is too long");
		shape->columns = (uint32_t)columns;
		shape->length = (uint32_t)length;
		/* It is never written to: the type is the one that a track under construction needs. */
		shape->key = (uint8_t *)(uintptr_t)input_bytes(input, shape->length);
	}
	class->group_count = input_count(input, 1);
	GET(class->groups, class->group_count);
	for (size_t i = 0; i < class->group_count; i++) {
		uint64_t shape = input_number(input);
		if (shape >= class->shape_count)
			return class_damaged(reading->causes, "a group has no shape");
		class->groups[i].shape = (uint32_t)shape;
		GET(class->groups[i].columns, class->shapes[shape].columns);
	}
	return input->bad ? class_damaged(reading->causes, "shapes are truncated") : VARVE_OK;
}

/* Loops nest within their bodies: this is checked here, once for all members. */
static enum varve_status get_tree(struct reading *reading)
{
	struct track_class *class = reading->class;
	struct input *input = reading->input;
	size_t ends[FOLD_DEPTH_MOST], depth = 0;
	class->branch_count = input_count(input, 1);
	if (class->branch_count > UINT32_MAX / 2)
		return class_damaged(reading->causes, "the tree is too large");
	GET(class->branches, class->branch_count);
	for (size_t i = 0; i < class->branch_count; i++) {
		while (depth && ends[depth - 1] == i)
			depth--;
		size_t end = depth ? ends[depth - 1] : class->branch_count;
		struct fold_branch *branch = &class->branches[i];
		uint64_t tag = input_number(input);
		*branch = (struct fold_branch){.size = 1};
		if (tag) {
			if (tag > class->group_count)
				return class_damaged(reading->causes, "a leaf has no group");
			branch->symbol = (uint32_t)(tag - 1);
			continue;
		}
		uint64_t below = input_number(input);
		if (!below || below >= end - i || depth == FOLD_DEPTH_MOST)
			return class_damaged(reading->causes, "loops do not nest");
		branch->symbol = FOLD_LOOP;
		branch->size = (uint32_t)below + 1;
		branch->trips = (uint32_t) class->loops++;
		ends[depth++] = i + branch->size;
	}
	return input->bad ? class_damaged(reading->causes, "the tree is truncated") : VARVE_OK;
}

/* Memory of the form that needs most. */
static size_t column_weight(const struct class_column *column)
{
	enum { READER = 512 }; /* an estimate of the memory of its reader */
	size_t blocks = 0;
	for (size_t i = 0; i < column->form_count; i++)
		if (blocks < column->forms[i].block_count)
			blocks = column->forms[i].block_count;
	return READER + blocks * sizeof(struct series_block);
}

static void class_weigh(struct track_class *class)
{
	class->weight = class->group_count * sizeof(struct track_group);
	for (size_t i = 0; i < class->loops; i++)
		class->weight += column_weight(&class->trips[i]);
	for (size_t i = 0; i < class->group_count; i++)
		for (uint32_t k = 0; k < class->shapes[class->groups[i].shape].columns; k++)
			class->weight += column_weight(&class->groups[i].columns[k]);
}

static enum varve_status read_class(struct reading *reading)
{
	struct track_class *class = reading->class;
	TRY(get_shapes(reading));
	TRY(get_tree(reading));
	GET(class->visits, class->loops);
	GET(class->trips, class->loops);
	for (size_t i = 0; i < class->loops; i++)
		TRY(get_scalar(reading, class->member_count, &class->visits[i]));
	for (size_t i = 0; i < class->group_count; i++)
		TRY(get_scalar(reading, class->member_count, &class->groups[i].count));
	for (size_t i = 0; i < class->loops; i++)
		TRY(get_column(reading, &class->trips[i]));
	for (size_t i = 0; i < class->group_count; i++)
		for (uint32_t k = 0; k < class->shapes[class->groups[i].shape].columns; k++)
			TRY(get_column(reading, &class->groups[i].columns[k]));
	class_weigh(class);
	return VARVE_OK;
}

enum varve_status class_read(struct track_class *class, struct input *input, size_t members,
			     size_t *budget, struct varve_causes *causes)
{
	*class = (struct track_class){.member_count = members};
	struct reading reading = {
		.input = input, .arena = {.budget = budget}, .class = class, .causes = causes};
	enum varve_status status =
		members ? read_class(&reading) : class_damaged(causes, "it has no members");
	class->memory = reading.arena.chunks;
	if (status != VARVE_OK)
		class_clear(class);
	return status;
}

void class_clear(struct track_class *class)
{
	arena_clear(class->memory);
	*class = (struct track_class){0};
}

static const struct column_form *form_of(const struct class_column *column, size_t member)
{
	return &column->forms[column->form_of ? column->form_of[member] : 0];
}

/* The `count` values of a column of one member; their blocks are stored at `*blocks`, which is moved behind them. */
static enum varve_status member_values(const struct class_column *column, size_t member,
				       uint64_t count, struct values *values,
				       struct series_block **blocks, struct varve_causes *causes)
{
	const struct column_form *form = form_of(column, member);
	size_t place = column->place ? column->place[member] : member;
	*values = (struct values){.count = count, .raw = form->raw};
	if (form->raw) {
		values->part_count = values_parts(count);
		return VARVE_OK;
	}
	values->blocks = *blocks;
	values->block_count = form->block_count;
	*blocks += form->block_count;
	uint64_t sum = 0;
	for (size_t i = 0; i < form->block_count; i++) {
		const struct scalar *scalar = &form->scalars[i * (1 + 2 * SERIES_DIMENSIONS)];
		struct series_block *block = &values->blocks[i];
		*block = (struct series_block){.dimensions = form->dimensions[i],
					       .start = scalar_of(&scalar[0], place),
					       .values = 1};
		for (uint32_t d = 0; d < block->dimensions; d++) {
			block->count[d] = scalar_of(&scalar[1 + 2 * d], place);
			block->stride[d] = scalar_of(&scalar[2 + 2 * d], place);
			if (!block->count[d] ||
			    __builtin_mul_overflow(block->values, block->count[d], &block->values))
				return class_damaged(causes, "a column has an impossible length");
		}
		if (__builtin_add_overflow(sum, block->values, &sum))
			return class_damaged(causes, "a column has an impossible length");
	}
	return sum == count ? VARVE_OK
			    : class_damaged(causes, "a column has a wrong number of values");
}

/* What a member needs memory for: columns, blocks of series, parts of raw columns. */
struct member_size {
	size_t columns, blocks, parts;
};

static void column_size(const struct class_column *column, size_t member,
			const struct scalar *count, struct member_size *size)
{
	const struct column_form *form = form_of(column, member);
	size_t parts = form->raw ? values_parts(scalar_of(count, member)) : 0;
	size->columns++;
	size->blocks += form->raw ? 0 : form->block_count;
	if (__builtin_add_overflow(size->parts, parts, &size->parts))
		size->parts = SIZE_MAX;
}

static struct member_size member_size_of(const struct track_class *class, size_t member)
{
	struct member_size size = {0};
	for (size_t i = 0; i < class->loops; i++)
		column_size(&class->trips[i], member, &class->visits[i], &size);
	size.columns = 0; /* those of loops are counted separately */
	for (size_t i = 0; i < class->group_count; i++) {
		const struct class_group *group = &class->groups[i];
		for (uint32_t k = 0; k < class->shapes[group->shape].columns; k++)
			column_size(&group->columns[k], member, &group->count, &size);
	}
	return size;
}

size_t class_parts(const struct track_class *class, size_t member)
{
	return class->raw ? member_size_of(class, member).parts : 0;
}

static enum varve_status member_fill(const struct track_class *class, size_t member,
				     struct track *track, struct values *columns,
				     struct series_block *blocks, struct varve_causes *causes)
{
	for (size_t i = 0; i < class->loops; i++)
		TRY(member_values(&class->trips[i], member, scalar_of(&class->visits[i], member),
				  &track->trips[i], &blocks, causes));
	for (size_t i = 0; i < class->group_count; i++) {
		struct track_group *group = &track->groups[i];
		group->shape = class->groups[i].shape;
		group->count = scalar_of(&class->groups[i].count, member);
		group->columns = columns;
		if (__builtin_add_overflow(track->events, group->count, &track->events))
			return class_damaged(causes, "it has an impossible number of records");
		for (uint32_t k = 0; k < class->shapes[group->shape].columns; k++)
			TRY(member_values(&class->groups[i].columns[k], member, group->count,
					  columns++, &blocks, causes));
	}
	return VARVE_OK;
}

/* A single allocation, beginning with the groups, contains everything, because there are many streams. */
enum varve_status class_member(const struct track_class *class, size_t member, struct track *track,
			       struct varve_causes *causes)
{
	struct member_size size = member_size_of(class, member);
	if (size.parts > UINT32_MAX)
		return class_damaged(causes, "a column has an impossible length");
	size_t values = class->loops + size.columns;
	struct track_group *groups =
		malloc((class->group_count + 1) * sizeof *groups + values * sizeof(struct values) +
		       size.blocks * sizeof(struct series_block));
	if (!groups)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a stream");
	struct values *trips = (struct values *)(groups + class->group_count + 1);
	*track = (struct track){.shapes = class->shapes,
				.shape_count = class->shape_count,
				.group_count = class->group_count,
				.groups = groups,
				.trips = trips};
	track->tree = (struct fold_tree){
		.branches = class->branches, .count = class->branch_count, .loops = class->loops};
	enum varve_status status = member_fill(class, member, track, trips + class->loops,
					       (struct series_block *)(trips + values), causes);
	if (status != VARVE_OK)
		member_clear(track);
	return status;
}

static void values_parts_set(struct values *values, const struct values_part **parts)
{
	if (!values->raw)
		return;
	/* They belong to the caller. */
	values->parts = (struct values_part *)(uintptr_t)*parts;
	*parts += values->part_count;
}

void track_parts_set(struct track *track, const struct values_part *parts)
{
	for (size_t i = 0; i < track->tree.loops; i++)
		values_parts_set(&track->trips[i], &parts);
	for (size_t i = 0; i < track->group_count; i++)
		for (uint32_t k = 0; k < track->shapes[track->groups[i].shape].columns; k++)
			values_parts_set(&track->groups[i].columns[k], &parts);
}

void member_clear(struct track *track)
{
	free(track->groups);
	*track = (struct track){0};
}
