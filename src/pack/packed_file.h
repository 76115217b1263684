/* Pack: writes the sections of a packed file. Private to src/pack. The layout is in packed/packed_layout.h and docs/format.md. */
#ifndef PACK_PACKED_FILE_H
#define PACK_PACKED_FILE_H

#include "base/host/bytes.h"
#include "loop/values.h"
#include "packed/packed_layout.h"

#include <stdio.h>

struct packed_file {
	int fd;
	const char *name; /* of the packed trace, for messages */
	uint64_t at;	  /* bytes written */
	uint8_t run_id[16];
	struct packed_foot foot;
	void *content;	/* hash of everything before the foot */
	uint64_t check; /* header_check of the foot */
};

/* The file owns `fd` from now on, also on failure; `name` stays the caller's. */
enum varve_status packed_file_start(struct packed_file *file, int fd, const char *name,
				    const uint8_t run_id[16],
				    struct varve_causes *causes) MUST_CHECK;
/* Appends a section: its bytes, compressed with zstd. */
enum varve_status packed_file_section(struct packed_file *file, enum packed_section kind,
				      const struct bytes *bytes,
				      struct varve_causes *causes) MUST_CHECK;
/* After all sections: appends the guard of everything in the file. */
enum varve_status packed_file_guard(struct packed_file *file,
				    struct varve_causes *causes) MUST_CHECK;
/* Appends a block of data with its guard: parts, behind room for a header; the length is a multiple of BLOCK_ALIGN. */
enum varve_status packed_file_data(struct packed_file *file, uint8_t *block, size_t length,
				   struct varve_causes *causes) MUST_CHECK;
/* After everything else: writes the foot at the end and at the beginning of the file. */
enum varve_status packed_file_foot(struct packed_file *file,
				   struct varve_causes *causes) MUST_CHECK;
/* Instead of all these: writes all bytes of a file unchanged. */
enum varve_status packed_file_copy(struct packed_file *file, const uint8_t *bytes, size_t length,
				   struct varve_causes *causes) MUST_CHECK;
/* Waits until everything is on disk. */
enum varve_status packed_file_sync(const struct packed_file *file,
				   struct varve_causes *causes) MUST_CHECK;
void packed_file_stop(struct packed_file *file);

#endif
