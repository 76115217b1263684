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
	PACKED_CALLS,	/* what the program called */
	PACKED_NAMES,	/* the names in these, by number */
	PACKED_HANDLES, /* the handles in these: their numbers in the process */
	PACKED_RUNTIME, /* calls with the mark runtime, records of layer varve, and records that continue calls of other blocks */
	PACKED_OTHER_NAMES, /* names in all but the calls */
	PACKED_DEFINITIONS, /* of the blocks that the stream had */
	PACKED_CHUNKS,	    /* one for each of these blocks */
	PACKED_SUMMARIES,   /* their summary rows */
	PACKED_ORDINALS,    /* numbers of calls that do not count on */
	PACKED_HISTOGRAMS,  /* of times, where these are not exact */
	PACKED_FILES,	    /* what was done with each file */
	PACKED_REGIONS,	    /* how often each region of the program was gone through */
	PACKED_TRACKS
};

/* The order in which the raw parts of a stream are listed; times stand behind those before this place. */
static const uint8_t packed_part_order[PACKED_TRACKS] = {
	PACKED_CHUNKS,	 PACKED_SUMMARIES,  PACKED_CALLS,	PACKED_NAMES,
	PACKED_HANDLES,	 PACKED_RUNTIME,    PACKED_OTHER_NAMES, PACKED_DEFINITIONS,
	PACKED_ORDINALS, PACKED_HISTOGRAMS, PACKED_FILES,	PACKED_REGIONS,
};
enum { PACKED_TIMES_PLACE = 2 };

/* A record: function (2 bytes), depth, marks, enum packed_result, number of words, then for each word an enum packed_word and,
 * when it is fixed, its value as a varint. Columns: of the runtime track first how many calls of the chunk stand between it and
 * the one before it in its track; result unless there is none; error when it failed; then its words. */
enum { RECORD_KEY_HEAD = 6 };
enum packed_result { RESULT_NONE, RESULT_VALUE, RESULT_HANDLE };
enum packed_word {
	WORD_FIXED,  /* a varint in the key */
	WORD_VALUE,  /* one column */
	WORD_PAIR,   /* two columns: descriptor, handle */
	WORD_NAME,   /* one column: a name */
	WORD_HANDLE, /* one column: a handle */
};
/* In the calls names and handles are numbers of their tracks. In the runtime track handles are those of the process, and a name is
 * twice its number, and one more when it is of the other names. */

/* A name: its base (enum varve_base), which of those of a block that are the same it is, then its skeleton. Columns: number of the
 * base among the names, or, with NAME_BASE_AS_IS, its id in the block; then the values of the skeleton. */
enum { NAME_BASE_AS_IS = 0x80 };

/* Definitions: one byte type, with DEFINED_LATE of what was known only when the call had returned, then bytes that follow the
 * type, then columns, of which the first is twice `before`, and one more when it is *apart*: NAME -; before, id, number among the names, among the other names. HANDLE kind, how, origin; before, handle,
 * fd, name id, other, device, inode. IDENTITY what, how; before, id, device, inode. PROCESS -; before, number among the other
 * names. THREAD -; before, number, tid, creator. */
enum { DEFINED_LATE = 0x80 };

