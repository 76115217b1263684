/* Sink: the data file of a trace: blocks of many threads and processes, one behind the other.
 *
 * Space is claimed by adding to a counter in the control page, then written by position: writers never wait for each
 * other and never tear each other's blocks. Raw system calls only; runs inside traced programs.
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
	int fd;	   /* negative: closed, or the errno that opening it met */
	int error; /* errno of the last write that failed; 0: none */
};

/* Opens the data file of a node; VARVE_FOREIGN when it is not that run's. */
enum varve_status data_open(const char *trace, const struct control *control,
			    struct data_file *file) MUST_CHECK;

void data_close(struct data_file *file);

/* Claims space and writes a block there, or several; `claim` (may be NULL) notes where, so that recovery finds a torn write.
 * Blocks signals of the calling thread meanwhile and takes back a SIGXFSZ that the write caused. */
enum varve_status data_append(struct data_file *file, struct control *control,
			      struct lane_claim *claim, const uint8_t *block,
			      size_t length) MUST_CHECK;

/* Counts records that could not be written, by what was met: a status of the functions above, and an errno (0: none). */
void data_lost(struct control *control, enum varve_status status, int error, uint64_t records);

/* Marks claimed space that holds no block as void, or as much of it as a full disk has; false: not even a header fits. */
bool data_void(struct data_file *file, const uint8_t run_id[16], uint64_t offset, uint64_t length);

#endif
