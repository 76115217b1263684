/* Record: calls of library functions (MPI, HDF5, NetCDF ...), whose arguments are machine words.
 *
 * A stub (generated) jumps to library_entry (library_entry.S), which keeps the argument registers in a struct library_call, calls
 * library_enter(), then the real function with the same words, then library_leave(), which completes the record. What is done with
 * each argument is data, made from the rows by gen/library.py. No header of a library is needed, and one wrapper serves every build
 * of it. The real function is the one that the caller's object would have got without Varve.
 */
#ifndef RECORD_LIBRARY_LIBRARY_H
#define RECORD_LIBRARY_LIBRARY_H

#include "record/library/entities.h"
#include "record/loader/symbols.h"
#include "record/recorder.h"

enum {
	LIBRARY_REGISTERS = 6,
	LIBRARY_ARGUMENTS = 16,
	LIBRARY_ADDED = 4,
	LIBRARY_KEPT = 4,
};

/* How an argument becomes a word. Steps from STEP_OUTPUTS on are done after the call, if it has not failed. */
enum library_store {
	STEP_INT = 1,
	STEP_UINT,
	STEP_WORD,
	STEP_BYTE,
	STEP_SHORT,
	STEP_STRING,
	STEP_PATH,
	STEP_POINTER,
	STEP_INTS,  /* array of 32-bit numbers, as text */
	STEP_WORDS, /* array of 64-bit numbers, as text */
	STEP_PEER,
	STEP_ENTITY,
	STEP_ENTITY_AT,	  /* through a pointer */
	STEP_ENTITY_GONE, /* through a pointer; forgotten before the real call */
	STEP_REQUEST,
	STEP_REQUEST_AT,
};

enum library_output {
	STEP_OUTPUTS = 32,
	STEP_INT_OUT = STEP_OUTPUTS,
	STEP_UINT_OUT,
	STEP_WORD_OUT,
	STEP_BYTE_OUT,
	STEP_SHORT_OUT,
	STEP_ENTITY_NEW,
	STEP_ENTITY_OUTPUT, /* may have existed before */
	STEP_REQUEST_NEW,
};

/* In the length of an array: the value is the length itself, not the number of an argument. */
enum { LENGTH_FIXED = 0x80 };

struct library_step {
	uint8_t store; /* enum library_store or library_output */
	uint8_t argument;
	uint8_t word;
	uint8_t family; /* enum family */
	uint8_t what;	/* enum varve_handle_kind */
	uint8_t length;
};

enum library_result {
	RESULT_NOTHING,
	RESULT_INT,
	RESULT_UINT,
	RESULT_WORD,
	RESULT_BYTE,
	RESULT_SHORT,
	RESULT_TRUTH,
	RESULT_ENTITY,
};
enum library_fail { FAIL_NEVER, FAIL_CODE, FAIL_NEGATIVE, FAIL_NULL };
/* What is returned if no library has the function. */
enum library_absent { ABSENT_ZERO, ABSENT_MINUS_ONE, ABSENT_CODE, ABSENT_FLAG };
enum { ROW_PMPI = 1, ROW_VARIADIC = 2, ROW_GONE = 4, ROW_SETUP = 8 };

struct library_row {
	uint16_t id;
	uint16_t steps; /* the first, in library_steps */
	uint8_t step_count;
	uint8_t inputs; /* steps before the call */
	uint8_t words;	/* argument words of the record */
	uint8_t arguments;
	uint8_t stack;	/* argument words on the stack */
	uint8_t result; /* enum library_result */
	uint8_t fail;	/* enum library_fail */
	uint8_t op;	/* in library_ops; 0: none */
	uint8_t added;	/* first word that hooks add */
	uint8_t added_count;
	uint8_t absent; /* enum library_absent */
	uint8_t marks;
	uint8_t family; /* of a result that is an entity */
	uint8_t what;
	int8_t path; /* the argument that is a path; -1: none */
};

