/* Varve: how the records of a trace are stored, and their size in the encoding of Recorder 2.0.
 *
 * Blocks of codec peephole are counted as they are. The records of other blocks are encoded again in memory to measure
 * their size; nothing is written. All payloads are decoded.
 */
#ifndef VARVE_CODECS_H
#define VARVE_CODECS_H

#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stored in blocks. The codec `binary` is peephole with a window of 0. */
enum varve_codec {
	VARVE_CODEC_COLUMNS = 1,
	VARVE_CODEC_ROWS = 2,
	VARVE_CODEC_PEEPHOLE = 3,
	VARVE_CODEC_LOOP = 4, /* in packed traces */
	VARVE_CODECS = 16     /* upper limit of the numbers, with room for later versions */
};

/* The blocks of one codec. */
struct varve_codec_blocks {
	uint64_t blocks;
	uint64_t records; /* a call that a block boundary cuts counts once */
	uint64_t bytes;	  /* size of the blocks; it includes header_bytes and definition_bytes */
	uint64_t header_bytes;
	uint64_t definition_bytes;
};

/* The largest number of arguments in which a record can differ from the record that it refers to. */
enum { VARVE_DIFFERING = 7 };

/* Records in the encoding of Recorder 2.0. */
struct varve_peephole {
	uint64_t blocks;
	uint64_t
		records; /* encoded records: a call that a block boundary cuts counts in each block */
	uint64_t compressed;	       /* records that refer to another record */
	uint64_t arguments;	       /* arguments of all records */
	uint64_t compressed_arguments; /* arguments of compressed records */
	uint64_t saved;		       /* arguments of compressed records that are not stored */
	uint64_t differing
		[VARVE_DIFFERING]; /* number of compressed records by how many arguments they store */
	uint64_t bytes;		   /* in the format of the paper on Recorder 2.0 */
	uint64_t plain_bytes;	   /* the same without compression (codec `binary`) */
	/* size of what the paper's format cannot store, as it is stored here */
	uint64_t rest_bytes;
};

/* The parts of a packed trace; all 0 for other traces. */
struct varve_packed {
	uint64_t
		structure_bytes; /* calls without their times: of processes with a rank, or of all processes if none has a rank */
	uint64_t other_bytes; /* the same of processes without a rank, if others have one */
	uint64_t rest_bytes;  /* calls of the MPI library itself, definitions, lists of chunks */
	uint64_t data_bytes;  /* times, and columns that are not stored as series */
	uint64_t list_bytes;  /* lists of streams and parts, tables, description, damage */
	uint64_t classes;     /* classes of streams with the same calls */
	uint64_t members;     /* streams in these classes */
	uint64_t nodes;	      /* branches in the trees of loops of these classes */
	uint64_t loops;
	/* columns of these trees: the values of an argument or result in a loop */
	uint64_t columns;
	/* those that are stored raw in at least one stream, not as a series */
	uint64_t raw_columns;
	uint64_t overruns;   /* branches that left the window without being folded */
	uint64_t candidates; /* times that more sequences looked alike than were compared */
};

struct varve_codecs {
	struct varve_packed packed;
	struct varve_codec_blocks blocks[VARVE_CODECS]; /* by codec */
	struct varve_peephole stored; /* the blocks of codec peephole as they are */
	uint32_t window_least;	      /* the smallest and largest window of these blocks */
	uint32_t window_most;
	struct varve_peephole
		made; /* the records of all other blocks, encoded in codec peephole with the requested window */
};

/* VARVE_CODECS_ALL: encode the blocks of codec peephole again too, with the requested window. */
enum varve_codecs_flag { VARVE_CODECS_ALL = 1 };

enum { VARVE_WINDOW_MOST = 127, VARVE_WINDOW_USUAL = 3 };

/* Counts the blocks of a trace, and encodes records again with this window, from 0 to VARVE_WINDOW_MOST. `flags`: bits of enum
 * varve_codecs_flag. VARVE_USAGE: the window is too large. */
enum varve_status varve_codecs_make(struct varve_trace *trace, unsigned window, unsigned flags,
				    struct varve_codecs *codecs, struct varve_causes *causes);

/* "columns", "rows", "peephole" or "loop"; "unknown" for any other number. */
const char *varve_codec_name(enum varve_codec codec);

#ifdef __cplusplus
}
#endif

#endif
