/* Pack: the place of a packed trace: one file, or a folder of several, which get their name when all is written. Inside of
 * src/pack. packed_file.h writes the content. */
#ifndef PACK_PACKED_TARGET_H
#define PACK_PACKED_TARGET_H

#include "pack/packed_file.h"

struct packed_target {
	struct packed_file files[PACKED_FILES_MOST];
	size_t count;	  /* 1: a file; more: a folder of so many */
	char aside[4096]; /* the name of the file or folder until it is complete; "": it has none */
};

enum varve_status packed_target_open(struct packed_target *target, const char *path, size_t count,
				     const uint8_t run_id[16],
				     struct varve_causes *causes) MUST_CHECK;
/* Gives it its name when all is on disk; what had this name stands at `*replaced` (to be freed) afterwards, if it is or was a
 * folder, else NULL. */
enum varve_status packed_target_publish(struct packed_target *target, const char *path,
					char **replaced, struct varve_causes *causes) MUST_CHECK;
/* Leaves nothing behind, unless it was published. */
void packed_target_drop(struct packed_target *target);

#endif
