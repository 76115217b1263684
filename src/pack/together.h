/* Pack: one trace by several processes. Inside of src/pack; what it needs to be told is in pack.h. */
#ifndef PACK_TOGETHER_H
#define PACK_TOGETHER_H

#include "pack/pack.h"
#include "pack/stream_packer.h"

/* Writes the streams that are this process's as a part, and merges parts as far as it is its turn. */
enum status together_write(struct varve_trace *trace, struct packed_stream *streams,
			   const struct pack_settings *settings, struct pack_result *result,
			   struct varve_causes *causes) MUST_CHECK;

#endif
