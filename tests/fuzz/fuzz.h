/* Fuzzing: shared by the targets: the parts of an input, corrected checksums, a trace folder in memory, the bound of allocations.
 *
 * A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput(). It runs under libFuzzer, or under driver.c. It never prints; a
 * violation ends in abort(). */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "codec/block.h"
#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* An input: a byte of flags, then parts, each after two bytes of length. Missing bytes read as zero and missing parts as empty, so
 * that every input has a meaning. */
struct input {
	const uint8_t *at;
	size_t left;
};

struct part {
	const uint8_t *bytes;
	size_t size;
};

uint8_t input_byte(struct input *input);
struct part input_part(struct input *input);
struct part input_rest(struct input *input);

/* A copy in memory of exactly its size, aligned to 64, so that reads beyond it are detected. Never NULL. */
void *part_copy(struct part part);

/* Reads each byte: returned memory must be readable. */
void touch(const void *bytes, size_t size);

/* repair.c. Random bytes never pass a checksum: magic, lengths and checks are set, and the bytes that they protect do not
 * change. */
enum repair {
	REPAIR_KEEP_LENGTH = 1, /* the length in the header stays if possible */
	REPAIR_NEWER = 2,	/* a block of a later version */
};
void repair_block(uint8_t *bytes, size_t room, unsigned how);

/* All blocks that begin in `bytes`; returns their number. */
size_t repair_blocks(uint8_t *bytes, size_t size, unsigned how);
size_t count_blocks(const uint8_t *bytes, size_t size);

/* Gives every record of the lane the tag of its place; they follow each other, from the end of the lane's header. */
void repair_tags(struct lane *lane, size_t size);

/* folder.c. One folder per process, below /dev/shm; it is removed when the process ends. */
const char *folder_path(void);
/* NULL: removes the file. */
void folder_write(const char *name, const void *bytes, size_t size);

/* read_trace.c: opens the folder and does one of the things that readers do. The two highest bits of an input's flags choose it:
 * all of them for every input would take three times as long. */
enum read_what {
	READ_BY_TIME,	/* records with their names and files, merged */
	READ_BY_STREAM, /* the same stream by stream; processes */
	READ_SUMS,	/* summary, paths; a stream by a filter */
	READ_TREE,	/* tree of processes, objects */
	READ_NOTHING,	/* only opens the trace */
};
#define READ_WHAT(flags) ((enum read_what)((flags) >> 6 & 3))
void read_trace(const char *path, unsigned flags, enum read_what what);

/* bounds.c. Between the two calls, the allocated memory must not exceed ALLOCATION_BASE for each block and ALLOCATION_PER_BYTE for
 * each byte of the input, plus ALLOCATION_SLACK. */
void bound_begin(size_t size, size_t blocks);
void bound_end(void);

#endif
