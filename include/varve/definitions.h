/* Varve: what a trace stores about functions, their arguments, kinds of values, and files.
 *
 * All of this belongs to the trace (functions, kinds) or to the cursor (texts, files) and is read only. The tables are
 * stored in the trace, so a reader can also print functions that its own version does not have.
 */
#ifndef VARVE_DEFINITIONS_H
#define VARVE_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes without a zero byte at the end; a name can contain any byte except 0. */
struct varve_text {
	const char *bytes; /* NULL: not known */
	size_t length;
};

/* How to interpret a value of a kind. The numbers are stored in traces. */
enum varve_style {
	VARVE_STYLE_ABSENT = 0, /* not recorded (a buffer) */
	VARVE_STYLE_SIGNED = 1,
	VARVE_STYLE_UNSIGNED = 2,
	VARVE_STYLE_HEX = 3,
	VARVE_STYLE_OCTAL = 4,
	VARVE_STYLE_FLAGS =
		5, /* bits with names; a value whose mask has more bits than the value itself is one of an enum in the flags */
	VARVE_STYLE_ENUM = 6,	  /* values with names */
	VARVE_STYLE_FD = 7,	  /* pair of descriptor and handle */
	VARVE_STYLE_NAME = 8,	  /* id of a name that is a path */
	VARVE_STYLE_STRING = 9,	  /* id of a name that is only text */
	VARVE_STYLE_HANDLE = 10,  /* number of a handle (a stream, a directory) */
	VARVE_STYLE_BYTES = 11,	  /* a count of bytes */
	VARVE_STYLE_OFFSET = 12,  /* a position in a file, signed */
	VARVE_STYLE_POINTER = 13, /* an address; 0 is NULL */
	VARVE_STYLE_DIRFD = 14,	  /* like VARVE_STYLE_FD; -100 is AT_FDCWD */
	VARVE_STYLE_NOTHING = 15, /* no value: a void result */
	VARVE_STYLE_TIME = 16,	  /* nanoseconds */
};

/* A named value of a kind. */
struct varve_value {
	uint64_t value;
	uint64_t
		mask; /* VARVE_STYLE_FLAGS: the bits to compare with `value`; equal to it for a single bit */
	const char *name;
};

struct varve_kind {
	const char *name;
	enum varve_style style;
	uint32_t value_count;
	const struct varve_value *values;
};

/* An argument of a function. */
struct varve_field {
	const char *name;
	uint32_t kind;	/* index of its kind: varve_kind_at() */
	int32_t word;	/* its argument word; -1: not recorded */
	uint8_t output; /* 1: only known after the call has returned and did not fail */
};

/* How to compute from a record the bytes that the call transferred. */
enum varve_bytes_rule {
	VARVE_BYTES_NONE = 0,
	VARVE_BYTES_RESULT = 1, /* the result is a number of bytes */
	VARVE_BYTES_RESULT_TIMES =
		2, /* the result is a number of items; argument word `bytes_word` is the size of one */
	VARVE_BYTES_WORD =
		3, /* argument word `bytes_word` is a number of bytes, unless the call failed */
	VARVE_BYTES_FIXED =
		4, /* each call transfers `bytes_word` bytes, unless it failed or its result is -1 */
};

/* Whether the bytes of a call were read from its file or written to it. */
enum varve_side {
	VARVE_SIDE_NONE = 0, /* not known, or the call transfers no bytes */
	VARVE_SIDE_READ = 1,
	VARVE_SIDE_WRITTEN = 2,
	VARVE_SIDE_COPIED =
		3, /* copied from one file into another one: bytes that were read and written */
	/* argument word `side_word` contains VARVE_SIDE_NONE, _READ or _WRITTEN */
	VARVE_SIDE_WORD = 4,
};

struct varve_function {
	uint16_t id;	    /* a number keeps its meaning in all versions */
	uint8_t layer;	    /* index of its layer: varve_layer_at() */
	uint8_t bytes_rule; /* enum varve_bytes_rule */
	uint8_t bytes_word;
	uint8_t words; /* number of argument words of a record */
	uint8_t side;  /* enum varve_side */
	uint8_t side_word;
	const char *name;
	const char *op; /* what the call does to files and handles: "open", "read", ... or "" */
	uint32_t result_kind;
	uint32_t field_count;
	const struct varve_field *fields;
	uint32_t symbol_count;
	const char *
		symbols; /* all names that libraries export it under, one after the other, each ended by a zero byte */
};

/* Marks of a call. The numbers are stored in traces. */
enum varve_mark {
	VARVE_FAILED = 1, /* `error` is its errno, or 0 if the call set none */
	/* In this trace the call does not return: it has no result and no error, and its end is its start. */
	VARVE_UNFINISHED = 2,
	/* In a block: the second half of a call that was open at the end of an earlier block. Cursors join the halves, so
	 * calls from cursors never have this mark. */
	VARVE_CONTINUED = 4,
	VARVE_VFORK = 8,    /* made by a vfork child in the thread of its parent */
	VARVE_RUNTIME = 16, /* made by the MPI library itself, not by the program */
};

