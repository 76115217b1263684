/* Record: hooks of HDF5's transfers of data: how many elements and bytes, where in the dataset, and whether collective.
 *
 * Elements are those of the selection in memory, otherwise of the one in the file, otherwise of the whole dataset, as in HDF5;
 * bytes are elements times the size of the datatype in memory. Both are known before the call; if it fails, nothing was
 * transferred. Only the extent of a dataset is asked after the call: see h5_extent().
 */
#include "record/hdf5/hdf5.h"
#include "record/library/library_ops.h"

#include "record/wrap.h"

enum { KEPT_ELEMENTS, KEPT_BYTES, KEPT_UNKNOWN };
enum { ADDED_ELEMENTS, ADDED_BYTES, ADDED_TRANSFER, ADDED_TEXT };
/* Asynchronous functions begin with the place of the call in its source. */
enum { NOW = 0, LATER = 3 };
enum { SPACE_LAST = 2 }; /* H5S_ALL, H5S_BLOCK, H5S_PLIST are not identifiers */
enum { MULTI_MOST = 1024 };

enum when { BEFORE, AFTER };

/* Adds what is transferred for one dataset; notes whether something has to be asked after the call. */
static void transfer_store(struct library_call *call, enum when when, uint64_t dataset,
			   uint64_t type, uint64_t memory, uint64_t file)
{
	uint64_t elements = 0;
	if (memory > SPACE_LAST || file > SPACE_LAST) {
		int64_t points = h5_points(call, memory > SPACE_LAST ? memory : file);
		elements = points < 0 ? 0 : (uint64_t)points;
	} else {
		struct entity *entity = h5_find(call, dataset);
		if (when == AFTER)
			h5_extent(call, entity, H5_ELEMENTS);
		if (!h5_elements(entity, &elements))
			call->kept[KEPT_UNKNOWN] = 1;
	}
	call->kept[KEPT_ELEMENTS] += elements;
	call->kept[KEPT_BYTES] += elements * h5_type_size(call, type);
}

static void moved_begin(struct library_call *call)
{
	call->kept[KEPT_ELEMENTS] = call->kept[KEPT_BYTES] = call->kept[KEPT_UNKNOWN] = 0;
}

static uint64_t transfer_of(const struct library_call *call, uint64_t list)
{
	const struct entity *entity = h5_find(call, list);
	return entity && entity->kind == VARVE_HANDLE_PROPERTIES &&
	       entity->number[H5_TRANSFER] == 1;
}

/* Arguments of an asynchronous call may not exist yet, and asking about them would wait for them: a dataset, a datatype in a file,
 * a dataspace of a dataset without a description. So the extent that was last known for a dataset is used. */
static uint64_t known_number(struct library_call *call, uint64_t id, unsigned which)
{
	const struct entity *entity = h5_find(call, id);
	if (entity && entity->kind == VARVE_HANDLE_DATASPACE && entity->length)
		h5_points(call, id);
	return entity && entity->number[which] ? entity->number[which] - 1 : 0;
}

static void transfer_begins_later(struct library_call *call, const uint64_t *given)
{
	uint64_t of = given[2] > SPACE_LAST   ? given[2]
		      : given[3] > SPACE_LAST ? given[3]
					      : given[0];
	call->kept[KEPT_ELEMENTS] = known_number(call, of, H5_ELEMENTS);
	call->kept[KEPT_BYTES] = call->kept[KEPT_ELEMENTS] * known_number(call, given[1], H5_SIZE);
}

static void transfer_begins(struct library_call *call, unsigned first)
{
	const uint64_t *given = call->given + first;
	moved_begin(call);
	if (call->hidden)
		return;
	if (first == LATER)
		transfer_begins_later(call, given);
	else
		transfer_store(call, BEFORE, given[0], given[1], given[2], given[3]);
}

static void transfer_ends(struct library_call *call, unsigned first)
{
	const uint64_t *given = call->given + first;
	struct h5_text text;
	if (call->hidden)
		return;
	if (call->kept[KEPT_UNKNOWN] && h5_quiet(call)) {
		moved_begin(call);
		transfer_store(call, AFTER, given[0], given[1], given[2], given[3]);
	}
	call->added[ADDED_ELEMENTS] = call->failed ? 0 : call->kept[KEPT_ELEMENTS];
	call->added[ADDED_BYTES] = call->failed ? 0 : call->kept[KEPT_BYTES];
	call->added[ADDED_TRANSFER] = transfer_of(call, given[4]);
	h5_text_begin(&text);
	if (given[3] <= SPACE_LAST)
		h5_add(&text, "all");
	else
		h5_add_selection(call, &text, given[3]);
	call->added[ADDED_TEXT] = h5_word(call, &text);
}

void before_h5_transfer(struct library_call *call)
{
	transfer_begins(call, NOW);
}

void after_h5_transfer(struct library_call *call)
{
	transfer_ends(call, NOW);
}

void before_h5_transfer_async(struct library_call *call)
{
	transfer_begins(call, LATER);
}

void after_h5_transfer_async(struct library_call *call)
{
	transfer_ends(call, LATER);
}

