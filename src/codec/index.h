/* Codec: the index of a finished trace: the list of blocks, what was lost, how the program ended.
 *
 * It is a BLOCK_INDEX in its own file `index`, which is written under another name and renamed. It is valid up to
 * `data_length`; data behind that is scanned. If it is missing, reading is slower, and losses and exit status are unknown.
 */
#ifndef CODEC_INDEX_H
#define CODEC_INDEX_H

#include "base/status.h"
#include "codec/block.h"
#include "codec/control.h"

#include <stdint.h>

struct index_entry {
	uint64_t offset;
	uint64_t length;
	uint64_t sequence;
	uint32_t process;
	uint32_t thread;
	uint64_t records;
	int64_t first_tick;
	int64_t last_tick;
	uint32_t type; /* enum block_type */
	uint32_t reserved;
};

enum run_end { RUN_OPEN = 0, RUN_EXITED = 1, RUN_KILLED = 2, RUN_RECOVERED = 3 };

struct index_head {
	uint64_t data_length; /* bytes of the data file that the entries cover */
	uint64_t entries;
	uint32_t end;	       /* enum run_end */
	int32_t status;	       /* exit status or signal */
	int64_t end_monotonic; /* ns */
	uint64_t recovered;    /* records from lanes of processes that were killed */
	uint32_t lanes_alive;  /* lanes of processes that still ran when this was written */
	uint32_t programs;     /* that commands started and waited for; 0 counts as 1 */
	uint64_t loss[LOSS_ROOM];
};

/* The entry for the block at this offset. */
struct index_entry index_entry_of(const struct block_header *header, uint64_t offset);

/* The payload is a struct index_head followed by its entries, little-endian, with the layout that they have in memory. */
enum varve_status index_parse(const uint8_t *bytes, size_t size, struct index_head *head,
			      const struct index_entry **entries,
			      struct varve_causes *causes) MUST_CHECK;

#endif
