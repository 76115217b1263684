/* Varve: how the records of a trace are stored, and what the encoding of Recorder 2.0 gives for them.
 *
 * Blocks of codec peephole are counted as they are. What those of other codecs would be is found out by encoding their
 * records again; nothing is written. All payloads are decoded.
 */
#ifndef VARVE_CODECS_H
#define VARVE_CODECS_H

#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As blocks have them. Binary is peephole with a window of 0. */
enum varve_codec {
	VARVE_CODEC_COLUMNS = 1,
	VARVE_CODEC_ROWS = 2,
	VARVE_CODEC_PEEPHOLE = 3,
	VARVE_CODEC_LOOP = 4, /* of packed traces */
	VARVE_CODECS = 16     /* numbers are below; room for those of later versions */
};

/* The blocks of one codec. */
struct varve_codec_blocks {
	uint64_t blocks;
	uint64_t records; /* halves of calls that a block's end cut count each */
	uint64_t bytes;	  /* of the blocks in all; of these: */
	uint64_t header_bytes;
	uint64_t definition_bytes;
};

/* At most so many arguments of a record differ from those of the one that it refers to. */
enum { VARVE_DIFFERING = 7 };

/* Records by the encoding of Recorder 2.0. */
struct varve_peephole {
	uint64_t blocks;
	uint64_t records;
	uint64_t compressed;	       /* refer to another one */
	uint64_t arguments;	       /* of all records */
	uint64_t compressed_arguments; /* of those that refer to another one */
	uint64_t saved;		       /* of these: not stored */
	uint64_t differing
		[VARVE_DIFFERING]; /* records that refer to another one, by how many they store */
	uint64_t bytes;		   /* as the paper has them */
	uint64_t plain_bytes;	   /* the same without compression: binary */
	uint64_t rest_bytes;	   /* what the paper's records have no place for, as it is stored */
};

/* What a packed trace consists of; all 0 of others. */
struct varve_packed {
	uint64_t
		structure_bytes; /* what was called, apart from times: of processes with a rank, or of all */
	uint64_t other_bytes; /* the same of processes without one, where others have one */
	uint64_t rest_bytes;  /* of the MPI library's own calls, definitions, lists of chunks */
	uint64_t data_bytes;  /* times, and columns that are no lines */
	uint64_t list_bytes;  /* streams, where parts are, tables, description, damages */
	uint64_t classes;     /* different structures of calls */
	uint64_t members;     /* streams that have one */
	uint64_t nodes;	      /* places in the trees of these classes */
	uint64_t loops;
	uint64_t columns;     /* of these places: values over a loop, each as lines, */
	uint64_t raw_columns; /* or, of some of the streams at least, not */
	uint64_t overruns;    /* places that left the window before anything like them came again */
	uint64_t candidates;  /* times that more places looked alike than were tried */
};

struct varve_codecs {
	struct varve_packed packed;
	struct varve_codec_blocks blocks[VARVE_CODECS]; /* by codec */
	struct varve_peephole stored; /* the blocks of codec peephole as they are, */
	uint32_t window_least;	      /* whose windows are these */
	uint32_t window_most;
	struct varve_peephole
		made; /* what blocks would be by codec peephole with the window that was asked for */
};

/* VARVE_CODECS_ALL: blocks of codec peephole, too, are encoded again with the window that is asked for. */
enum varve_codecs_flag { VARVE_CODECS_ALL = 1 };

enum { VARVE_WINDOW_MOST = 127, VARVE_WINDOW_USUAL = 3 };

enum varve_status varve_codecs_make(struct varve_trace *trace, unsigned window, unsigned flags,
				    struct varve_codecs *codecs, struct varve_causes *causes);

/* "columns", "rows", "peephole", "loop"; "unknown". */
const char *varve_codec_name(enum varve_codec codec);

#ifdef __cplusplus
}
#endif

#endif
