/* Loop: writing a class. See class.h; the layout is in docs/format.md. */
#include "loop/class.h"

#include "base/hash.h"

bool track_alike(const struct track *a, const struct track *b)
{
	if (a->shape_count != b->shape_count || a->tree.count != b->tree.count ||
	    a->tree.loops != b->tree.loops || a->group_count != b->group_count)
		return false;
	for (size_t i = 0; i < a->shape_count; i++)
		if (a->shapes[i].length != b->shapes[i].length ||
		    a->shapes[i].columns != b->shapes[i].columns ||
		    memcmp(a->shapes[i].key, b->shapes[i].key, a->shapes[i].length))
			return false;
	for (size_t i = 0; i < a->tree.count; i++)
		if (a->tree.branches[i].symbol != b->tree.branches[i].symbol ||
		    a->tree.branches[i].size != b->tree.branches[i].size)
			return false;
	for (size_t i = 0; i < a->group_count; i++)
		if (a->groups[i].shape != b->groups[i].shape)
			return false;
	return true;
}

uint64_t track_form(const struct track *track)
{
	uint64_t hash = track->tree.count;
	for (size_t i = 0; i < track->shape_count; i++)
		hash = hash64(track->shapes[i].key, track->shapes[i].length, hash);
	for (size_t i = 0; i < track->tree.count; i++) {
		uint32_t branch[2] = {track->tree.branches[i].symbol, track->tree.branches[i].size};
		hash = hash64(branch, sizeof branch, hash);
	}
	return hash;
}

void track_parts(const struct track *track, void (*see)(void *context, const struct values *values),
		 void *context)
{
	for (size_t i = 0; i < track->tree.loops; i++)
		if (track->trips[i].raw)
			see(context, &track->trips[i]);
	for (size_t i = 0; i < track->group_count; i++)
		for (uint32_t k = 0; k < track->shapes[track->groups[i].shape].columns; k++)
			if (track->groups[i].columns[k].raw)
				see(context, &track->groups[i].columns[k]);
}

static void series_block_put(struct bytes *bytes, const struct series_block *block)
{
	bytes_number(bytes, zigzag((int64_t)block->start));
	bytes_number(bytes, block->dimensions);
	for (uint32_t d = 0; d < block->dimensions; d++) {
		bytes_number(bytes, block->count[d]);
		bytes_number(bytes, zigzag((int64_t)block->stride[d]));
	}
}

/* Writes 0: the values; 1: a line over all of them; otherwise the number of blocks plus 1. */
static enum varve_status put_scalar(struct bytes *bytes, const uint64_t *values, size_t count,
				    struct varve_causes *causes)
{
	struct series series;
	series_start(&series, SCALAR_BLOCKS);
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; status == VARVE_OK && i < count; i++)
		status = series_put(&series, values[i], 0, 1);
	if (status == VARVE_OK)
		status = series_finish(&series);
	if (status == VARVE_NO_MEMORY)
		return cause(causes, status, "no memory to merge streams");
	const struct series_block *only = series.blocks;
	if (status == VARVE_LIMIT) {
		bytes_number(bytes, 0);
		for (size_t i = 0; i < count; i++)
			bytes_number(bytes, zigzag((int64_t)(values[i] - (i ? values[i - 1] : 0))));
	} else if (series.count == 1 && only->dimensions < 2) {
		bytes_number(bytes, 1);
		bytes_number(bytes, zigzag((int64_t)only->start));
		bytes_number(bytes, only->dimensions ? zigzag((int64_t)only->stride[0]) : 0);
	} else {
		bytes_number(bytes, series.count + 1);
		for (size_t i = 0; i < series.count; i++)
			series_block_put(bytes, &series.blocks[i]);
	}
	series_clear(&series);
	return VARVE_OK;
}

static uint32_t dimensions_of(const struct values *values, size_t block)
{
	return values->settled ? ((const uint8_t *)values->numbers)[block]
			       : values->blocks[block].dimensions;
}

static bool same_form(const struct values *a, const struct values *b)
{
	if (a->raw != b->raw || (!a->raw && a->block_count != b->block_count))
		return false;
	for (size_t i = 0; !a->raw && i < a->block_count; i++)
		if (dimensions_of(a, i) != dimensions_of(b, i))
			return false;
	return true;
}

struct merge {
	struct bytes *bytes;
	size_t count;
	const struct values **columns; /* one for each member */
	uint64_t *form_of;	       /* likewise */
	size_t *first;		       /* the first member of each form */
	uint64_t *scalar;	       /* room for one value of each member */
	struct varve_causes *causes;
};

/* A number of a block: start, or count or stride of a dimension. */
struct number {
	size_t block;
	size_t which; /* index in the block */
	size_t at;    /* index among the numbers of all blocks */
};

static uint64_t values_number(const struct values *values, const struct number *number)
{
	if (values->settled)
		return values->numbers[values_dimension_words(values) + number->at];
	const struct series_block *block = &values->blocks[number->block];
	if (!number->which)
		return block->start;
	size_t dimension = (number->which - 1) / 2;
	return number->which % 2 ? block->count[dimension] : block->stride[dimension];
}

