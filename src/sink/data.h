/* Sink: the data file of a trace: blocks of many threads and processes, one after the other.
 *
 * Space is claimed by adding to a counter in the control page, and then written at its position: writers never wait for each
 * other and never overwrite each other's blocks. Raw system calls only; runs inside traced programs.
 */
#ifndef SINK_DATA_H
#define SINK_DATA_H

#include "base/status.h"
#include "codec/control.h"
#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data_file {
	int fd;	   /* negative: closed, or -errno of opening it */
	int error; /* errno of the last failed write; 0: none */
};

/* Opens the data file of a node; VARVE_FOREIGN if it belongs to another run. */
enum varve_status data_open(const char *trace, const struct control *control,
			    struct data_file *file) MUST_CHECK;

void data_close(struct data_file *file);

/* Claims space and writes one or more blocks there. `claim` (may be NULL) stores the position, so that recovery finds a torn
 * write. Blocks the signals of the calling thread meanwhile, and discards a SIGXFSZ that the write has caused. */
enum varve_status data_append(struct data_file *file, struct control *control,
			      struct lane_claim *claim, const uint8_t *block,
			      size_t length) MUST_CHECK;

/* Counts records that could not be written by their reason: a status of the functions above, and an errno (0: none). */
void data_lost(struct control *control, enum varve_status status, int error, uint64_t records);

/* Makes claimed space without a block a void block, or as much of it as fits on a full disk; false: not even a header could be
 * written. */
bool data_void(struct data_file *file, const uint8_t run_id[16], uint64_t offset, uint64_t length);

#endif
