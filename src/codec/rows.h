/* Codec: the properties of each function that the codecs need to store its records; gen/ makes them from the tables of calls.
 *
 * `call_rows` is sorted by id. The full tables (names, kinds, flags) that are stored in the trace are `tables_blob`.
 */
#ifndef CODEC_ROWS_H
#define CODEC_ROWS_H

#include <varve/definitions.h>

#include <stddef.h>
#include <stdint.h>

/* The row of a function. */
struct call_row {
	uint16_t id;
	uint8_t words;	    /* argument words of a record, after WORD_ARGUMENTS */
	uint8_t bytes_rule; /* enum varve_bytes_rule */
	uint8_t bytes_word;
	/* bit i: argument word i holds a descriptor (lower half) and its handle (upper half) */
	uint32_t pairs;
	/* bit i: argument word i is a name id, which is only valid in its block */
	uint32_t names;
	/* bit i: argument word i is shown in hexadecimal digits */
	uint32_t hex;
};

extern const struct call_row call_rows[];
extern const size_t call_rows_count;

/* The name of a function, at the same index as its row in call_rows. */
struct call_name {
	uint16_t name;	/* where its text begins in call_text */
	uint16_t layer; /* likewise */
	uint8_t internal;
	uint8_t off;		 /* not recorded unless requested */
	uint8_t in_sync_library; /* only libvarve-record-sync.so has its wrapper */
};

extern const struct call_name call_names[];
extern const char call_text[];

extern const uint8_t tables_blob[];
extern const size_t tables_blob_size;

/* Functions of the C library for files that intentionally have no row; the last entry has no name. */
struct excluded_symbol {
	const char *name;
	const char *reason;
};
extern const struct excluded_symbol excluded_symbols[];

/* The row with this id, or NULL. */
const struct call_row *call_row_find(const struct call_row *rows, size_t count, uint16_t id);

#endif
