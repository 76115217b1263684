/* Base: memory that is given back all at once, within a budget. Header only. */
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
	size_t *budget; /* lowered by what is taken; NULL: no limit */
};

/* Memory for `count` things of `size` bytes, all zero; NULL: none, or beyond the budget. */
static inline void *arena_get(struct arena *arena, size_t count, size_t size)
{
	enum { CHUNK_LEAST = 1 << 10, CHUNK_MOST = 1 << 14 };
	if (count > (SIZE_MAX >> 1) / size)
		return NULL;
	size_t bytes = (count * size + 15) / 16 * 16;
	struct arena_chunk *chunk = arena->chunks;
	if (!chunk || chunk->room - chunk->used < bytes) {
		size_t room = chunk ? chunk->room * 2 : CHUNK_LEAST;
		room = room < CHUNK_MOST ? room : CHUNK_MOST;
		room = bytes > room ? bytes : room;
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
	void *memory = memset(chunk->bytes + chunk->used, 0, bytes);
	chunk->used += bytes;
	return memory;
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
