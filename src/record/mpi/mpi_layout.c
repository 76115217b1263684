/* Record: which pieces of memory or file a datatype of MPI consists of. See mpi_layout.h. */
#include "record/mpi/mpi_layout.h"

#include "base/text.h"
#include "record/library/table_lock.h"

#include <string.h>

enum { LAYOUTS = 8192, MADE = 256 };

/* A stored layout, and the number of datatypes and descriptions that use it. */
struct kept {
	struct layout layout;
	uint32_t users;
	uint32_t next; /* of a free one: place of the next free one */
};

struct layouts {
	uint32_t used;
	uint32_t free; /* place of the first free one; 0: none */
	struct kept kept[LAYOUTS];
	struct type_made made[MADE];
};

static struct layouts *layouts;

static bool layouts_lock(void)
{
	return table_lock_with(TABLE_LAYOUTS, &layouts, sizeof *layouts);
}

char *layout_text(char *at, const char *end, const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		at = text_add(at, end, i ? " (" : "(");
		at = text_add_signed(at, end, layout->piece[i].offset);
		at = text_add(at, end, ",");
		at = text_add_number(at, end, layout->piece[i].length);
		at = text_add(at, end, ")");
	}
	return layout->more ? text_add(at, end, " ...") : at;
}

void layout_add(struct layout *layout, int64_t offset, uint64_t length)
{
	if (!length || layout->more)
		return;
	struct piece *last = layout->count ? &layout->piece[layout->count - 1] : NULL;
	if (last && last->offset + (int64_t)last->length == offset)
		last->length += length;
	else if (layout->count == PIECES)
		layout->more = true;
	else
		layout->piece[layout->count++] = (struct piece){offset, length};
}

void layout_repeat(struct layout *layout, const struct layout *element, int64_t offset,
		   int64_t count)
{
	for (int64_t i = 0; i < count && element->count && !layout->more; i++) {
		/* Contiguous elements are one piece. */
		if (element->count == 1 && !element->more &&
		    element->piece[0].length == (uint64_t)element->extent) {
			layout_add(layout, offset + element->piece[0].offset,
				   element->piece[0].length * (uint64_t)count);
			return;
		}
		for (uint32_t k = 0; k < element->count; k++)
			layout_add(layout, offset + i * element->extent + element->piece[k].offset,
				   element->piece[k].length);
		layout->more |= element->more;
	}
}

void layout_blocks(struct layout *layout, const struct layout *element, int64_t count,
		   int64_t length, int64_t stride)
{
	/* Blocks without gaps between them are one block. */
	if (stride == length * element->extent) {
		layout_repeat(layout, element, 0,
			      length > 0 && count > INT64_MAX / length ? 0 : count * length);
		return;
	}
	for (int64_t i = 0; i < count && length > 0 && element->count && !layout->more; i++)
		layout_repeat(layout, element, i * stride, length);
}

/* Adds contiguous pieces along the fastest dimensions, as far as these are complete, for each index of the other dimensions. */
void layout_subarray(struct layout *layout, const struct layout *element, int64_t dimensions,
		     const struct subarray *of)
{
	int64_t at[SUBARRAY_MOST] = {0}, last = dimensions - 1, run = 1, from = 0;
	for (int64_t d = 0; d < dimensions; d++) {
		if (of->part[d] <= 0)
			return;
		from = from * of->size[d] + of->start[d];
	}
	while (last > 0 && of->part[last] == of->size[last])
		run *= of->size[last--];
	run *= of->part[last];
	while (!layout->more && element->count) {
		int64_t index = 0;
		for (int64_t d = 0; d < dimensions; d++)
			index = index * of->size[d] + (d < last ? at[d] : 0);
		layout_repeat(layout, element, (from + index) * element->extent, run);
		int64_t d = last - 1;
		while (d >= 0 && ++at[d] == of->part[d])
			at[d--] = 0;
		if (d < 0)
			return;
	}
}

/* ---- stored layouts */

const struct layout *layout_at(uint64_t place)
{
	return place && place <= LAYOUTS && layouts ? &layouts->kept[place - 1].layout : NULL;
}

static uint32_t place_keep(const struct layout *layout)
{
	uint32_t place = layouts->free;
	if (place)
		layouts->free = layouts->kept[place - 1].next;
	else if (layouts->used < LAYOUTS)
		place = ++layouts->used;
	else
		return 0;
	layouts->kept[place - 1] = (struct kept){.layout = *layout, .users = 1};
	return place;
}

static void place_drop(uint64_t place)
{
	struct kept *kept = place ? &layouts->kept[place - 1] : NULL;
	if (!kept || --kept->users)
		return;
	kept->next = layouts->free;
	layouts->free = (uint32_t)place;
}

uint32_t layout_keep(const struct layout *layout)
{
	if (!layouts_lock())
		return 0;
	uint32_t place = place_keep(layout);
	table_lock_end(TABLE_LAYOUTS);
	return place;
}

void layout_drop(uint64_t place)
{
	if (!place || !layouts_lock())
		return;
	place_drop(place);
	table_lock_end(TABLE_LAYOUTS);
}

/* ---- descriptions of datatypes that were made before */

/* Keys are odd. */
static size_t made_at(uint64_t key)
{
	return key >> 32 & (MADE - 1);
}

const struct type_made *type_made_find(uint64_t key)
{
	if (!key || !layouts_lock())
		return NULL;
	struct type_made *made = &layouts->made[made_at(key)];
	if (made->key == key) {
		if (made->layout)
			layouts->kept[made->layout - 1].users++;
		return made;
	}
	table_lock_end(TABLE_LAYOUTS);
	return NULL;
}

void type_made_end(void)
{
	table_lock_end(TABLE_LAYOUTS);
}

void type_made_note(const struct type_made *made, const char *text)
{
	if (!made->key || !layouts_lock())
		return;
	struct type_made *place = &layouts->made[made_at(made->key)];
	place_drop(place->layout);
	memcpy(place->text, text, made->length);
	place->key = made->key;
	place->size = made->size;
	place->layout = made->layout;
	place->length = made->length;
	place->shown = made->shown;
	if (place->layout)
		layouts->kept[place->layout - 1].users++;
	table_lock_end(TABLE_LAYOUTS);
}
