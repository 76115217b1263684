/* Trace: finds the file that a record is about: resolves name ids and handles of one block to paths and identities.
 *
 * A block is self-contained: names and handles that it uses are defined in it, or made by a record in it. So a `struct names` is
 * filled for a block, follows its records in order, and starts anew with the next block. Texts are borrowed until then. The input
 * is hostile: chains are cut at a fixed depth.
 */
#ifndef TRACE_NAMES_NAMES_H
#define TRACE_NAMES_NAMES_H

#include "base/host/arena.h"
#include "codec/host/decode.h"
#include "codec/host/tables.h"

#include <stdbool.h>

struct name_entry {
	const struct definition *definition; /* NULL: free place */
	struct varve_text absolute;
	bool resolved;
	uint32_t how; /* enum varve_identity */
	uint64_t device;
	uint64_t inode;
};

struct handle_entry {
	uint32_t handle; /* 0: free place */
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
	size_t applied;		   /* definitions */
	struct arena texts;	   /* that live as long as the block */
	size_t budget;		   /* memory that paths and handles may still take */
	struct handle_entry spare; /* of what is beyond it */
};

/* Starts on a block of `length` bytes with these definitions, which must stay until the next call. Paths and handles take
 * memory within NAMES_BUDGET (decode.h); beyond it they are not known. */
enum varve_status names_load(struct names *names, const struct definitions *definitions,
			     uint64_t length, struct varve_causes *causes) MUST_CHECK;
/* Applies all definitions, for names that are looked at without records. */
enum varve_status names_apply(struct names *names, struct varve_causes *causes) MUST_CHECK;
void names_clear(struct names *names);

/* An output of a call that was cut by the end of a block: a name or a handle of the block that holds its last half, and
 * what was known of it there. */
struct named_late {
	int32_t word;
	bool known;
	struct varve_text text; /* of a name */
	struct varve_file file;
};

/* What is known of a handle now, or NULL. */
const struct handle_entry *names_handle(const struct names *names, uint32_t handle);

/* A record as far as names matter. */
struct named_record {
	const struct varve_function *function; /* NULL: not in the tables */
	uint8_t marks;			       /* enum varve_mark */
	uint32_t words;
	const uint64_t *word;
	const struct named_late *late; /* its outputs, when they are of another block */
	size_t late_count;
};

/* What is known of a word that is such an output, or NULL. */
const struct named_late *late_find(const struct named_record *record, int32_t word);

/* Follows the record at place `at` of the block: applies definitions up to it, and adds the handles that it makes. */
enum varve_status names_follow(struct names *names, const struct tables *tables,
			       const struct named_record *record, size_t at,
			       struct varve_causes *causes) MUST_CHECK;

/* Whether following records of this function does more than to apply definitions. */
bool names_makes(const struct tables *tables, const struct varve_function *function);

/* Which words of its records names_files() looks at, as bits. */
uint32_t names_words(const struct tables *tables, const struct varve_function *function);

/* A copy of a text that lives as long as the names of this block; bytes NULL: none, or no memory. */
struct varve_text names_keep(struct names *names, struct varve_text text);

struct varve_text names_given(const struct names *names, uint32_t id);
struct varve_text names_absolute(struct names *names, uint32_t id);

/* The file behind a handle or a name id; false: nothing is known. */
bool names_file_of_handle(struct names *names, uint32_t handle, struct varve_file *file);
bool names_file_of_name(struct names *names, uint32_t id, struct varve_file *file);

/* The file that a record is about: that of its first path, else of its first descriptor or handle. */
bool names_file(struct names *names, const struct tables *tables, const struct named_record *record,
		struct varve_file *file);

/* The files of a record: a call on two files has a second path, or a second descriptor or handle of another file. */
struct record_files {
	struct varve_file file[2]; /* the first is that of names_file() */
	bool known[2];
	uint8_t side
		[2]; /* where the bytes of the record belong: enum varve_side, the first three */
};
void names_files(struct names *names, const struct tables *tables,
		 const struct named_record *record, struct record_files *files);

#endif
