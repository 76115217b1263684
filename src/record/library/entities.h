/* Record: entities: the objects of libraries (communicators, datatypes, files, datasets, property lists ...), as small numbers.
 *
 * An entity is identified by its library, its family and its value there. It has the number of a handle, a text that describes it
 * and another handle that it belongs to (a dataset to its file). Values are used again after an entity is gone; numbers are not.
 * The table is of fixed size and shared by all threads.
 */
#ifndef RECORD_LIBRARY_ENTITIES_H
#define RECORD_LIBRARY_ENTITIES_H

#include "record/recorder.h"

struct library_call;

enum family {
	FAMILY_NONE,
	/* of MPI: ints or pointers */
	FAMILY_COMM,
	FAMILY_DATATYPE,
	FAMILY_MPI_FILE,
	FAMILY_GROUP,
	FAMILY_INFO,
	FAMILY_WINDOW,
	FAMILY_REDUCTION,
	FAMILY_ERRHANDLER,
	FAMILY_MESSAGE,
	FAMILY_REQUEST,
	FAMILY_MPI_LAST = FAMILY_REQUEST,
	/* 64 bits */
	FAMILY_H5,
	FAMILY_H5_SELECTION, /* texts of selections, by dataspace; not used by records */
	FAMILY_H5_OFFSET, /* offsets by which selections are moved, by dataspace; not used by records */
	FAMILY_H5_LAST = FAMILY_H5_OFFSET,
	/* 32 bits */
	FAMILY_NC_FILE,
	FAMILY_PNC_FILE,
	/* made from two numbers: file << 32 | variable, or request */
	FAMILY_NC_VARIABLE,
	FAMILY_PNC_VARIABLE,
	FAMILY_PNC_REQUEST,
	FAMILY_COUNT
};

/* The longest text: of files, and of others. */
enum { ENTITY_NUMBERS = 4, ENTITY_PATH = 4096, ENTITY_TEXT = 1024 };

struct entity {
	uint64_t value;
	uint32_t library;  /* number of the library */
	uint32_t handle;   /* of a request: its number among requests */
	uint32_t other;	   /* handle of the entity that it belongs to; 0: none */
	uint32_t other_at; /* its index in the table */
	uint32_t next;	   /* next in its chain; of a free entry: the next free one */
	uint8_t family;
	uint8_t kind; /* enum varve_handle_kind */
	uint8_t how;  /* enum varve_identity of the file */
	uint16_t length;
	uint16_t
		given; /* of a file: where in the text the part begins that the program passed; the folder is before it */
	uint16_t room;
	char *text;
	uint64_t device; /* of a file */
	uint64_t inode;
	uint64_t number[ENTITY_NUMBERS]; /* used by the hooks of its library */
};

/* The value in the form that is compared: an int without the upper half of its word. */
uint64_t entity_value(const struct library_call *call, enum family family, uint64_t word);
/* Reads a value through a pointer; 0: it cannot be read. `at`: index in an array. */
uint64_t entity_value_at(const struct library_call *call, enum family family, const void *pointer,
			 size_t at);

/* NULL: not known. `value` is a result of entity_value(). */
struct entity *entity_find(const struct library_call *call, enum family family, uint64_t value);
/* Makes an entity; it replaces any that had the value before. `text` may be NULL. NULL: there is no room, which is counted. */
struct entity *entity_make(struct library_call *call, enum family family, uint64_t value,
			   enum varve_handle_kind kind, const char *text, size_t length,
			   const struct entity *other);
/* Finds the entity; if it is not known, because its creation was not recorded, makes and describes it (entity_learn.c). */
struct entity *entity_meet(struct library_call *call, enum family family, uint64_t value,
			   enum varve_handle_kind kind);
/* Changes the description; blocks that have defined it already keep the old text. */
void entity_text(struct thread *self, struct entity *entity, const char *text, size_t length);
void entity_gone(const struct library_call *call, enum family family, uint64_t value);
/* Removes all entities of the family that belong to this handle; 0: all of the family. */
void entities_gone(const struct library_call *call, enum family family, uint32_t other);

/* The entity that it belongs to; NULL: none, or it is gone. */
struct entity *entity_other(const struct entity *entity);

/* Incremented when an entity is removed or replaced, or its description changes. */
extern uint32_t entities_epoch;

/* Writes the definition; see word_entity(). */
uint64_t entity_define(struct thread *self, struct entity *entity);

/* The word for a record: its handle, defined in the present block; 0 for NULL. */
static inline uint64_t word_entity(struct thread *self, struct entity *entity)
{
	if (!entity)
		return 0;
	uint32_t handle = entity->handle;
	return LIKELY(self->known->handles[handle % HANDLE_SLOTS] == handle)
		       ? handle
		       : entity_define(self, entity);
}

/* Describes the entity; calls that the library makes meanwhile are not the program's. */
void entity_ask(struct library_call *call, struct entity *entity);
/* entity_learn.c: describes an entity whose creation was not recorded, for example a predefined handle. */
void entity_learn(struct library_call *call, struct entity *entity);

/* Describes an entity that is a file: its path as the program passed it, and the identity from a stat of it. */
void entity_file(struct thread *self, struct entity *entity, const char *path);

#endif
