/* Codec: decoded records and definitions, as readers use them. */
#ifndef CODEC_RECORD_H
#define CODEC_RECORD_H

#include <varve/definitions.h>

#include "codec/lane.h"

#include <stdbool.h>
#include <stdint.h>

struct record {
	uint16_t function;
	uint8_t depth;
	uint8_t marks; /* enum varve_mark, or-ed */
	int32_t error; /* errno of a failed call */
	/* number of the call in its stream, from 0; a continued one has that of its first half */
	uint64_t ordinal;
	int64_t entry; /* ticks since the run's start */
	int64_t exit;
	int64_t result;
	uint32_t words; /* argument words */
	uint64_t word[RECORD_ARGUMENTS_MOST];
};

/* The halves of a word that is a pair. */
static inline int32_t pair_fd(uint64_t word)
{
	return (int32_t)(uint32_t)word;
}

static inline uint32_t pair_handle(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static inline uint64_t pair_make(int fd, uint32_t handle)
{
	return (uint64_t)handle << 32 | (uint32_t)fd;
}

/* A definition in a block. Names are valid in their block only, handles in their process. */
struct definition {
	enum define type;
	uint64_t before; /* index in the block of the first record that may need it */
	bool after_gap; /* a slice removed records between the previous record and the definition */
	/* DEFINE_NAME */
	/* DEFINE_IDENTITY: of the name or handle; DEFINE_HANDLE: the handle; DEFINE_THREAD: number */
	uint32_t id;
	uint32_t base_kind; /* enum varve_base */
	uint32_t base;
	const char *
		text; /* borrowed from the decoder's buffer, `text_length` bytes, may hold any byte; also DEFINE_PROCESS */
	uint32_t text_length;
	/* DEFINE_HANDLE */
	uint32_t kind;	 /* enum varve_handle_kind; DEFINE_IDENTITY: 0 for a name, 1 for a handle */
	uint32_t how;	 /* enum varve_identity */
	uint32_t origin; /* enum varve_origin */
	int32_t fd;	 /* DEFINE_THREAD: tid */
	uint32_t name;	 /* id of its name, 0: none */
	uint32_t other;	 /* DEFINE_THREAD: creator's number */
	uint64_t device;
	uint64_t inode;
	/* Describes an output of a call that returned in a later block, where the output was defined: a NAME that only such a
	 * HANDLE refers to, or a HANDLE with what was known there. `before` is then the row, `fd` the word (-1: the row was
	 * cut), `name` and `other` the ids of the given and of the absolute name, `origin` a set of enum late_origin. */
	bool late;
};

enum late_origin { LATE_KNOWN = 1, LATE_NAME = 2 }; /* a file is known; the word is a name */

#endif