/* What kind of object a handle is open on. The numbers are stored in traces. */
enum varve_handle_kind {
	VARVE_HANDLE_UNKNOWN,
	VARVE_HANDLE_FILE,
	VARVE_HANDLE_FOLDER,
	VARVE_HANDLE_SOCKET,
	VARVE_HANDLE_PIPE,
	VARVE_HANDLE_DEVICE,
	VARVE_HANDLE_ANONYMOUS, /* eventfd, epoll, memfd ...: see the name */
	VARVE_HANDLE_STREAM,	/* a FILE; `other` is the handle of its descriptor, or 0 */
	VARVE_HANDLE_DIR,	/* a DIR; `other` as for a FILE */
	/* Objects of libraries: the text describes the object; `other` is the object that it belongs to, or 0. */
	VARVE_HANDLE_COMM,
	VARVE_HANDLE_DATATYPE,
	VARVE_HANDLE_MPI_FILE, /* the name is the path */
	VARVE_HANDLE_GROUP,
	VARVE_HANDLE_INFO,
	VARVE_HANDLE_WINDOW,
	VARVE_HANDLE_REDUCTION,
	VARVE_HANDLE_ERRHANDLER,
	VARVE_HANDLE_MESSAGE,
	VARVE_HANDLE_H5_FILE, /* the name is the path */
	VARVE_HANDLE_H5_GROUP,
	VARVE_HANDLE_DATASET,
	VARVE_HANDLE_ATTRIBUTE,
	VARVE_HANDLE_H5_TYPE,
	VARVE_HANDLE_DATASPACE,
	VARVE_HANDLE_PROPERTIES,
	VARVE_HANDLE_H5_OBJECT,
	VARVE_HANDLE_NC_FILE, /* the name is the path */
	VARVE_HANDLE_NC_GROUP,
	VARVE_HANDLE_VARIABLE,
	VARVE_HANDLE_REQUEST, /* never defined: requests have numbers of their own */
	VARVE_HANDLE_KINDS
};

/* Where the device and inode of a file are from. */
enum varve_identity {
	VARVE_IDENTITY_NONE,
	VARVE_IDENTITY_SEEN, /* from a stat of this file */
	/* assumed: the file that the name meant when it was last looked up */
	VARVE_IDENTITY_ASSUMED,
};

/* What is known about the file of a call. */
struct varve_file {
	struct varve_text given;    /* as the program passed it */
	struct varve_text absolute; /* bytes are NULL: not known */
	uint32_t kind;		    /* enum varve_handle_kind; only set with a handle */
	uint32_t handle;	    /* number in its process, never used twice; 0: none */
	uint32_t how;		    /* enum varve_identity */
	uint64_t device;
	uint64_t inode;
};

/* Types of definitions: a block defines names and handles before its records use them. Ids of names are valid in their
 * block only, handles in the whole process. After each type: the fields of varve_definition that it uses. */
enum varve_define {
	VARVE_DEFINE_NAME,     /* id, base_kind, base, text */
	VARVE_DEFINE_HANDLE,   /* id, kind, origin, fd, name, other, how, device, inode */
	VARVE_DEFINE_IDENTITY, /* id of a name, or (kind 1) of a handle; how, device, inode */
	VARVE_DEFINE_PROCESS,  /* text: key=value strings, each ended by a zero byte */
	/* id: number of the thread; fd: its tid; other: number of the thread that created it */
	VARVE_DEFINE_THREAD,
};

/* What a name is relative to. NONE: to nothing, it is an absolute path or not a path. NAME: to the folder with this name
 * (the working directory). HANDLE: to this open folder. */
enum varve_base { VARVE_BASE_NONE, VARVE_BASE_NAME, VARVE_BASE_HANDLE, VARVE_BASE_UNKNOWN };
enum varve_origin { VARVE_ORIGIN_CALL, VARVE_ORIGIN_INHERITED, VARVE_ORIGIN_DUPLICATE };

struct varve_definition {
	uint32_t process; /* process, thread and block that contain the definition */
	uint32_t thread;
	uint64_t block;
	uint64_t before; /* number of the record in the block that follows the definition */
	enum varve_define define;
	uint32_t id;
	uint32_t base_kind; /* enum varve_base */
	uint32_t base;
	struct varve_text text;
	uint32_t kind;	 /* enum varve_handle_kind */
	uint32_t how;	 /* enum varve_identity */
	uint32_t origin; /* enum varve_origin */
	int32_t fd;
	uint32_t name;
	uint32_t other;
	uint64_t device;
	uint64_t inode;
};

#endif
