/* Codec: the raw lane, into which a thread writes records while the program runs.
 *
 * A lane is one file mapping: a header page, then records of 8-byte words. This file defines the layout; the
 * recorder fills lanes (src/record), the encoder reads them (encode.h), recovery reads those of dead processes.
 * Nothing here maps, writes or waits.
 *
 * A record, in words:
 *   0  header: tag (upper 32 bits), function id (16), number of words (8), depth and marks (8)
 *   1  entry time, in units of the run's clock
 *   2  exit time; 0 while the call has not returned; EXIT_FAILED is set if it failed
 *   3  result; for a failed call: errno in the upper 16 bits, result in the lower 48
 *   4+ one word for each recorded argument
 * The header is stored last at entry, the exit time last at exit: each is a single store, so that a process that is
 * killed between any two instructions leaves either all of the information or none of it.
 * The tag is lane_tag(lane) plus the record's position: words left over from an earlier generation never match,
 * so a lane is emptied by incrementing its generation, without clearing it.
 *
 * A definition has an id of DEFINE_FIRST or above and 0 as its number of words; word 1 is then its length in words.
 */
#ifndef CODEC_LANE_H
#define CODEC_LANE_H

#include <varve/definitions.h>

#include <stdint.h>

#define LANE_MAGIC 0x31454e414c525656ull /* "VVRLANE1" as bytes */
enum { LANE_VERSION = 2, LANE_HEADER = 4096 };

enum lane_state {
	LANE_FREE = 0,	  /* has no owner: a new thread of the same process may take it */
	LANE_FILLING = 1, /* its thread writes records into it */
	LANE_FULL = 2,	  /* handed to the collector; its thread has another lane */
	LANE_TAKEN = 3,	  /* a consumer encodes it */
};

/* Lanes in reserve: while such a lane is free, its maker and every process that the maker has forked may take it. */
enum lane_reserve {
	RESERVE_NONE = 0,
	RESERVE_OWN = 1,    /* its maker has not forked since it made the lane */
	RESERVE_FAMILY = 2, /* its maker has forked, so other processes may take it */
};

/* Words at the beginning of a record, before its arguments. */
enum { WORD_HEADER, WORD_ENTRY, WORD_EXIT, WORD_RESULT, WORD_ARGUMENTS };

enum { RECORD_WORDS_MOST = 24, RECORD_ARGUMENTS_MOST = RECORD_WORDS_MOST - WORD_ARGUMENTS };

/* The low byte of a header: depth in five bits, marks in three. */
enum {
	DEPTH_MASK = 0x1f,
	DEPTH_MOST = 30,
	MARK_VFORK = 0x20,
	MARK_RUNTIME = 0x40,
	MARK_CONTINUED = 0x80
};
/* MARK_VFORK: made by a vfork child on its parent's thread.
 * MARK_RUNTIME: made by the MPI library for itself.
 * MARK_CONTINUED: a call that was open when the previous block was cut; an additional word at the end of the record
 * holds the ordinal of its first half in the stream. */

#define EXIT_FAILED (1ull << 63)

/* As offset of a claim: space is being claimed, but its position is not known yet. */
#define CLAIM_COMING UINT64_MAX

enum define {
	DEFINE_FIRST = 0xff00,
	DEFINE_NAME = 0xff00, /* id, base kind, base, bytes, text */
	DEFINE_HANDLE =
		0xff01, /* handle, kind | how << 8 | origin << 16, fd, name id, other handle, device, inode */
	DEFINE_IDENTITY = 0xff02, /* what (0 name, 1 handle), id, device, inode, how */
	DEFINE_PROCESS =
		0xff03, /* key=value strings, each with a zero byte at its end; word 2 is their length in bytes */
	DEFINE_THREAD = 0xff04, /* thread number, tid, creator's thread number */
};
/* Layout of each: word 0 header, word 1 length in words, then the listed words. The text of a name begins in the word after its
 * length, and is padded with zero bytes. */

struct lane_clock {
	uint64_t counter;  /* the run's clock */
	int64_t monotonic; /* ns */
};

/* Space in the data file that is being written; offset 0: none. */
struct lane_claim {
	uint64_t offset;
	uint64_t length;
};

/* Clock pair after the last record; the first reader stores it after the process has died. */
struct lane_end {
	uint64_t
		generation; /* the generation that it belongs to; invalid if it differs from the lane's */
	struct lane_clock clock;
};

struct lane {
	uint64_t magic;
	uint32_t version;
	uint32_t clock_kind; /* enum clock_kind */
	uint64_t size;	     /* bytes, including the header; the stash follows */
	uint8_t run_id[16];
	uint8_t boot_id[16];
	uint64_t pid_namespace; /* inode of the namespace of `pid` and `tid` */
	int32_t pid;
	int32_t tid;
	uint64_t process_start; /* start time of the process, field 22 of its stat file */
	uint32_t process;	/* number in the run of the process, and of its image after exec */
	/* number of the thread in its process, from 1; with `process` it identifies the stream */
	uint32_t thread;
	int32_t rank;		 /* -1: unknown */
	uint32_t resolution;	 /* ns per tick */
	int64_t start_monotonic; /* tick 0, as in the control page */

	_Alignas(64) uint32_t state; /* enum lane_state */
	uint32_t thread_ended;	     /* the thread's function returned; calls may still follow */
	uint64_t generation; /* sequence of the block that the lane's content will become, from 1 */
	uint64_t first_ordinal;	 /* ordinal in the stream of the first record in the lane */
	struct lane_clock begin; /* clock pair at the start of this generation */
	struct lane_claim claim; /* for this generation's block */

	_Alignas(64) uint64_t position; /* bytes from the lane's start that are reserved */
	/* The stash: complete blocks of earlier generations, one after the other, that wait to be written together. If the last
	 * of them is of this generation, its owner was killed before it could increment the generation. */
	uint64_t stash_room;
	uint64_t stash_used;
	struct lane_claim stash_claim; /* for all of them */
	uint32_t reserve;	       /* enum lane_reserve */
	struct lane_end end;
};

static inline uint8_t *lane_stash(struct lane *lane)
{
	return (uint8_t *)lane + lane->size;
}

/* The tag of a record at position 0 in this generation. */
static inline uint32_t lane_tag(uint64_t generation, uint32_t process, uint32_t thread)
{
	uint64_t mix = generation * 0x9e3779b97f4a7c15ull +
		       ((uint64_t)process << 32 | thread) * 0xd6e8feb86659fd93ull;
	mix ^= mix >> 29;
	mix *= 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(mix >> 32);
}

static inline uint64_t record_header(uint32_t tag, uint16_t function, unsigned words,
				     unsigned depth)
{
	return (uint64_t)tag << 32 | (uint64_t)function << 16 | (uint64_t)(words & 0xff) << 8 |
	       (depth & 0xff);
}

#endif
