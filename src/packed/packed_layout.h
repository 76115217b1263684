/* Packed: the layout of a packed trace: its sections, and the events of each track. In words: docs/format.md. Shared by the
 * packer (src/pack) and the reader (src/trace); contains no code that acts. */
#ifndef PACKED_PACKED_LAYOUT_H
#define PACKED_PACKED_LAYOUT_H

#include "codec/block.h"
#include "codec/index.h"

#include <stddef.h>
#include <stdint.h>

/* Tracks of a stream. The first two are the structure of the run. */
enum packed_track {
	PACKED_CALLS,	/* the calls of the program */
	PACKED_NAMES,	/* the names in these, by number */
	PACKED_HANDLES, /* the handles in these: their numbers in the process */
	PACKED_RUNTIME, /* calls with the mark runtime, records of layer varve, and records that continue calls of other blocks */
	PACKED_OTHER_NAMES, /* names in all other tracks */
	PACKED_DEFINITIONS, /* of the blocks of the stream */
	PACKED_CHUNKS,	    /* one for each of these blocks */
	PACKED_SUMMARIES,   /* their summary rows */
	PACKED_ORDINALS,    /* ordinals of calls that are not consecutive */
	PACKED_HISTOGRAMS,  /* of times, if they are not exact */
	PACKED_FILES,	    /* sums for each file */
	PACKED_REGIONS,	    /* sums for each region of the program */
	PACKED_TRACKS
};

/* The order in which the raw parts of a stream are listed; times are inserted at index PACKED_TIMES_PLACE. */
static const uint8_t packed_part_order[PACKED_TRACKS] = {
	PACKED_CHUNKS,	 PACKED_SUMMARIES,  PACKED_CALLS,	PACKED_NAMES,
	PACKED_HANDLES,	 PACKED_RUNTIME,    PACKED_OTHER_NAMES, PACKED_DEFINITIONS,
	PACKED_ORDINALS, PACKED_HISTOGRAMS, PACKED_FILES,	PACKED_REGIONS,
};
enum { PACKED_TIMES_PLACE = 2 };

/* A record: function (2 bytes), depth, marks, enum packed_result, number of words; then for each word an enum packed_word and,
 * if it is fixed, its value as a varint. Columns: in the runtime track, first the number of calls of the chunk between the
 * record and the previous one of the track; the result, if any; the error, if it failed; then its words. */
enum { RECORD_KEY_HEAD = 6 };
enum packed_result { RESULT_NONE, RESULT_VALUE, RESULT_HANDLE };
enum packed_word {
	WORD_FIXED,  /* a varint in the key */
	WORD_VALUE,  /* one column */
	WORD_PAIR,   /* two columns: descriptor, handle */
	WORD_NAME,   /* one column: a name */
	WORD_HANDLE, /* one column: a handle */
};
/* In the calls, names and handles are numbers of their tracks. In the runtime track, handles are those of the process, and a
 * name is twice its number, plus 1 if it is among the other names. */

/* A name: its base (enum varve_base), its index among equal names of a block, then its skeleton. Columns: the number of the
 * base among the names or, with NAME_BASE_AS_IS, its id in the block; then the values of the skeleton. */
enum { NAME_BASE_AS_IS = 0x80 };

/* Definitions: one byte type, with DEFINED_LATE for what was known only after the call had returned, then bytes that depend on
 * the type. The first column is twice `before`, plus 1 if `after_gap` is set. Bytes; columns of each type: NAME -; before, id,
 * number among the names, number among the other names. HANDLE kind, how, origin; before, handle, fd, name id, other, device,
 * inode. IDENTITY what, how; before, id, device, inode. PROCESS -; before, number among the other names. THREAD -; before,
 * number, tid, creator. */
enum { DEFINED_LATE = 0x80 };

/* Columns of a chunk: see docs/format.md. */
enum chunk_column {
	CHUNK_CALLS,
	CHUNK_RUNTIME,
	CHUNK_DEFINITIONS,
	CHUNK_SUMMARIES,
	CHUNK_ORDINALS,
	CHUNK_SEQUENCE, /* difference from that of the previous chunk */
	CHUNK_JUMP,	/* first ordinal, minus the consecutive one */
	CHUNK_FIRST,	/* first tick, minus the last tick of the previous chunk */
	CHUNK_SPAN,	/* last tick minus first tick */
	CHUNK_LONG,	/* bytes of long times */
	CHUNK_COLUMNS
};
enum summary_column {
	SUMMARY_CALLS,
	SUMMARY_FAILURES,
	SUMMARY_UNFINISHED,
	SUMMARY_BYTES,
	SUMMARY_TICKS,
	SUMMARY_COLUMNS
};

/* Totals: sums over all records of the stream with the same key, in order of first appearance. Columns: the sums; in the track
 * of regions, the number of the place in the code, or 0; then the values of the skeleton. Files: what was done with a file in
 * one layer. The key: the layer, then the skeleton of the path. */
