/* Base: memory that is freed all at once, within a budget. Header only. */
#ifndef BASE_HOST_ARENA_H
#define BASE_HOST_ARENA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t room;
	_Alignas(16) uint8_t bytes[];
};

struct arena {
	struct arena_chunk *chunks;
	size_t *budget; /* decreased by the size of each new chunk; NULL: no limit */
};

/* `length` uninitialized bytes without alignment; NULL: no memory, or the budget is used up. A new chunk has `room` bytes, or
 * `length` if that is more. */
static inline void *arena_bytes(struct arena *arena, size_t length, size_t room)
{
	struct arena_chunk *chunk = arena->chunks;
	if (!chunk || chunk->room - chunk->used < length) {
		room = length > room ? length : room;
		if (arena->budget && room > *arena->budget)
			return NULL;
		chunk = malloc(sizeof *chunk + room);
		if (!chunk)
			return NULL;
		*chunk = (struct arena_chunk){.next = arena->chunks, .room = room};
		arena->chunks = chunk;
		if (arena->budget)
			*arena->budget -= room;
	}
	void *memory = chunk->bytes + chunk->used;
	chunk->used += length;
	return memory;
}

/* Memory for `count` elements of `size` bytes, aligned and zeroed; NULL: no memory, or the budget is used up. Do not mix with
 * arena_bytes() in one arena. */
static inline void *arena_get(struct arena *arena, size_t count, size_t size)
{
	enum { CHUNK_LEAST = 1 << 10, CHUNK_MOST = 1 << 14 };
	if (count > (SIZE_MAX >> 1) / size)
		return NULL;
	size_t bytes = (count * size + 15) / 16 * 16;
	size_t room = arena->chunks ? arena->chunks->room * 2 : CHUNK_LEAST;
	void *memory = arena_bytes(arena, bytes, room < CHUNK_MOST ? room : CHUNK_MOST);
	return memory ? memset(memory, 0, bytes) : NULL;
}

/* Frees all chunks but the first one, and empties that for reuse. */
static inline void arena_reset(struct arena *arena)
{
	while (arena->chunks && arena->chunks->next) {
		struct arena_chunk *next = arena->chunks->next;
		free(arena->chunks);
		arena->chunks = next;
	}
	if (arena->chunks)
		arena->chunks->used = 0;
}

static inline void arena_clear(struct arena_chunk *chunk)
{
	while (chunk) {
		struct arena_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

#endif
