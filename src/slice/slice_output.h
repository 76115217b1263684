/* Slice: the output of a slice. It is only written through this table of functions; each form of a trace has its own.
 *
 * Nodes follow each other; the blocks of a node arrive in the order in which they are stored: description, tables, records. The
 * new trace gets its name only in finish().
 */
#ifndef SLICE_SLICE_OUTPUT_H
#define SLICE_SLICE_OUTPUT_H

#include "base/status.h"
#include "codec/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice_output {
	/* Begins, or begins again and discards what was written. */
	enum varve_status (*start)(struct slice_output *output, const uint8_t run_id[16],
				   struct varve_causes *causes);
	/* Begins a node with this number. */
	enum varve_status (*node)(struct slice_output *output, uint32_t number,
				  struct varve_causes *causes);
	enum varve_status (*block)(struct slice_output *output, const uint8_t *bytes, size_t length,
				   struct varve_causes *causes);
	/* Ends the node. `end` contains how the run ended and what was lost; its fields about the data file are set here. */
	enum varve_status (*node_end)(struct slice_output *output, struct index_head *end,
				      struct varve_causes *causes);
	/* Gives the new trace its name. */
	enum varve_status (*finish)(struct slice_output *output, struct varve_causes *causes);
	/* Frees the output, and removes what was not finished. */
	void (*close)(struct slice_output *output);
};

/* The stream form: a folder. `force`: an existing trace with this name is replaced. VARVE_USAGE: the name cannot be used. */
enum varve_status slice_folder(const char *path, bool force, struct slice_output **output,
			       struct varve_causes *causes) MUST_CHECK;

#endif
