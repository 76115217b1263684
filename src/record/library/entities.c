/* Record: the table of entities. See entities.h.
 *
 * One table for the process: chains by hash; entries and texts in the recorder's own memory, which is allocated when the first
 * library is used (table_lock.h).
 */
#include "record/library/entities.h"

#include "base/sys.h"
#include "record/library/library.h"
#include "record/library/table_lock.h"
#include "record/names/identity.h"
#include "record/wrap.h"

#include <string.h>

enum {
	ENTITIES = 1 << 17,
	CHAINS = 1 << 15,
	TEXT_SMALLEST = 64,
	TEXT_SIZES = 7, /* 64, 128 ... 4096 */
	TEXT_CHUNK = 1 << 16,
};

struct entity_table {
	uint32_t chain[CHAINS]; /* index of the entity + 1 */
	uint32_t free;		/* the same, of entries that are free again */
	uint32_t used;
	uint32_t requests; /* numbers given to requests */
	char *texts;	   /* space for new texts */
	size_t texts_left;
	char *text_free[TEXT_SIZES]; /* each begins with the address of the next one */
	struct entity entity[ENTITIES];
};

static struct entity_table *table;

uint32_t entities_epoch = 1;

/* The caller holds the table. */
static void entities_changed(void)
{
	__atomic_store_n(&entities_epoch, entities_epoch + 1, __ATOMIC_RELEASE);
}

static bool entities_lock(void)
{
	return table_lock_with(TABLE_ENTITIES, &table, sizeof *table);
}

static void entities_unlock(void)
{
	table_lock_end(TABLE_ENTITIES);
}

/* The library that made the handles of this family. */
static const struct library *owner_of(const struct library_call *call, enum family family)
{
	const struct library *library = call->library;
	if (!library || family > FAMILY_H5_LAST)
		return library;
	return library_owner(library, family <= FAMILY_MPI_LAST ? OWNER_MPI : OWNER_H5);
}

/* In every MPI library a file is a pointer. */
static bool is_wide(const struct library_call *call, enum family family)
{
	const struct library *owner = owner_of(call, family);
	return family == FAMILY_MPI_FILE || (owner && owner->wide);
}

uint64_t entity_value(const struct library_call *call, enum family family, uint64_t word)
{
	if (family <= FAMILY_MPI_LAST)
		return is_wide(call, family) ? word : (uint32_t)word;
	return family == FAMILY_NC_FILE || family == FAMILY_PNC_FILE ? (uint32_t)word : word;
}

uint64_t entity_value_at(const struct library_call *call, enum family family, const void *pointer,
			 size_t at)
{
	bool wide = family <= FAMILY_MPI_LAST ? is_wide(call, family) : family == FAMILY_H5;
	size_t size = wide ? 8 : 4;
	const char *place = (const char *)pointer + at * size;
	if (!pointer || !memory_readable(call->self, place, size))
		return 0;
	uint32_t narrow;
	uint64_t value;
	if (wide)
		memcpy(&value, place, sizeof value);
	else
		memcpy(&narrow, place, sizeof narrow);
	return wide ? value : narrow;
}

static uint32_t library_number(const struct library_call *call, enum family family)
{
	const struct library *owner = owner_of(call, family);
	return owner ? owner->number : 0;
}

static uint32_t *entity_chain(uint32_t library, enum family family, uint64_t value)
{
	uint64_t mix =
		(value ^ (uint64_t)family << 56 ^ (uint64_t)library << 48) * 0x9e3779b97f4a7c15ull;
	return &table->chain[mix >> 49];
}

_Static_assert(CHAINS == 1 << (64 - 49), "a chain for each value of these bits");

/* The word that has the entity's index + 1, or the end of its chain. */
static uint32_t *entity_place(uint32_t library, enum family family, uint64_t value)
{
	uint32_t *place = entity_chain(library, family, value);
	while (*place) {
		struct entity *entity = &table->entity[*place - 1];
		if (entity->value == value && entity->family == family &&
		    entity->library == library)
			break;
		place = &entity->next;
	}
	return place;
}

