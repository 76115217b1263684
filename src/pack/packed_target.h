/* Pack: the place of a packed trace: one file, or a folder of several, which gets its name when everything is written. Private
 * to src/pack. packed_file.h writes the content. */
#ifndef PACK_PACKED_TARGET_H
#define PACK_PACKED_TARGET_H

#include "pack/packed_file.h"

struct packed_target {
	struct packed_file files[PACKED_FILES_MOST];
	size_t count;	  /* 1: a file; more: a folder of that many files */
	char aside[4096]; /* the path of the file or folder until it is complete; "": none */
};

enum varve_status packed_target_open(struct packed_target *target, const char *path, size_t count,
				     const uint8_t run_id[16],
				     struct varve_causes *causes) MUST_CHECK;
/* After everything is on disk, gives it its name. If the previous file or folder of that name is left, `*replaced` is set to
 * its new path (to be freed), else to NULL. */
enum varve_status packed_target_publish(struct packed_target *target, const char *path,
					char **replaced, struct varve_causes *causes) MUST_CHECK;
/* Removes everything, unless it was published. */
void packed_target_drop(struct packed_target *target);

#endif
