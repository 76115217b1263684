/* Pack: handles of a stream. See stream_packer.h.
 *
 * In calls, handles have numbers of the stream, given in the order of first use. The *recency* of a handle is its index among
 * the newest open handles. It distinguishes places of the program independently of the numbers.
 */
#include "pack/stream_packer.h"

#include <stdlib.h>
#include <string.h>

static enum varve_status handles_no_memory(struct stream_packer *packer)
{
	return cause(packer->causes, VARVE_NO_MEMORY, "no memory for the handles of a stream");
}

/* Handles are mostly numbered consecutively, so neighbours are put into one cache line. */
enum { LINE = 16 };

static size_t handle_slot(const struct stream_packer *packer, uint32_t handle)
{
	size_t mask = packer->handle_slot_count - 1;
	size_t line = (size_t)(((uint64_t)(handle / LINE) * 0x9e3779b97f4a7c15ull) >> 32);
	size_t at = (line * LINE + handle % LINE) & mask;
	while (packer->handle_slots[at] && packer->handles[packer->handle_slots[at] - 1] != handle)
		at = (at + 1) & mask;
	return at;
}

static enum varve_status handles_grow(struct stream_packer *packer)
{
	if (packer->handle_count < packer->handle_room)
		return VARVE_OK;
	size_t room = packer->handle_room ? packer->handle_room * 2 : 64;
	uint32_t *handles = reallocarray(packer->handles, room, sizeof *handles);
	if (handles)
		packer->handles = handles;
	uint32_t *slots = calloc(room * 2, sizeof *slots);
	if (!handles || !slots) {
		free(slots);
		return handles_no_memory(packer);
	}
	free(packer->handle_slots);
	packer->handle_slots = slots;
	packer->handle_slot_count = room * 2;
	packer->handle_room = room;
	for (size_t i = 0; i < packer->handle_count; i++)
		slots[handle_slot(packer, handles[i])] = (uint32_t)i + 1;
	return VARVE_OK;
}

static void newest_put(struct stream_packer *packer, uint32_t number)
{
	memmove(packer->newest + 1, packer->newest, (HANDLES_NEWEST - 1) * sizeof *packer->newest);
	packer->newest[0] = number;
	packer_changed(packer, DEPENDS_HANDLES);
}

/* The number of a handle; a new handle gets the next number. */
static uint32_t handle_number(struct stream_packer *packer, uint32_t handle)
{
	uint32_t next = packer->seen_handles;
	if (next < packer->handle_count && packer->handles[next] == handle)
		return next + 1;
	size_t at = handle_slot(packer, handle);
	if (!packer->handle_slots[at]) {
		packer->handles[packer->handle_count++] = handle;
		packer->handle_slots[at] = (uint32_t)packer->handle_count;
	}
	return packer->handle_slots[at];
}

enum varve_status packer_handle(struct stream_packer *packer, uint32_t handle, uint32_t *number)
{
	*number = 0;
	if (!handle)
		return VARVE_OK;
	TRY(handles_grow(packer));
	*number = handle_number(packer, handle);
	/* Numbers follow the order of first use, so in each pass the next number appears here. */
	if (*number == packer->seen_handles + 1) {
		packer->seen_handles++;
		newest_put(packer, *number);
	}
	return VARVE_OK;
}

static uint32_t recency_of(const struct stream_packer *packer, uint32_t number)
{
	for (uint32_t i = 0; i < HANDLES_NEWEST; i++)
		if (packer->newest[i] == number)
			return i;
	return HANDLES_NEWEST;
}

enum varve_status packer_handle_find(struct stream_packer *packer, uint32_t handle,
				     struct recent_handle *found)
{
	uint32_t number;
	TRY(packer_handle(packer, handle, &number));
	*found = (struct recent_handle){.version = packer->version[DEPENDS_HANDLES],
					.handle = handle,
					.number = number,
					.recency = recency_of(packer, number)};
	return VARVE_OK;
}

void packer_closed(struct stream_packer *packer, uint32_t number)
{
	uint32_t at = recency_of(packer, number);
	if (at == HANDLES_NEWEST)
		return;
	memmove(packer->newest + at, packer->newest + at + 1,
		(HANDLES_NEWEST - 1 - at) * sizeof *packer->newest);
	packer->newest[HANDLES_NEWEST - 1] = 0;
	packer_changed(packer, DEPENDS_HANDLES);
}

void packer_handles_again(struct stream_packer *packer)
{
	packer->seen_handles = 0;
	memset(packer->newest, 0, sizeof packer->newest);
	packer_changed(packer, DEPENDS_HANDLES);
}

/* The numbers of the handles, as one column with an event for each handle. */
static enum varve_status put_handles(const void *context, struct track_list *list)
{
	const struct stream_packer *packer = context;
	for (size_t i = 0; i < packer->handle_count; i++) {
		uint64_t handle = packer->handles[i];
		TRY(track_list_put(list, NULL, 0, &handle, 1));
	}
	return VARVE_OK;
}

enum varve_status packer_handles_track(struct stream_packer *packer, struct track *track)
{
	return track_of_list(packer->coder, put_handles, packer, track, packer->causes);
}