/* Writes one number over the members of a form. */
static enum varve_status put_number(struct merge *merge, uint64_t form, const struct number *number)
{
	size_t count = 0;
	for (size_t m = 0; m < merge->count; m++)
		if (merge->form_of[m] == form)
			merge->scalar[count++] = values_number(merge->columns[m], number);
	return put_scalar(merge->bytes, merge->scalar, count, merge->causes);
}

static enum varve_status put_blocks(struct merge *merge, uint64_t form, const struct values *values)
{
	struct number number = {0};
	for (; number.block < values->block_count; number.block++) {
		uint32_t dimensions = dimensions_of(values, number.block);
		bytes_number(merge->bytes, dimensions);
		for (number.which = 0; number.which < 1 + 2 * dimensions; number.which++) {
			TRY(put_number(merge, form, &number));
			number.at++;
		}
	}
	return VARVE_OK;
}

/* Writes a column of all members: its forms, the form of each member, and their numbers. */
static enum varve_status put_column(struct merge *merge)
{
	uint64_t forms = 0;
	size_t *first = merge->first;
	for (size_t m = 0; m < merge->count; m++) {
		uint64_t form = 0;
		while (form < forms && !same_form(merge->columns[first[form]], merge->columns[m]))
			form++;
		if (form == forms)
			first[forms++] = m;
		merge->form_of[m] = form;
	}
	bytes_number(merge->bytes, forms);
	if (forms > 1)
		TRY(put_scalar(merge->bytes, merge->form_of, merge->count, merge->causes));
	for (uint64_t form = 0; form < forms; form++) {
		const struct values *values = merge->columns[first[form]];
		bytes_number(merge->bytes, values->raw ? 0 : values->block_count + 1);
		if (!values->raw)
			TRY(put_blocks(merge, form, values));
	}
	return VARVE_OK;
}

static void put_form(struct bytes *bytes, const struct track *track)
{
	bytes_number(bytes, track->shape_count);
	for (size_t i = 0; i < track->shape_count; i++) {
		const struct track_shape *shape = &track->shapes[i];
		bytes_number(bytes, shape->columns);
		bytes_number(bytes, shape->length);
		bytes_put(bytes, shape->key, shape->length);
	}
	bytes_number(bytes, track->group_count);
	for (size_t i = 0; i < track->group_count; i++)
		bytes_number(bytes, track->groups[i].shape);
	bytes_number(bytes, track->tree.count);
	for (size_t i = 0; i < track->tree.count; i++) {
		const struct fold_branch *branch = &track->tree.branches[i];
		bool loop = branch->symbol == FOLD_LOOP;
		bytes_number(bytes, loop ? 0 : (uint64_t)branch->symbol + 1);
		if (loop)
			bytes_number(bytes, branch->size - 1);
	}
}

static enum varve_status put_members(struct merge *merge, struct track *const *members)
{
	const struct track *one = members[0];
	for (size_t i = 0; i < one->tree.loops; i++) {
		for (size_t m = 0; m < merge->count; m++)
			merge->scalar[m] = members[m]->trips[i].count;
		TRY(put_scalar(merge->bytes, merge->scalar, merge->count, merge->causes));
	}
	for (size_t i = 0; i < one->group_count; i++) {
		for (size_t m = 0; m < merge->count; m++)
			merge->scalar[m] = members[m]->groups[i].count;
		TRY(put_scalar(merge->bytes, merge->scalar, merge->count, merge->causes));
	}
	for (size_t i = 0; i < one->tree.loops; i++) {
		for (size_t m = 0; m < merge->count; m++)
			merge->columns[m] = &members[m]->trips[i];
		TRY(put_column(merge));
	}
	for (size_t i = 0; i < one->group_count; i++) {
		for (uint32_t k = 0; k < one->shapes[one->groups[i].shape].columns; k++) {
			for (size_t m = 0; m < merge->count; m++)
				merge->columns[m] = &members[m]->groups[i].columns[k];
			TRY(put_column(merge));
		}
	}
	return VARVE_OK;
}

enum varve_status class_write(struct bytes *bytes, struct track *const *members, size_t count,
			      struct varve_causes *causes)
{
	struct merge merge = {.bytes = bytes,
			      .count = count,
			      .columns = calloc(count, sizeof *merge.columns),
			      .form_of = calloc(count, sizeof *merge.form_of),
			      .first = calloc(count, sizeof *merge.first),
			      .scalar = calloc(count, sizeof *merge.scalar),
			      .causes = causes};
	enum varve_status status = VARVE_OK;
	bool room = merge.columns && merge.form_of && merge.first && merge.scalar;
	if (room) {
		put_form(bytes, members[0]);
		status = put_members(&merge, members);
	}
	if (status == VARVE_OK && (bytes->failed || !room))
		status = cause(causes, VARVE_NO_MEMORY, "no memory to merge streams");
	free(merge.columns);
	free(merge.form_of);
	free(merge.first);
	free(merge.scalar);
	return status;
}