/* Columns of a chunk: see docs/format.md. */
enum chunk_column {
	CHUNK_CALLS,
	CHUNK_RUNTIME,
	CHUNK_DEFINITIONS,
	CHUNK_SUMMARIES,
	CHUNK_ORDINALS,
	CHUNK_SEQUENCE, /* what it is more than the one before */
	CHUNK_JUMP,	/* first ordinal, less what would count on */
	CHUNK_FIRST,	/* first tick, less the last one of the chunk before */
	CHUNK_SPAN,	/* last tick less the first */
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

/* Totals: sums over all records of the stream that are about the same thing, in the order in which things first come. Columns:
 * the sums; in the track of regions then the place of its code, or 0; then the values of the skeleton.
 * Files: what was done with a file in one layer. The key: the layer, then the skeleton of the path. */
enum file_sum {
	FILE_CALLS,
	FILE_FAILURES,
	FILE_UNFINISHED,
	FILE_READ, /* bytes; before version 3 those that were written too */
	FILE_TICKS,
	FILE_WRITTEN, /* bytes; from version 3 on */
	FILE_SUMS
};
/* Regions: the key: function (2 bytes), then the skeleton of the name, which is empty when there is a place instead. */
enum region_sum {
	REGION_CALLS,
	REGION_UNFINISHED,
	REGION_LEFT, /* that ended in another way than by their own end */
	REGION_TICKS,
	REGION_LONGEST,
	REGION_SUMS
};
enum { TOTAL_SUMS = FILE_SUMS }; /* the most of a kind */

/* How times are kept: a number of the section of nodes. */
enum packed_time {
	PACKED_TIME_EXACT,
	PACKED_TIME_HISTOGRAM, /* for each group how gaps and durations were spread */
	PACKED_TIME_NONE,
};

/* Histograms: for each group of the calls, then of the runtime track, one of gaps (key 0) and one of durations (key 1), in ticks:
 * count, least, most, mean and variance (bits of a double), number of bins; then so many events of key HISTOGRAM_BIN: bin, count.
 * Bin 0 is of 0, bin n of 2^(n-1) to 2^n - 1, and HISTOGRAM_NEGATIVE + n the same of negative numbers. */
enum { HISTOGRAM_BIN = 2, HISTOGRAM_COLUMNS = 6, HISTOGRAM_NEGATIVE = 65, HISTOGRAM_BINS = 130 };

/* Bytes of a part of times. */
enum { TIME_PART = 131072 };

/* Sections are blocks of type BLOCK_PACKED; the kind is their sequence number. */
enum packed_section {
	SECTION_NODES = 1,
	SECTION_STRUCTURE =
		2, /* classes of the first two tracks, of processes that have a rank or of all */
	SECTION_OTHERS = 3, /* the same of those that have none, where others have */
	SECTION_REST = 4,   /* classes of the other tracks */
	SECTION_STREAMS = 5,
	SECTION_PARTS = 6,  /* where the parts of each stream are */
	SECTION_DATA = 7,   /* parts; as often as needed */
	SECTION_DAMAGE = 8, /* what was missing in the trace that was packed */
	SECTION_FOOT = 9,   /* the last one: where the others are */
	SECTION_TABLES = 10,
	SECTION_FILES = 11,   /* the other files, where there are several */
	SECTION_ANSWERS = 12, /* answers about the whole trace; there may be none */
	SECTION_GUARD =
		13, /* behind the sections, and behind each block of data: see packed/guard.h */
};
/* Now, and in versions 1 and 2. */
enum { SECTIONS = 14, SECTIONS_FIRST = 12, SECTIONS_SECOND = 13 };

/* A block of data is as long as this, and a part more. */
enum { DATA_BLOCK = 1 << 22 };

/* The section of answers: a text of each of these. Their contents are in docs/format.md. */
enum packed_answer {
	ANSWER_PROCESSES, /* the description of each */
	ANSWER_TREE,
	ANSWER_OBJECTS,
	ANSWER_PATHS,
	ANSWERS
};

/* A trace of several files is a folder (base/trace_files.h). The first file has all sections, the others data alone. */
enum { PACKED_FILES_MOST = 256 };

/* Version 1 has no track of regions, and no answers. Before version 3 there are no guards, the foot stands at the end alone,
 * parts are in the order of their list, and files have one sum of bytes. */
enum {
	PACKED_VERSION_FIRST = 1,
	PACKED_VERSION_ANSWERS = 2,
	PACKED_VERSION_GUARDED = 3,
	PACKED_VERSION_SPLIT = 3,
	PACKED_VERSION = 3
};

/* The foot also stands so often at the beginning. */
enum { PACKED_HEADS = 2 };

/* Tracks of a stream in a file of this version. */
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
		uint64_t length; /* 0: there is none */
	} section
		[SECTIONS]; /* by kind; of data the first and all up to the last guard; of guards the first */
	uint64_t content; /* XXH64 of the payload_check of each block but the feet */
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

/* The block that it is, and where what follows those at the beginning begins. */
static inline size_t packed_foot_block(void)
{
	return block_plain_size(sizeof(struct packed_foot));
}

static inline size_t packed_begin(void)
{
	return PACKED_HEADS * packed_foot_block();
}

#endif
