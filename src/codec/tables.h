/* Codec: the tables of functions, arguments and kinds, as a trace carries them (BLOCK_TABLES).
 *
 * gen/ makes the bytes (`tables_blob`); tables_parse() reads those of any trace, so that a reader prints what its
 * recorder knew. docs/format.md has the layout.
 */
#ifndef CODEC_TABLES_H
#define CODEC_TABLES_H

#include "base/status.h"
#include "codec/rows.h"

#include <stddef.h>
#include <stdint.h>

/* How a value of a kind is printed and meant. Numbers are stored in traces: append only. */
enum kind_style {
	STYLE_ABSENT = 0, /* not recorded (a buffer) */
	STYLE_SIGNED = 1,
	STYLE_UNSIGNED = 2,
	STYLE_HEX = 3,
	STYLE_OCTAL = 4,
	STYLE_FLAGS =
		5, /* bits with names; a value whose mask covers more than itself: an enum inside the flags */
	STYLE_ENUM = 6,	    /* values with names */
	STYLE_FD = 7,	    /* pair of descriptor and handle */
	STYLE_NAME = 8,	    /* id of a name that is a path */
	STYLE_STRING = 9,   /* id of a name that is just text */
	STYLE_HANDLE = 10,  /* number of a handle (a stream, a directory) */
	STYLE_BYTES = 11,   /* a count of bytes */
	STYLE_OFFSET = 12,  /* a position in a file, signed */
	STYLE_POINTER = 13, /* an address; 0 is NULL */
	STYLE_DIRFD = 14,   /* like STYLE_FD; -100 is AT_FDCWD */
	STYLE_NOTHING = 15, /* no value: a void result */
	STYLE_TIME = 16,    /* nanoseconds */
};

struct table_value {
	uint64_t value;
	uint64_t mask; /* STYLE_FLAGS: the bits that decide; equal to `value` for a plain bit */
	const char *name;
};

struct table_kind {
	const char *name;
	enum kind_style style;
	uint32_t value_count;
	const struct table_value *values;
};

struct table_field {
	const char *name;
	uint32_t kind;	/* index */
	int32_t word;	/* argument word, or -1 when it is not recorded */
	uint8_t output; /* known only after the call returned */
};

struct table_function {
	uint16_t id;
	uint8_t layer; /* index */
	const char *name;
	const char *op; /* what it means: "open", "read", ... or "" */
	uint32_t result_kind;
	uint32_t field_count;
	const struct table_field *fields;
	struct call_row row;
	uint32_t symbol_count;
	const char *
		symbols; /* names that it is exported under, one after the other, each ended by a zero byte */
};

struct tables {
	uint32_t layer_count;
	const char **layers;
	uint32_t kind_count;
	struct table_kind *kinds;
	uint32_t function_count; /* sorted by id */
	struct table_function *functions;
	struct call_row *rows; /* of all functions, sorted by id */
	void *memory;	       /* inside */
};

enum status tables_parse(const uint8_t *bytes, size_t size, struct tables *tables,
			 struct causes *causes) MUST_CHECK;
void tables_clear(struct tables *tables);
const struct table_function *tables_find(const struct tables *tables, uint16_t id);

#endif
