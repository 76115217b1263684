/* Codec: the block, the unit of a trace: header layout, checks, building and finding.
 *
 * Everything is little-endian. A block is a header (fixed part, summary rows, column rows) and a payload, padded with zero
 * bytes to a multiple of 8. The header has its own checksum, so that reading counters and skipping blocks need no payload.
 * docs/format.md is the normative text.
 */
#ifndef CODEC_BLOCK_H
#define CODEC_BLOCK_H

#include "base/status.h"
#include "codec/lane.h"

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_MAGIC 0x4b4c424556524156ull /* "VARVEBLK" as bytes */
/* The newest version that is read. A block is written with the oldest version that can store its content. */
enum {
	BLOCK_VERSION = 3,
	BLOCK_VERSION_FIRST = 1,
	BLOCK_VERSION_PEEPHOLE = 2, /* codec peephole, and packed traces */
	BLOCK_VERSION_PART = 3,	    /* a slice removed records between these */
	BLOCK_ALIGN = 8
};

/* More records than a lane can hold: a header with more is damaged. */
enum { BLOCK_RECORDS_MOST = 1 << 22, BLOCK_BYTES_MOST = 1 << 28 };

enum block_type {
	BLOCK_RECORDS = 1, /* records of one stream */
	BLOCK_RUN = 2,	   /* key=value strings: program, host, settings, clock */
	BLOCK_TABLES = 3,  /* functions, arguments, kinds */
	BLOCK_INDEX = 4,   /* the list of blocks, losses, how the run ended */
	BLOCK_VOID = 5,	   /* space that was claimed but not used */
	BLOCK_PACKED = 6,  /* a section of a packed trace */
};

enum block_codec {
	CODEC_NONE = 0,
	CODEC_COLUMNS = 1,
	CODEC_ROWS = 2,
	CODEC_PEEPHOLE = 3,
	CODEC_LOOP = 4
};

/* How to write blocks. */
struct codec_choice {
	uint32_t codec;	 /* enum block_codec; CODEC_NONE: columns */
	uint32_t window; /* of codec peephole: number of preceding records that are searched */
};

/* The fixed part of the header, as it is stored in the file. */
struct block_header {
	uint64_t magic;
	uint16_t version;
	uint8_t type;		/* enum block_type */
	uint8_t codec;		/* enum block_codec */
	uint32_t header_length; /* bytes of the whole header, a multiple of 8 */
	uint64_t length;	/* bytes of the whole block, a multiple of 8 */
	uint8_t run_id[16];
	uint64_t sequence; /* number in its stream, from 1 */
	uint32_t process;  /* with `thread`, identifies the stream */
	uint32_t thread;
	int32_t pid;
	int32_t tid;
	int32_t rank;		/* -1: none */
	uint32_t resolution;	/* ns per tick */
	uint64_t records;	/* records in the block, including continued ones */
	uint64_t first_ordinal; /* ordinal of the first record that is not continued */
	int64_t first_tick;	/* smallest entry */
	int64_t last_tick;	/* largest entry or exit */
	struct lane_clock clock_begin;
	struct lane_clock clock_end;
	uint32_t clock_kind;
	uint32_t summaries;   /* rows after the fixed part */
	uint32_t columns;     /* rows after those */
	uint32_t definitions; /* in COLUMN_DEFINITIONS */
	/* XXH64 of everything after the header, padding included; seed: sequence */
	uint64_t payload_check;
	/* XXH64 of the rows after this field; its seed is the XXH64, with seed 0, of the bytes before this field */
	uint64_t header_check;
};

/* Calls, bytes and time of one function in the block. */
struct block_summary {
	uint16_t function;
	uint16_t reserved;
	uint32_t calls; /* without continued ones */
	uint32_t failures;
	int32_t unfinished; /* records without a result, minus continued ones; summed over blocks: the open calls */
	uint64_t bytes; /* by bytes_sum() */
	uint64_t ticks; /* sum of durations */
};

