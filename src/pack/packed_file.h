/* Pack: writes the sections of a packed file. Inside of src/pack. The layout is in packed/packed_layout.h and docs/format.md. */
#ifndef PACK_PACKED_FILE_H
#define PACK_PACKED_FILE_H

#include "base/host/bytes.h"
#include "loop/values.h"
#include "packed/packed_layout.h"

#include <stdio.h>

struct packed_file {
	int fd;
	uint64_t at; /* bytes written */
	uint8_t run_id[16];
	struct packed_foot foot;
	void *content;	/* hash of what stands before the foot */
	uint64_t check; /* of the header of the foot */
};

/* The file owns `fd` from now on, also on failure. */
enum varve_status packed_file_start(struct packed_file *file, int fd, const uint8_t run_id[16],
				    struct varve_causes *causes) MUST_CHECK;
/* A section: its bytes by zstd. */
enum varve_status packed_file_section(struct packed_file *file, enum packed_section kind,
				      const struct bytes *bytes,
				      struct varve_causes *causes) MUST_CHECK;
/* All sections are written: the guard of all that stands in the file. */
enum varve_status packed_file_guard(struct packed_file *file,
				    struct varve_causes *causes) MUST_CHECK;
/* A block of data: parts, behind room for a header, of a length that is a multiple of BLOCK_ALIGN; with its guard. */
enum varve_status packed_file_data(struct packed_file *file, uint8_t *block, size_t length,
				   struct varve_causes *causes) MUST_CHECK;
/* All is written but this, which is the end of the file and its beginning. */
enum varve_status packed_file_foot(struct packed_file *file,
				   struct varve_causes *causes) MUST_CHECK;
/* All bytes of the file, as they are, instead of all this. */
enum varve_status packed_file_copy(struct packed_file *file, const uint8_t *bytes, size_t length,
				   struct varve_causes *causes) MUST_CHECK;
/* Waits until all is on disk. */
enum varve_status packed_file_sync(const struct packed_file *file,
				   struct varve_causes *causes) MUST_CHECK;
void packed_file_stop(struct packed_file *file);

#endif