/* Several datasets in one call: an array for each argument. */
static void moved_multi(struct library_call *call, enum when when)
{
	const uint64_t *arrays[4];
	uint64_t count = call->given[0] < MULTI_MOST ? call->given[0] : MULTI_MOST;
	moved_begin(call);
	for (unsigned i = 0; i < 4; i++) {
		arrays[i] = given_pointer(call, i + 1);
		if (!arrays[i] || !memory_readable(call->self, arrays[i], count * sizeof **arrays))
			return;
	}
	for (uint64_t i = 0; i < count; i++)
		transfer_store(call, when, arrays[0][i], arrays[1][i], arrays[2][i], arrays[3][i]);
}

void before_h5_transfer_multi(struct library_call *call)
{
	if (!call->hidden)
		moved_multi(call, BEFORE);
}

void after_h5_transfer_multi(struct library_call *call)
{
	struct h5_text text;
	const uint64_t *datasets = given_pointer(call, 1);
	uint64_t count = call->given[0] < MULTI_MOST ? call->given[0] : MULTI_MOST;
	if (call->hidden)
		return;
	if (call->kept[KEPT_UNKNOWN] && h5_quiet(call))
		moved_multi(call, AFTER);
	call->added[ADDED_ELEMENTS] = call->failed ? 0 : call->kept[KEPT_ELEMENTS];
	call->added[ADDED_BYTES] = call->failed ? 0 : call->kept[KEPT_BYTES];
	call->added[ADDED_TRANSFER] = transfer_of(call, call->given[5]);
	h5_text_begin(&text);
	if (!datasets || !memory_readable(call->self, datasets, count * sizeof *datasets))
		count = 0;
	for (uint64_t i = 0; i < count; i++) {
		const struct entity *dataset = h5_find(call, datasets[i]);
		h5_add(&text, i ? ", " : "");
		if (dataset)
			h5_add_bytes(&text, dataset->text, dataset->length);
	}
	call->added[ADDED_TEXT] = h5_word(call, &text);
}

/* Chunks as they are stored */

/* Called after the real function. */
static unsigned rank_of(struct library_call *call, struct entity *dataset)
{
	if (!dataset || dataset->kind != VARVE_HANDLE_DATASET)
		return 0;
	if (!dataset->number[H5_RANK] && !call->hidden && h5_quiet(call))
		h5_extent(call, dataset, H5_RANK);
	return dataset->number[H5_RANK] ? (unsigned)dataset->number[H5_RANK] - 1 : 0;
}

static void chunk_moved(struct library_call *call, const uint64_t *offset, uint64_t bytes)
{
	struct h5_text text;
	unsigned rank = rank_of(call, h5_find(call, call->given[0]));
	h5_text_begin(&text);
	if (rank)
		h5_add_sizes(call, &text, offset, rank);
	call->added[0] = call->failed ? 0 : bytes;
	call->added[1] = h5_word(call, &text);
}

void after_h5_write_chunk(struct library_call *call)
{
	if (!call->hidden)
		chunk_moved(call, given_pointer(call, 3), call->given[4]);
}

void after_h5_read_chunk(struct library_call *call)
{
	const uint64_t *offset = given_pointer(call, 2);
	if (call->hidden)
		return;
	chunk_moved(call, offset, h5_quiet(call) ? h5_chunk_size(call, call->given[0], offset) : 0);
}

/* Extents */

/* Makes a text of the sizes. `exactly`: the dataset has these sizes now; otherwise its own may be larger. */
static void extent_store(struct library_call *call, struct entity *dataset, unsigned rank,
			 const uint64_t *sizes, bool exactly, struct h5_text *text)
{
	h5_text_begin(text);
	bool readable = rank && h5_add_sizes(call, text, sizes, rank);
	if (call->failed)
		return;
	h5_extents_changed();
	if (!dataset || dataset->kind != VARVE_HANDLE_DATASET)
		return;
	dataset->number[H5_ELEMENTS] = 0;
	if (!readable || !exactly)
		return;
	uint64_t elements = 1;
	for (unsigned i = 0; i < rank; i++)
		elements *= sizes[i];
	h5_extent_is(dataset, (int)rank, (int64_t)elements);
}

static void extent_changed(struct library_call *call, bool exactly)
{
	struct h5_text text;
	struct entity *dataset = h5_find(call, call->given[NOW]);
	extent_store(call, dataset, rank_of(call, dataset), given_pointer(call, NOW + 1), exactly,
		     &text);
	call->added[0] = h5_word(call, &text);
}

void after_h5_extend(struct library_call *call)
{
	extent_changed(call, true);
}

/* H5Dextend never makes a dimension smaller. */
void after_h5_grow(struct library_call *call)
{
	extent_changed(call, false);
}

void after_h5_extend_async(struct library_call *call)
{
	struct h5_text text;
	struct entity *dataset = h5_find(call, call->given[LATER]);
	unsigned rank = (unsigned)known_number(call, call->given[LATER], H5_RANK);
	extent_store(call, dataset, rank, given_pointer(call, LATER + 1), true, &text);
}

/* The dataset may have grown elsewhere: its extent is asked again when it is needed. */
void after_h5_refresh(struct library_call *call)
{
	if (!call->failed)
		h5_extents_changed();
}

/* Attributes */

void before_h5_attribute_transfer(struct library_call *call)
{
	call->kept[KEPT_BYTES] = call->hidden ? 0 : h5_attribute_size(call, call->given[0]);
}

void after_h5_attribute_transfer(struct library_call *call)
{
	call->added[0] = call->failed ? 0 : call->kept[KEPT_BYTES];
}