struct library_symbol {
	uint16_t row;
	uint32_t name; /* in library_names */
};

extern const struct library_row library_rows[];
extern const struct library_step library_steps[];
extern const struct library_symbol library_symbols[];
extern const uint32_t library_symbol_count;
extern const char library_names[];

/* Which library made a handle: H5Pset_fapl_mpio, for example, gets a communicator of MPI. */
enum library_owner { OWNER_MPI, OWNER_H5, OWNERS };

/* A loaded object in which functions were found. */
struct library {
	uint32_t number;     /* in order of discovery, from 1; never changes */
	const void *dynamic; /* its dynamic section; NULL: unloaded */
	struct symbols symbols;
	/* an MPI whose handles are pointers, as in Open MPI; otherwise they are ints */
	bool wide;
	bool recorded;			     /* it has a record */
	const struct library *owner[OWNERS]; /* NULL: not searched yet */
};

/* A call in progress. library_entry.S uses the offsets of the fields up to `result_vector`. */
struct library_call {
	uint64_t given
		[LIBRARY_ARGUMENTS]; /* arguments for the real function; the upper half of an int is undefined */
	uint64_t vector[8][2];
	uint64_t vectors; /* al: how many vector registers a variadic call uses */
	uint32_t symbol;
	uint32_t stack; /* words to pass on the stack */
	uintptr_t caller;
	const uint64_t *stacked; /* argument words in the caller's stack */
	uintptr_t frame;
	void *real;
	uint64_t result;
	uint64_t result_second;
	uint64_t result_vector[4];
	const struct library_row *row;
	const struct library *library;
	struct thread *self;
	struct call record;
	struct name_place place; /* of the row's path */
	uint64_t added[LIBRARY_ADDED];
	uint64_t kept[LIBRARY_KEPT]; /* passed from one hook to another */
	uint32_t handle;	     /* of the entity that a hook made last; 0: none */
	bool own;		     /* the library calls its own function */
	bool failed;
	bool hidden; /* the call leaves no record: hooks define nothing */
};

/* While a hook calls functions of the library, calls with a frame below that of the recorded call are not the program's.
 * asking_end() takes the result of asking_begin(). */
static inline uintptr_t asking_begin(const struct library_call *call)
{
	uintptr_t busy = call->self->busy;
	call->self->busy = call->frame | BUSY_ASKING;
	BARRIER();
	return busy;
}

static inline void asking_end(const struct library_call *call, uintptr_t busy)
{
	BARRIER();
	call->self->busy = busy;
}

/* Hooks of an op. `before` and `after` are the recorder's own work; `begun` and `returned` run right around the real function, and
 * may make inner records (inner.h). */
typedef void library_hook(struct library_call *call);
struct library_op {
	library_hook *before;
	library_hook *begun;
	library_hook *returned;
	library_hook *after;
};
extern const struct library_op library_ops[];

static inline int32_t given_int(const struct library_call *call, unsigned argument)
{
	return (int32_t)(uint32_t)call->given[argument];
}

static inline void *given_pointer(const struct library_call *call, unsigned argument)
{
	return (void *)(uintptr_t)call->given[argument];
}

/* library_find.c */
/* The function that the caller would have got without Varve; sets the call's library. NULL: no object has it. */
void *library_find(struct library_call *call);
/* The library that made the handles that this one takes: this one itself, one that it depends on, or any that is loaded; if there
 * is none, itself. */
const struct library *library_owner(const struct library *library, enum library_owner owner);
/* An object was unloaded. */
void library_forget(void);

/* Another function (or variable) of the same library; NULL: it has none. The result is kept for each library. */
enum { LIBRARIES_NAMED = 4 };
struct library_name {
	uintptr_t found[LIBRARIES_NAMED]; /* number of the library, and the address */
};
void *library_function(const struct library_call *call, struct library_name *cache,
		       const char *name);

#endif
