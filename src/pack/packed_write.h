/* Pack: writes all streams of a trace into a packed file. Private to src/pack. */
#ifndef PACK_PACKED_WRITE_H
#define PACK_PACKED_WRITE_H

#include "pack/pack.h"
#include "pack/stream_packer.h"

/* `streams` are those of the trace, in its order. Sets the places of their parts. */
enum varve_status packed_write(struct varve_trace *trace, struct packed_stream *streams,
			       const struct pack_settings *settings, struct pack_result *result,
			       struct varve_causes *causes) MUST_CHECK;

/* answers_write.c: the section of answers about the whole trace; no bytes if it is not worthwhile. */
enum varve_status answers_write(struct varve_trace *trace, struct bytes *bytes,
				struct varve_causes *causes) MUST_CHECK;

/* tables_write.c: the checksum of the source's tables, then the tables that a packed trace needs. */
enum varve_status tables_write(const struct varve_trace *trace, const struct packed_stream *streams,
			       struct bytes *bytes, struct varve_causes *causes) MUST_CHECK;

#endif
