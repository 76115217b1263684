/* Trace: searches for damage in a packed trace before it is read, and in a whole trace of either form. See packed.h.
 *
 * Compares all parts with their checksums, which decodes nothing. Only if a part is wrong, the chunks of its stream are
 * decoded to find out which of them are lost; these are reported as by any reader.
 */
#include "codec/host/decode.h"
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

#include <stdlib.h>

/* This can be checked in about ten milliseconds. More is checked only when it is read. */
static const uint64_t checked_most = 64 << 20;

static bool packed_part_good(const struct packed *packed, const struct values_part *part)
{
	return part->offset <= packed->size && part->stored <= packed->size - part->offset &&
	       values_check(packed->file + part->offset, part->stored) == part->check;
}

static bool parts_good(const struct packed *packed, const struct packed_place *place)
{
	for (size_t i = 0; i < place->part_count; i++)
		if (!packed_part_good(packed, &packed->parts[place->first_part + i]))
			return false;
	return true;
}

static enum varve_status block_read_all(struct varve_trace *trace, const struct trace_block *block,
					struct record_rows *rows, struct varve_causes *causes)
{
	const struct record_columns to = RECORD_COLUMNS_OF(rows);
	struct definitions definitions = {0};
	struct block_reader reader = {0};
	enum varve_status status = block_definitions_read(trace, block, &definitions, causes);
	definitions_clear(&definitions);
	if (status == VARVE_OK)
		status = block_records(trace, block, WANT_TIMES | WANT_RESULTS | WANT_WORDS, NULL,
				       &reader, causes);
	for (size_t count = TAKE_MOST; status == VARVE_OK && reader.at < reader.count;
	     count = TAKE_MOST)
		status = block_reader_take(&reader, &to, &count, causes);
	block_reader_close(&reader);
	return status;
}

static enum varve_status check_blocks(struct varve_trace *trace, bool all, struct record_rows *rows,
				      struct varve_causes *causes)
{
	const struct packed_place *known = NULL;
	bool good = true;
	for (size_t i = 0; i < trace->block_count; i++) {
		struct trace_block *block = &trace->blocks[i];
		struct varve_causes found;
		found.count = 0;
		if (!all && block->place != known)
			good = parts_good(trace->packed, block->place);
		known = block->place;
		if ((good && !all) || block->bad || (!block->place && !block_good(trace, block)))
			continue;
		enum varve_status status = block_read_all(trace, block, rows, &found);
		if (status != VARVE_OK)
			TRY(block_failed(trace, block, status, &found, causes));
	}
	return VARVE_OK;
}

static enum varve_status blocks_check(struct varve_trace *trace, bool all,
				      struct varve_causes *causes)
{
	struct record_rows *rows = malloc(sizeof *rows);
	if (!rows)
		return cause(causes, VARVE_NO_MEMORY, "no memory to look for damage");
	if (trace->packed)
		zones_mend(trace->packed);
	enum varve_status status = check_blocks(trace, all, rows, causes);
	free(rows);
	return status;
}

enum varve_status packed_check(struct varve_trace *trace, struct varve_causes *causes)
{
	uint64_t stored = 0;
	for (size_t i = 0; i < trace->packed->part_count; i++)
		stored += trace->packed->parts[i].stored;
	if (stored > checked_most) {
		trace->unchecked = stored;
		return VARVE_OK;
	}
	return blocks_check(trace, false, causes);
}

enum varve_status trace_check_all(struct varve_trace *trace, struct varve_causes *causes)
{
	trace->unchecked = 0;
	return blocks_check(trace, true, causes);
}
