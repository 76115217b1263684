/* Record: shared functions of hooks of MPI: differences between MPI libraries, statuses, sizes of datatypes, predefined handles,
 * requests.
 *
 * No mpi.h is needed. Open MPI (a `wide` library) has pointers as handles, MPICH and related libraries have ints; other differences
 * are handled here. Functions of MPI are called only between its initialisation and its end, only if they work locally, and only
 * with handles that a call of the program has just used without failing: an invalid one would run an error handler.
 */
#ifndef RECORD_MPI_MPI_HOOKS_H
#define RECORD_MPI_MPI_HOOKS_H

#include "base/program/process.h"
#include "record/library/library.h"
#include "record/names/requests.h"

enum {
	MPI_UNDEFINED_RANK = -32766,
	MPI_NAME = 256,	  /* more than the longest name of an object */
	MPI_STATUS = 24,  /* bytes of a status; MPICH's has 20 */
	PEER_NOBODY = -2, /* ranks in their recorded form */
	TAG_ANY = -1,
};

/* ---- mpi_messages.c */

/* Functions of MPI that hooks call; their names are in mpi_messages.c. */
enum mpi_asked {
	ASK_INITIALIZED,
	ASK_FINALIZED,
	ASK_TYPE_SIZE,
	ASK_TYPE_SIZE_X,
	ASK_TYPE_EXTENT,
	ASK_TYPE_TRUE_EXTENT,
	ASK_TYPE_NAME,
	ASK_COMM_SIZE,
	ASK_COMM_RANK,
	ASK_COMM_INTER,
	ASK_COMM_REMOTE_SIZE,
	ASK_COMM_GROUP,
	ASK_COMM_REMOTE_GROUP,
	ASK_GROUP_SIZE,
	ASK_GROUP_RANKS,
	ASK_GROUP_FREE,
	ASK_TOPOLOGY,
	ASK_CART_DIMENSIONS,
	ASK_GRAPH_NEIGHBOURS,
	ASK_DIST_GRAPH_NEIGHBOURS,
	ASK_INFO_KEYS,
	ASK_INFO_KEY,
	ASK_INFO_LENGTH,
	ASK_INFO_VALUE,
	ASK_INFO_FREE,
	ASK_FILE_INFO,
	ASK_COUNT
};

/* Calls the function with these words; false: there is no such function, MPI is not running, or the call failed. */
bool mpi_ask(const struct library_call *call, enum mpi_asked which, uint64_t a, uint64_t b,
	     uint64_t c, uint64_t d, uint64_t e);

/* Whether functions of this library may be called now. */
bool mpi_running(const struct library_call *call);

static inline uint64_t mpi_place(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static inline bool mpi_wide(const struct library_call *call)
{
	return call->library->wide;
}

/* A rank in its recorded form, which is the same for all MPI libraries. */
int32_t mpi_peer(const struct library_call *call, int32_t rank);

struct mpi_status {
	uint64_t bytes;
	int32_t source; /* in its recorded form */
	int32_t tag;
	int32_t error;
	bool cancelled;
};

/* The number of bytes in a status; 0 when it cannot be read. */
uint64_t mpi_status_bytes(const struct library_call *call, const void *status);
/* The content of a status; zeros when it cannot be read. */
struct mpi_status mpi_status_read(const struct library_call *call, const void *status);
/* Whether the program passes MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
bool mpi_status_ignored(const struct library_call *call, uint64_t given);
static inline size_t mpi_status_size(const struct library_call *call)
{
	return mpi_wide(call) ? MPI_STATUS : 20;
}

/* Whether a buffer is MPI_IN_PLACE. */
static inline bool mpi_in_place(const struct library_call *call, unsigned argument)
{
	return call->given[argument] == (mpi_wide(call) ? 1 : UINT64_MAX);
}

/* A count argument, which is an MPI_Count in functions for large counts (their names end in
 * `_c`). */
uint64_t mpi_count(const struct library_call *call, unsigned argument);
/* The same for an element of an array; 0 when it cannot be read. */
uint64_t mpi_count_at(const struct library_call *call, unsigned argument, size_t at);
bool mpi_large(const struct library_call *call);

/* A text for an added field; 0 for a call that leaves no record. */
uint64_t mpi_note(const struct library_call *call, const char *text, size_t length);

/* ---- mpi_types.c */

/* Bytes of one element, asked once for each datatype. Only for datatypes that MPI has just accepted. */
uint64_t mpi_type_size(const struct library_call *call, uint64_t datatype);
/* Bytes of the elements that two adjacent arguments, count and datatype, describe. */
uint64_t mpi_bytes(const struct library_call *call, unsigned count_argument);
/* For a predefined datatype, whose text is its name. */
void mpi_type_named(struct entity *entity, size_t length);
/* The description of a datatype: its name, or how it was made. */
char *mpi_type_text(char *at, const char *end, const struct library_call *call, uint64_t datatype);
/* The same, with the pieces of the datatype. */
char *mpi_type_pieces(char *at, const char *end, const struct library_call *call,
		      uint64_t datatype);

/* ---- mpi_names.c */

/* The name of a predefined handle; NULL: it is not predefined. */
const char *mpi_predefined(const struct library_call *call, enum family family, uint64_t value);
/* Gives an entity a name, if its creation was not recorded. */
void mpi_learn(const struct library_call *call, struct entity *entity);
/* After MPI_Init: reads the predefined handles of Open MPI. */
void mpi_names_learn(const struct library_call *call);
/* MPI_COMM_WORLD; 0: not known. */
uint64_t mpi_world(const struct library_call *call);

/* ---- mpi_comms.c */

/* World ranks of the members of a communicator or group: "0:7", "0:6:2", "0,3,5". */
char *mpi_members(char *at, const char *end, const struct library_call *call, uint64_t comm);
/* Contents of an MPI_Info: "key=value, key=value". */
char *mpi_info_text(char *at, const char *end, const struct library_call *call, uint64_t info);

/* ---- mpi_clock.c */

/* After MPI has begun: measures the differences between the clocks of hosts. */
void mpi_clocks(struct library_call *call, int rank, int size);

/* ---- mpi_completions.c */

enum mpi_request_how {
	REQUEST_OTHER = 0,   /* the bytes are known from the start */
	REQUEST_RECEIVE = 1, /* peer, tag and bytes are in the status */
	REQUEST_FILE = 2,    /* the bytes are in the status */
	REQUEST_BOTH = 3,    /* the bytes are those sent plus those in the status */
	REQUEST_PERSISTENT =
		8, /* stays after its completion, and is active between start and completion */
};

/* Adds a new request of this call, which the last argument points to. */
void mpi_request_new(const struct library_call *call, unsigned how, uint64_t bytes, int32_t peer,
		     int32_t tag);
/* The same for a request on the file that is the first argument. */
void mpi_file_request_new(const struct library_call *call, enum direction direction,
			  uint64_t bytes);
/* The number of a request; 0: not known. `place`: where the program keeps the handle, or NULL. */
uint32_t mpi_request_number(const struct library_call *call, uint64_t value, const void *place);

#endif
