/* Pack: writing the sections of a packed file. Inside of src/pack. The layout is in loop/packed.h and docs/format.md. */
#ifndef PACK_PACKED_FILE_H
#define PACK_PACKED_FILE_H

#include "loop/bytes.h"
#include "loop/packed.h"
#include "loop/values.h"

#include <stdio.h>

struct packed_file {
	int fd;
	char path[4096]; /* its name until it is complete; "": it has none */
	uint64_t at;	 /* bytes written */
	uint8_t run_id[16];
	struct packed_foot foot;
	/* the data block that is being filled; 0: none */
	uint64_t data_begin;
	void *data_hash;
	uint8_t *buffer; /* of parts that are copied */
	size_t buffer_room;
};

enum status packed_file_create(struct packed_file *file, const char *target,
			       const uint8_t run_id[16], struct varve_causes *causes) MUST_CHECK;
/* A section: its bytes by zstd. */
enum status packed_file_section(struct packed_file *file, enum packed_section kind,
				const struct bytes *bytes, struct varve_causes *causes) MUST_CHECK;
/* Copies a part out of its spool and tells where it is now. */
enum status packed_file_part(struct packed_file *file, struct spool *spool,
			     struct values_part *part, struct varve_causes *causes) MUST_CHECK;
/* All parts are written. */
enum status packed_file_data_end(struct packed_file *file, struct varve_causes *causes) MUST_CHECK;
/* Writes the foot and waits until all is on disk. Then it can be read as packed_file_name(). */
enum status packed_file_seal(struct packed_file *file, struct varve_causes *causes) MUST_CHECK;
void packed_file_name(const struct packed_file *file, char *name, size_t room);
/* Gives it its name; a folder of that name stands at `*folder` (a name to be freed) afterwards, or NULL. */
enum status packed_file_publish(struct packed_file *file, const char *target, char **folder,
				struct varve_causes *causes) MUST_CHECK;
/* Leaves nothing behind, unless it was completed. */
void packed_file_drop(struct packed_file *file);

#endif
