/* Trace: finds the file of a record: resolves name ids and handles of one block to paths and identities.
 *
 * A block is self-contained: names and handles that it uses are defined in it, or created by a record in it. So a `struct
 * names` is filled for a block, follows its records in order, and starts anew with the next block. Texts are valid until
 * then. The input is hostile: chains are followed only to a fixed depth.
 */
#ifndef TRACE_NAMES_NAMES_H
#define TRACE_NAMES_NAMES_H

#include "base/host/arena.h"
#include "codec/host/decode.h"
#include "codec/host/tables.h"

#include <stdbool.h>

struct name_entry {
	const struct definition *definition; /* NULL: unused entry */
	struct varve_text absolute;
	bool resolved;
	uint32_t how; /* enum varve_identity */
	uint64_t device;
	uint64_t inode;
};

struct handle_entry {
	uint32_t handle; /* 0: unused entry */
	uint32_t kind;	 /* enum varve_handle_kind */
	uint32_t name;
	uint32_t other;
	uint32_t how;
	uint64_t device;
	uint64_t inode;
};

struct names {
	struct name_entry *names;
	size_t name_room; /* a power of two, or 0 */
	struct handle_entry *handles;
	size_t handle_room;
	size_t handle_count;
	const struct definitions *definitions;
	size_t applied;		   /* number of definitions applied */
	struct arena texts;	   /* texts that are valid as long as the block */
	size_t budget;		   /* memory that paths and handles may still use */
	struct handle_entry spare; /* returned for handles beyond the budget */
};

/* Starts with a block of `length` bytes and these definitions, which must stay valid until the next call. Paths and
 * handles use memory within NAMES_BUDGET (decode.h); those beyond it are unknown. */
enum varve_status names_load(struct names *names, const struct definitions *definitions,
			     uint64_t length, struct varve_causes *causes) MUST_CHECK;
/* Applies all definitions, for callers that do not read records. */
enum varve_status names_apply(struct names *names, struct varve_causes *causes) MUST_CHECK;
void names_clear(struct names *names);

/* An output of a call that a block boundary cut: a name or a handle of the block with its last half, and what is known
 * about it there. */
struct named_late {
	int32_t word;
	bool known;
	struct varve_text text; /* of a name */
	struct varve_file file;
};

/* What is known about a handle at this point, or NULL. */
const struct handle_entry *names_handle(const struct names *names, uint32_t handle);

/* The part of a record that names depend on. */
struct named_record {
	const struct varve_function *function; /* NULL: not in the tables */
	uint8_t marks;			       /* enum varve_mark */
	uint32_t words;
	const uint64_t *word;
	const struct named_late *late; /* outputs that were known only in a later block */
	size_t late_count;
};

/* The entry of `late` for this word, or NULL. */
const struct named_late *late_find(const struct named_record *record, int32_t word);

/* Follows the record at position `at` of the block: applies the definitions before it, and adds the handles that it
 * creates. */
enum varve_status names_follow(struct names *names, const struct tables *tables,
			       const struct named_record *record, size_t at,
			       struct varve_causes *causes) MUST_CHECK;

/* Whether records of this function can create handles, so that names must follow them. */
bool names_makes(const struct tables *tables, const struct varve_function *function);

/* The words of its records that names_files() uses, as bits. */
uint32_t names_words(const struct tables *tables, const struct varve_function *function);

/* A copy of a text that is valid as long as the names of this block; bytes NULL: no text, or no memory. */
struct varve_text names_keep(struct names *names, struct varve_text text);

struct varve_text names_given(const struct names *names, uint32_t id);
struct varve_text names_absolute(struct names *names, uint32_t id);

/* The file of a handle or of a name; false: not known. */
bool names_file_of_handle(struct names *names, uint32_t handle, struct varve_file *file);
bool names_file_of_name(struct names *names, uint32_t id, struct varve_file *file);

/* The file of a record: the file of its first path, or else of its first descriptor or handle. */
bool names_file(struct names *names, const struct tables *tables, const struct named_record *record,
		struct varve_file *file);

/* The files of a record. A call on two files has a second path, or a second descriptor or handle of another file. */
struct record_files {
	struct varve_file file[2]; /* the first one is the file of names_file() */
	bool known[2];
	uint8_t side
		[2]; /* whether its bytes were read or written: the first three of enum varve_side */
};
void names_files(struct names *names, const struct tables *tables,
		 const struct named_record *record, struct record_files *files);

#endif