struct entity *entity_find(const struct library_call *call, enum family family, uint64_t value)
{
	if (UNLIKELY(!table) || !entities_lock())
		return NULL;
	uint32_t number = *entity_place(library_number(call, family), family, value);
	entities_unlock();
	return number ? &table->entity[number - 1] : NULL;
}

static unsigned text_size_step(size_t length)
{
	unsigned step = 0;
	while ((size_t)TEXT_SMALLEST << step < length)
		step++;
	return step;
}

static void text_free(struct entity *entity)
{
	if (!entity->room)
		return;
	unsigned step = text_size_step(entity->room);
	memcpy(entity->text, &table->text_free[step], sizeof table->text_free[step]);
	table->text_free[step] = entity->text;
	entity->room = 0;
	entity->length = 0;
	entity->text = NULL;
}

static char *text_take(unsigned step)
{
	size_t size = (size_t)TEXT_SMALLEST << step;
	char *text = table->text_free[step];
	if (text) {
		memcpy(&table->text_free[step], text, sizeof table->text_free[step]);
		return text;
	}
	if (table->texts_left < size) {
		char *chunk = recorder.quiet ? NULL : sys_memory(TEXT_CHUNK);
		if (!chunk)
			return NULL;
		table->texts = chunk;
		table->texts_left = TEXT_CHUNK;
	}
	text = table->texts;
	table->texts += size;
	table->texts_left -= size;
	return text;
}

static size_t text_longest(uint8_t kind)
{
	return kind == VARVE_HANDLE_MPI_FILE || kind == VARVE_HANDLE_H5_FILE ||
			       kind == VARVE_HANDLE_NC_FILE
		       ? ENTITY_PATH
		       : ENTITY_TEXT;
}

static void entity_text_put(struct entity *entity, const char *text, size_t length)
{
	if (length > text_longest(entity->kind))
		length = text_longest(entity->kind);
	if (length > entity->room) {
		unsigned step = text_size_step(length);
		char *room = text_take(step);
		if (!room)
			return;
		text_free(entity);
		entity->text = room;
		entity->room = (uint16_t)(TEXT_SMALLEST << step);
	}
	if (length)
		memcpy(entity->text, text, length);
	entity->length = (uint16_t)length;
	entity->given = 0;
}

static void text_change(struct thread *self, struct entity *entity, const char *text, size_t length,
			size_t given)
{
	if (!entities_lock())
		return;
	entity_text_put(entity, text, length);
	entity->given = (uint16_t)given;
	entities_changed();
	entities_unlock();
	/* This block defines the entity again, with the new text. */
	handle_unmark(self, entity->handle);
}

void entity_text(struct thread *self, struct entity *entity, const char *text, size_t length)
{
	text_change(self, entity, text, length, 0);
}

static struct entity *entity_take(void)
{
	uint32_t number = table->free;
	if (number) {
		table->free = table->entity[number - 1].next;
		return &table->entity[number - 1];
	}
	return table->used < ENTITIES ? &table->entity[table->used++] : NULL;
}

/* `fresh`: replaces an entity with the same value. Otherwise that entity is returned, and `*there` is set. */
static struct entity *entity_put(struct library_call *call, enum family family, uint64_t value,
				 enum varve_handle_kind kind, const char *text, size_t length,
				 const struct entity *other, bool fresh, bool *there)
{
	if (!entities_lock())
		return NULL;
	uint32_t *place = entity_place(library_number(call, family), family, value);
	struct entity *entity = *place ? &table->entity[*place - 1] : entity_take();
	*there = *place && !fresh;
	if (entity && !*there) {
		uint32_t next = *place ? entity->next : 0;
		if (*place)
			entities_changed();
		struct entity old = *entity;
		*entity = (struct entity){
			.value = value,
			.library = library_number(call, family),
			.handle = family == FAMILY_PNC_REQUEST ? ++table->requests : handle_next(),
			.other = other ? other->handle : 0,
			.other_at = other ? (uint32_t)(other - table->entity) : 0,
			.next = next,
			.family = (uint8_t)family,
			.kind = (uint8_t)kind,
			.room = old.room,
			.text = old.text,
		};
		entity_text_put(entity, text ? text : "", text ? length : 0);
		*place = (uint32_t)(entity - table->entity) + 1;
		call->handle = entity->handle;
	} else if (!entity) {
		loss_count(LOSS_UNTRACKED, 1);
	}
	entities_unlock();
	return entity;
}

