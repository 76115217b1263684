/* Record: what libraries hand out: communicators, datatypes, files, datasets, property lists ... by small numbers.
 *
 * An entity is known by the library that it is of, its family and its value there. It has the number of a handle, a text that
 * describes it and another handle that it belongs to (a dataset to its file). Values are used again after an entity has
 * gone; numbers are not. The table is of fixed size and shared by all threads.
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
	FAMILY_H5_SELECTION, /* texts of selections, by their dataspaces; no records name them */
	/* 32 bits */
	FAMILY_NC_FILE,
	FAMILY_PNC_FILE,
	/* made of two numbers: file << 32 | variable, or request */
	FAMILY_NC_VARIABLE,
	FAMILY_PNC_VARIABLE,
	FAMILY_PNC_REQUEST,
	FAMILY_COUNT
};

/* The longest text: of files, of others. */
enum { ENTITY_NUMBERS = 4, ENTITY_PATH = 4096, ENTITY_TEXT = 1024 };

struct entity {
	uint64_t value;
	uint32_t library;  /* number of the library */
	uint32_t handle;   /* of a request: its number among requests */
	uint32_t other;	   /* handle of the entity that it belongs to; 0: none */
	uint32_t other_at; /* and its place in the table */
	uint32_t next;	   /* in its chain; of a free one: the next free one */
	uint8_t family;
	uint8_t kind; /* enum varve_handle_kind */
	uint8_t how;  /* enum varve_identity of the file */
	uint16_t length;
	uint16_t
		given; /* of a file: where in the text the name begins that the program gave; before it stands the folder */
	uint16_t room;
	char *text;
	uint64_t device; /* of a file */
	uint64_t inode;
	uint64_t number[ENTITY_NUMBERS]; /* for the hooks of its library */
};

/* The value as it is compared: without the upper half of an int. */
uint64_t entity_value(const struct library_call *call, enum family family, uint64_t word);
/* Reads one through a pointer; 0: it cannot be read. `at`: which one of an array. */
uint64_t entity_value_at(const struct library_call *call, enum family family, const void *pointer,
			 size_t at);

/* NULL: not known. Values as entity_value() gives them. */
struct entity *entity_find(const struct library_call *call, enum family family, uint64_t value);
/* A new one, in place of whatever had the value before; `text` may be NULL. NULL: there is no room, which is counted. */
struct entity *entity_make(struct library_call *call, enum family family, uint64_t value,
			   enum varve_handle_kind kind, const char *text, size_t length,
			   const struct entity *other);
/* The entity, which is made and described (entity_learn.c) when it is not known: it was there before anything that we saw. */
struct entity *entity_meet(struct library_call *call, enum family family, uint64_t value,
			   enum varve_handle_kind kind);
/* Describes it from now on; blocks that have defined it already keep the old text. */
void entity_text(struct thread *self, struct entity *entity, const char *text, size_t length);
void entity_gone(const struct library_call *call, enum family family, uint64_t value);
/* All of the family that belong to this handle; 0: all of the family. */
void entities_gone(const struct library_call *call, enum family family, uint32_t other);

/* The entity that it belongs to; NULL: none, or that has gone. */
struct entity *entity_other(const struct entity *entity);

/* Counts up when an entity goes, is replaced, or is described otherwise. */
extern uint32_t entities_epoch;

/* Writes its definition; see word_entity(). */
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

/* Has it described; what the library calls meanwhile is not the program's. */
void entity_ask(struct library_call *call, struct entity *entity);
/* entity_learn.c: describes an entity that was not seen to be made: predefined handles. */
void entity_learn(struct library_call *call, struct entity *entity);

/* The file behind an entity: its path as given and the identity from a stat of it. */
void entity_file(struct thread *self, struct entity *entity, const char *path);

#endif
