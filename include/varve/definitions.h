/* Varve: what a trace says about functions, their arguments, kinds of values, and files.
 *
 * Everything here is owned by the trace (functions, kinds) or by the cursor (texts, files), and read only. Tables travel in
 * the trace: a reader prints what the recorder knew, also functions that it has never heard of.
 */
#ifndef VARVE_DEFINITIONS_H
#define VARVE_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that are not ended by a zero; a name may hold any byte but 0. */
struct varve_text {
	const char *bytes; /* NULL: not known */
	size_t length;
};

/* How a value of a kind is meant. The numbers stand in traces. */
enum varve_style {
	VARVE_STYLE_ABSENT = 0, /* not recorded (a buffer) */
	VARVE_STYLE_SIGNED = 1,
	VARVE_STYLE_UNSIGNED = 2,
	VARVE_STYLE_HEX = 3,
	VARVE_STYLE_OCTAL = 4,
	VARVE_STYLE_FLAGS =
		5, /* bits with names; a value whose mask covers more than itself: an enum inside the flags */
	VARVE_STYLE_ENUM = 6,	  /* values with names */
	VARVE_STYLE_FD = 7,	  /* pair of descriptor and handle */
	VARVE_STYLE_NAME = 8,	  /* id of a name that is a path */
	VARVE_STYLE_STRING = 9,	  /* id of a name that is just text */
	VARVE_STYLE_HANDLE = 10,  /* number of a handle (a stream, a directory) */
	VARVE_STYLE_BYTES = 11,	  /* a count of bytes */
	VARVE_STYLE_OFFSET = 12,  /* a position in a file, signed */
	VARVE_STYLE_POINTER = 13, /* an address; 0 is NULL */
	VARVE_STYLE_DIRFD = 14,	  /* like VARVE_STYLE_FD; -100 is AT_FDCWD */
	VARVE_STYLE_NOTHING = 15, /* no value: a void result */
	VARVE_STYLE_TIME = 16,	  /* nanoseconds */
};

/* A value of a kind that has a name. */
struct varve_value {
	uint64_t value;
	uint64_t
		mask; /* VARVE_STYLE_FLAGS: the bits that decide; equal to `value` for a plain bit */
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
	uint32_t kind;	/* place of its kind: varve_kind_at() */
	int32_t word;	/* argument word, or -1 when it is not recorded */
	uint8_t output; /* known only after the call returned without failing */
};

/* How the bytes that a call moved follow from its record. */
enum varve_bytes_rule {
	VARVE_BYTES_NONE = 0,
	VARVE_BYTES_RESULT = 1, /* the result counts bytes */
	VARVE_BYTES_RESULT_TIMES =
		2, /* the result counts items of the size in argument word `bytes_word` */
	VARVE_BYTES_WORD =
		3, /* argument word `bytes_word` counts bytes, when the call did not fail */
	VARVE_BYTES_FIXED =
		4, /* each call moves `bytes_word` bytes, unless it failed or its result is -1 */
};

/* What the bytes that a call moved are to the file that it is about. */
enum varve_side {
	VARVE_SIDE_NONE = 0, /* not known, or there are none */
	VARVE_SIDE_READ = 1,
	VARVE_SIDE_WRITTEN = 2,
	VARVE_SIDE_COPIED =
		3, /* from one file into another: read from the one, written to the other */
	VARVE_SIDE_WORD = 4, /* argument word `side_word` is one of the first three */
};

struct varve_function {
	uint16_t id;	    /* never changes its meaning */
	uint8_t layer;	    /* place of its layer: varve_layer_at() */
	uint8_t bytes_rule; /* enum varve_bytes_rule */
	uint8_t bytes_word;
	uint8_t words; /* argument words of a record */
	uint8_t side;  /* enum varve_side */
	uint8_t side_word;
	const char *name;
	const char *op; /* what it means: "open", "read", ... or "" */
	uint32_t result_kind;
	uint32_t field_count;
	const struct varve_field *fields;
	uint32_t symbol_count;
	const char *
		symbols; /* names that it is exported under, one after the other, each ended by a zero byte */
};

/* Marks of a call. The numbers stand in traces. */
enum varve_mark {
	VARVE_FAILED = 1, /* `error` is its errno (0 when it set none) */
	/* It never returned, as far as the trace (inside the library: the block) shows: no result, no error; its end is its start. */
	VARVE_UNFINISHED = 2,
	/* Second half of a call that was open at the end of an earlier block. Cursors join the halves: their calls never have it. */
	VARVE_CONTINUED = 4,
	VARVE_VFORK = 8,    /* made by a vfork child on its parent's thread */
	VARVE_RUNTIME = 16, /* made by the MPI library for itself */
};

/* What a descriptor, stream or directory stream is open on. The numbers stand in traces. */
enum varve_handle_kind {
	VARVE_HANDLE_UNKNOWN,
	VARVE_HANDLE_FILE,
	VARVE_HANDLE_FOLDER,
	VARVE_HANDLE_SOCKET,
	VARVE_HANDLE_PIPE,
	VARVE_HANDLE_DEVICE,
	VARVE_HANDLE_ANONYMOUS, /* eventfd, epoll, memfd ...: the name shows which */
	VARVE_HANDLE_STREAM,	/* a FILE; `other` is the handle of its descriptor, or 0 */
	VARVE_HANDLE_DIR,	/* a DIR; likewise */
	/* What libraries hand out: its text describes it, and it may belong to another one. */
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
	VARVE_HANDLE_REQUEST, /* never defined: requests are numbers of their own */
	VARVE_HANDLE_KINDS
};

/* How device and inode of a file are known. */
enum varve_identity {
	VARVE_IDENTITY_NONE,
	VARVE_IDENTITY_SEEN,	/* from a stat of this file */
	VARVE_IDENTITY_ASSUMED, /* the name meant this file when it was looked at last */
};

/* What is known of the file that a call is about. */
struct varve_file {
	struct varve_text given;    /* as the program wrote it */
	struct varve_text absolute; /* bytes NULL: not known */
	uint32_t kind;		    /* enum varve_handle_kind; only with a handle */
	uint32_t handle;	    /* number in its process, never given twice; 0: none */
	uint32_t how;		    /* enum varve_identity */
	uint64_t device;
	uint64_t inode;
};

/* What a block of a trace defines before it is used, as it is stored. Names are local to their block, handles to their
 * process. */
enum varve_define {
	VARVE_DEFINE_NAME,     /* id, base_kind, base, text */
	VARVE_DEFINE_HANDLE,   /* id, kind, origin, fd, name, other, how, device, inode */
	VARVE_DEFINE_IDENTITY, /* id of a name, or (kind 1) of a handle; how, device, inode */
	VARVE_DEFINE_PROCESS,  /* text: key=value strings, each ended by a zero byte */
	VARVE_DEFINE_THREAD,   /* id: number; fd: tid; other: number of its creator */
};

/* What a name is relative to. NONE: it stands for itself (an absolute path, or a string that is no path). NAME: the folder that
 * this name stands for (the working directory). HANDLE: this open folder. */
enum varve_base { VARVE_BASE_NONE, VARVE_BASE_NAME, VARVE_BASE_HANDLE, VARVE_BASE_UNKNOWN };
enum varve_origin { VARVE_ORIGIN_CALL, VARVE_ORIGIN_INHERITED, VARVE_ORIGIN_DUPLICATE };

struct varve_definition {
	uint32_t process; /* the stream and the block in it that the definition is in */
	uint32_t thread;
	uint64_t block;
	uint64_t before; /* record of the block that it stands before */
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