/* Adds bytes, limited to the largest number: used for both counters and sizes of calls. */
static inline uint64_t bytes_sum(uint64_t sum, uint64_t more)
{
	return more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

/* One stored column. `function` 0: a column of the whole block. */
struct block_column {
	uint16_t function;
	uint8_t column;	  /* enum column */
	uint8_t encoding; /* enum column_encoding of column.h */
	uint32_t count;	  /* values */
	uint32_t stored;  /* bytes in the payload; columns have the order of these rows */
	uint32_t reserved;
};

/* Columns of the whole block, then those of a function. */
enum column {
	COLUMN_SHAPES = 0,	/* table of shapes: function, depth, marks */
	COLUMN_STRUCTURE = 1,	/* shape of each record */
	COLUMN_TIMES = 2,	/* gap and duration in one byte, or 255 */
	COLUMN_TIMES_LONG = 3,	/* varint pairs (zigzag gap, zigzag duration) for each 255 */
	COLUMN_ORDINALS = 4,	/* of continued records */
	COLUMN_ROWS = 5,	/* codec rows: everything in one column */
	COLUMN_DEFINITIONS = 6, /* names, handles, identities, processes, threads */
	COLUMN_PEEPHOLE = 7,	/* codec peephole: records as in the paper */
	COLUMN_REST = 8,	/* codec peephole: the parts that those records cannot store */
	COLUMN_NUMBERS = 9,	/* BLOCK_VERSION_PART: ordinals of records that are not continued */
	COLUMN_RESULT = 16,
	COLUMN_ERROR = 17,
	COLUMN_WORD = 32,   /* + argument word; of a pair: the descriptor */
	COLUMN_HANDLE = 64, /* + argument word: the handle of a pair */
};

/* Checks magic, version, lengths and the header's checksum of the block at `bytes`, of which `room` bytes are available, and
 * copies the fixed part. VARVE_TRUNCATED: the block is longer than `room` (`header` is filled if the header is complete). */
enum varve_status block_open(const uint8_t *bytes, size_t room, struct block_header *header,
			     struct varve_causes *causes) MUST_CHECK;

/* Checks the payload of a block that block_open() accepted. */
enum varve_status block_check(const uint8_t *bytes, const struct block_header *header,
			      struct varve_causes *causes) MUST_CHECK;

/* Whether there is a summary row for each function, and column 4 lists the continued calls. */
static inline bool block_summarized(const struct block_header *header)
{
	return header->codec != CODEC_ROWS;
}

/* Rows of an opened header; `at` is below header.summaries or header.columns. */
struct block_summary block_summary_at(const uint8_t *bytes, const struct block_header *header,
				      uint32_t at);
struct block_column block_column_at(const uint8_t *bytes, const struct block_header *header,
				    uint32_t at);

/* Offset of the next byte at or after `from` where a block may begin (magic, aligned to BLOCK_ALIGN), or `size`. */
uint64_t block_search(const uint8_t *bytes, uint64_t size, uint64_t from);

/* Whether bytes without a complete block consist only of what failed writes leave: beginnings of block headers of this run,
 * each shorter than a header, and zeros. */
bool block_remnants(const uint8_t *bytes, uint64_t length, const uint8_t run_id[16]);

/* Finishes the block in `bytes`: pads it, and sets in its header the length, the version (unless it is set) and both checksums. */
void block_seal(uint8_t *bytes, struct block_header *header);

/* The checksum of a header at `bytes` in which all other fields are set. */
uint64_t block_header_check(const uint8_t *bytes, uint32_t header_length);

/* Builds a block with one payload (BLOCK_RUN, BLOCK_TABLES, BLOCK_INDEX, BLOCK_VOID), stored unchanged. `bytes` must have room
 * for block_plain_size(length). Returns the block's length. */
size_t block_plain_size(size_t payload);
size_t block_plain(uint8_t *bytes, enum block_type type, const uint8_t run_id[16],
		   uint64_t sequence, const void *payload, size_t length);

#endif
