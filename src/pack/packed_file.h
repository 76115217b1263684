/* Pack: writing the sections of a packed file. Inside of src/pack. The layout is in loop/packed.h and docs/format.md. */
#ifndef PACK_PACKED_FILE_H
#define PACK_PACKED_FILE_H

#include "loop/bytes.h"
#include "loop/packed.h"
#include "loop/values.h"

#include <stdio.h>

struct packed_file {
	int fd;
	uint64_t at; /* bytes written */
	uint8_t run_id[16];
	struct packed_foot foot;
	/* the data block that is being filled; 0 of `in_data`: none */
	bool in_data;
	uint64_t data_begin;
	void *data_hash;
	uint64_t first_check; /* of the header of the first block of data */
	uint8_t *buffer;      /* of parts that are copied */
	size_t buffer_room;
};

/* `fd` is the file's from now on, also when this fails. */
enum status packed_file_start(struct packed_file *file, int fd, const uint8_t run_id[16],
			      struct varve_causes *causes) MUST_CHECK;
/* A section: its bytes by zstd. */
enum status packed_file_section(struct packed_file *file, enum packed_section kind,
				const struct bytes *bytes, struct varve_causes *causes) MUST_CHECK;
/* Parts follow, or there may be none. */
enum status packed_file_data(struct packed_file *file, struct varve_causes *causes) MUST_CHECK;
/* Copies a part out of its spool and tells where it is now. */
enum status packed_file_part(struct packed_file *file, struct spool *spool,
			     struct values_part *part, struct varve_causes *causes) MUST_CHECK;
/* All parts are written. */
enum status packed_file_data_end(struct packed_file *file, struct varve_causes *causes) MUST_CHECK;
enum status packed_file_foot(struct packed_file *file, struct varve_causes *causes) MUST_CHECK;
/* Waits until all is on disk. */
enum status packed_file_sync(const struct packed_file *file,
			     struct varve_causes *causes) MUST_CHECK;
void packed_file_stop(struct packed_file *file);

#endif
