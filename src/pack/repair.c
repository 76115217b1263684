/* Pack: writes a repaired packed trace. See pack.h.
 *
 * The repaired bytes are in the memory of the reader (trace/packed/packed_mend.h) and are only copied here. The new file is
 * read once before it gets a name. Never writes to the damaged file.
 */
#include "pack/pack.h"

#include "pack/packed_target.h"
#include "trace/packed/packed.h"
#include "trace/trace.h"

#include <stdlib.h>

enum varve_status pack_check(struct varve_trace *trace, struct varve_causes *causes)
{
	return trace->packed ? trace_check_all(trace, causes) : VARVE_OK;
}

bool pack_is_sound(const struct varve_trace *trace)
{
	const struct packed *packed = trace->packed;
	return packed && !packed->mended && !packed->wrong &&
	       trace->damage_count + trace->damage_more <= packed->damages_stored;
}

bool pack_is_whole(const struct varve_trace *trace)
{
	const struct packed *packed = trace->packed;
	return packed && packed->foot.version >= PACKED_VERSION_GUARDED && !packed->wrong &&
	       trace->damage_count + trace->damage_more <= packed->damages_stored + packed->longer;
}

static enum varve_status copy_all(const struct packed *packed, struct packed_target *target,
				  struct pack_result *result, struct varve_causes *causes)
{
	for (size_t i = 0; i < packed->extent_count; i++) {
		const struct packed_extent *extent = &packed->extents[i];
		TRY(packed_file_copy(&target->files[i], packed->file + extent->base,
				     (size_t)extent->length, causes));
		TRY(packed_file_sync(&target->files[i], causes));
		result->bytes += extent->length;
	}
	result->files = packed->extent_count;
	return VARVE_OK;
}

static enum varve_status read_again(const struct packed_target *target, struct varve_causes *causes)
{
	int files[PACKED_FILES_MOST];
	struct varve_trace *trace;
	for (size_t i = 0; i < target->count; i++)
		files[i] = target->files[i].fd;
	TRY(trace_open_files(files, target->count, &trace, causes));
	zones_mend(trace->packed);
	bool sound = pack_is_whole(trace) && !trace->packed->mended;
	trace_close(trace);
	return sound ? VARVE_OK
		     : cause(causes, VARVE_DAMAGED,
			     "the repaired trace is not sound; the damaged trace is unchanged; "
			     "please report this bug");
}

enum varve_status pack_repair(const struct varve_trace *trace, const char *target,
			      struct pack_result *result, struct varve_causes *causes)
{
	struct packed_target *made = calloc(1, sizeof *made);
	*result = (struct pack_result){.source_bytes = trace->size};
	if (!made)
		return cause(causes, VARVE_NO_MEMORY, "no memory to repair a trace");
	enum varve_status status = packed_target_open(made, target, trace->packed->extent_count,
						      trace->run_id, causes);
	if (status == VARVE_OK)
		status = copy_all(trace->packed, made, result, causes);
	if (status == VARVE_OK)
		status = read_again(made, causes);
	if (status == VARVE_OK)
		status = packed_target_publish(made, target, &result->replaced, causes);
	packed_target_drop(made);
	free(made);
	return status;
}