struct entity *entity_make(struct library_call *call, enum family family, uint64_t value,
			   enum varve_handle_kind kind, const char *text, size_t length,
			   const struct entity *other)
{
	bool there;
	return entity_put(call, family, value, kind, text, length, other, true, &there);
}

void entity_ask(struct library_call *call, struct entity *entity)
{
	uintptr_t busy = asking_begin(call);
	entity_learn(call, entity);
	asking_end(call, busy);
}

struct entity *entity_meet(struct library_call *call, enum family family, uint64_t value,
			   enum varve_handle_kind kind)
{
	struct entity *entity = entity_find(call, family, value);
	if (LIKELY(entity))
		return entity;
	/* Another thread may have made it meanwhile. */
	bool there;
	entity = entity_put(call, family, value, kind, NULL, 0, NULL, false, &there);
	if (entity && !there)
		entity_ask(call, entity);
	return entity;
}

/* `place`: the word that has its index + 1. */
static void entity_drop(uint32_t *place)
{
	uint32_t number = *place;
	struct entity *entity = &table->entity[number - 1];
	*place = entity->next;
	text_free(entity);
	entities_changed();
	entity->family = FAMILY_NONE;
	entity->next = table->free;
	table->free = number;
}

void entity_gone(const struct library_call *call, enum family family, uint64_t value)
{
	if (!table || !entities_lock())
		return;
	uint32_t *place = entity_place(library_number(call, family), family, value);
	if (*place)
		entity_drop(place);
	entities_unlock();
}

void entities_gone(const struct library_call *call, enum family family, uint32_t other)
{
	uint32_t library = library_number(call, family);
	if (!table || !entities_lock())
		return;
	for (uint32_t i = 0; i < table->used; i++) {
		const struct entity *entity = &table->entity[i];
		if (entity->family == family && entity->library == library &&
		    (!other || entity->other == other))
			entity_drop(entity_place(library, family, entity->value));
	}
	entities_unlock();
}

struct entity *entity_other(const struct entity *entity)
{
	struct entity *other = &table->entity[entity->other_at];
	return entity->other && other->family && other->handle == entity->other ? other : NULL;
}

uint64_t entity_define(struct thread *self, struct entity *entity)
{
	uint32_t handle = entity->handle;
	char text[ENTITY_PATH];
	struct name_place place = self->place;
	/* A copy: another thread may change the description meanwhile. */
	size_t length = 0, given = 0;
	if (entities_lock()) {
		length = entity->length;
		given = entity->given;
		if (length)
			memcpy(text, entity->text, length);
		entities_unlock();
	}
	uint64_t name = name_of_path(self, text, length, given, NULL);
	word_entity(self, entity_other(entity));
	self->place = place;
	uint64_t *define = define_reserve(self, 9);
	define[2] = handle;
	define[3] = entity->kind | (uint64_t)entity->how << 8;
	define[4] = (uint64_t)-1;
	define[5] = name;
	define[6] = entity->other;
	define[7] = entity->device;
	define[8] = entity->inode;
	define_seal(self, define, DEFINE_HANDLE, 9);
	self->known->handles[handle % HANDLE_SLOTS] = handle;
	return handle;
}

void entity_file(struct thread *self, struct entity *entity, const char *path)
{
	struct stat found;
	char whole[NAME_LONGEST];
	long length = path ? text_length(self, path, sizeof whole - 1) : -1;
	size_t at = 0;
	if (!entity || length < 0)
		return;
	if (path[0] != '/') {
		folder_copy(whole, sizeof whole - 2, &at);
		if (at > 1)
			whole[at++] = '/';
	}
	if (at + (size_t)length >= sizeof whole)
		return;
	memcpy(whole + at, path, (size_t)length);
	whole[at + (size_t)length] = 0;
	if (!recorder.quiet && sys_stat(whole, &found) == 0) {
		entity->how = VARVE_IDENTITY_SEEN;
		entity->device = found.st_dev;
		entity->inode = found.st_ino;
	}
	text_change(self, entity, whole, at + (size_t)length, at);
}