enum file_sum {
	FILE_CALLS,
	FILE_FAILURES,
	FILE_UNFINISHED,
	FILE_READ, /* bytes; before version 3 including those that were written */
	FILE_TICKS,
	FILE_WRITTEN, /* bytes; since version 3 */
	FILE_SUMS
};
/* Regions: the key: function (2 bytes), then the skeleton of the name, which is empty if there is a place in the code. */
enum region_sum {
	REGION_CALLS,
	REGION_UNFINISHED,
	REGION_LEFT, /* ended in another way than by their own end */
	REGION_TICKS,
	REGION_LONGEST,
	REGION_SUMS
};
enum { TOTAL_SUMS = FILE_SUMS }; /* the largest number of sums */

/* How times are stored: a number in the section of nodes. */
enum packed_time {
	PACKED_TIME_EXACT,
	PACKED_TIME_HISTOGRAM, /* for each group the distribution of gaps and durations */
	PACKED_TIME_NONE,
};

/* Histograms: for each group of the calls, then of the runtime track, one of gaps (key 0) and one of durations (key 1), in
 * ticks: count, least, most, mean and variance (bits of a double), number of bins; then one event of key HISTOGRAM_BIN for each
 * bin: bin, count. Bin 0 contains 0, bin n contains 2^(n-1) to 2^n - 1, and HISTOGRAM_NEGATIVE + n the same of negative
 * numbers. */
enum { HISTOGRAM_BIN = 2, HISTOGRAM_COLUMNS = 6, HISTOGRAM_NEGATIVE = 65, HISTOGRAM_BINS = 130 };

/* Maximum bytes of a part of times. */
enum { TIME_PART = 131072 };

/* Sections are blocks of type BLOCK_PACKED; their sequence number is the kind. */
enum packed_section {
	SECTION_NODES = 1,
	SECTION_STRUCTURE =
		2, /* classes of the first two tracks, for processes with a rank, or for all if there are none */
	SECTION_OTHERS = 3, /* the same for processes without a rank, if others have one */
	SECTION_REST = 4,   /* classes of the other tracks */
	SECTION_STREAMS = 5,
	SECTION_PARTS = 6,  /* the list of the parts of each stream */
	SECTION_DATA = 7,   /* parts; as often as needed */
	SECTION_DAMAGE = 8, /* what was missing in the trace that was packed */
	SECTION_FOOT = 9,   /* the last one: the list of the other sections */
	SECTION_TABLES = 10,
	SECTION_FILES = 11,   /* the other files, if there are several */
	SECTION_ANSWERS = 12, /* answers about the whole trace; optional */
	SECTION_GUARD =
		13, /* behind the sections, and behind each block of data: see packed/guard.h */
};
/* Number of kinds now, and in versions 1 and 2. */
enum { SECTIONS = 14, SECTIONS_FIRST = 12, SECTIONS_SECOND = 13 };

/* A block of data ends after the part that makes it longer than this. */
enum { DATA_BLOCK = 1 << 22 };

/* The section of answers: a text for each of these. The contents are in docs/format.md. */
enum packed_answer {
	ANSWER_PROCESSES, /* the description of each */
	ANSWER_TREE,
	ANSWER_OBJECTS,
	ANSWER_PATHS,
	ANSWERS
};

/* A trace of several files is a folder (base/trace_files.h). The first file has all sections, the others only data. */
enum { PACKED_FILES_MOST = 256 };

/* Version 1 has no track of regions, and no answers. Before version 3 there are no guards, the foot is only at the end, parts
 * have the order of their list, and files have one sum of bytes. */
enum {
	PACKED_VERSION_FIRST = 1,
	PACKED_VERSION_ANSWERS = 2,
	PACKED_VERSION_GUARDED = 3,
	PACKED_VERSION_SPLIT = 3,
	PACKED_VERSION = 3
};

/* Number of copies of the foot at the beginning. */
enum { PACKED_HEADS = 2 };

/* Number of tracks of a stream in a file of this version. */
static inline size_t packed_track_count(uint32_t version)
{
	return version == PACKED_VERSION_FIRST ? PACKED_REGIONS : PACKED_TRACKS;
}

/* Payload of the foot. */
struct packed_foot {
	uint32_t version;
	uint32_t reserved;
	uint64_t file_size;
	struct {
		uint64_t offset; /* of the block */
		uint64_t length; /* 0: no such section */
	} section
		[SECTIONS]; /* by kind; of data, the first block and everything up to the last guard; of guards, the first */
	uint64_t content; /* XXH64 of the payload_check of each block except the feet */
};

/* Its length in a file of this version. */
static inline size_t packed_foot_size(uint32_t version)
{
	size_t kinds = version == PACKED_VERSION_FIRST ? SECTIONS_FIRST : SECTIONS_SECOND;
	if (version >= PACKED_VERSION_GUARDED)
		return sizeof(struct packed_foot);
	return offsetof(struct packed_foot, section[0]) +
	       kinds * sizeof((struct packed_foot *)NULL)->section[0];
}

/* The size of the block of the foot; and where the first block after the feet at the beginning is. */
static inline size_t packed_foot_block(void)
{
	return block_plain_size(sizeof(struct packed_foot));
}

static inline size_t packed_begin(void)
{
	return PACKED_HEADS * packed_foot_block();
}

#endif
