/* Pack: what was done with each file of a stream, as a track. See stream_packer.h; the sums come from trace/file_totals.h. */
#include "pack/stream_packer.h"

#include "loop/skeleton.h"

#include <string.h>

static enum status put_files(struct stream_packer *packer, struct track_writer *writer, bool second)
{
	struct skeleton skeleton;
	uint8_t key[SKELETON_KEY_MOST + 1];
	uint64_t values[FILE_COLUMNS + 2 * SKELETON_FIELDS_MOST];
	_Static_assert((int)FILE_PATH_MOST < (int)SKELETON_TEXT_MOST, "keys fit");
	_Static_assert((size_t)FILE_COLUMNS + 2 * SKELETON_FIELDS_MOST <= TRACK_COLUMNS_MOST,
		       "columns fit");
	for (size_t i = 0; i < packer->files->known.count; i++) {
		const struct varve_file_total *total = &packer->files->list[i];
		uint32_t symbol;
		skeleton_split(&skeleton, total->path.bytes, total->path.length);
		key[0] = (uint8_t)total->layer;
		memcpy(key + 1, skeleton.key, skeleton.length);
		values[FILE_CALLS] = total->counters.calls;
		values[FILE_FAILURES] = total->counters.failures;
		values[FILE_UNFINISHED] = total->counters.unfinished;
		values[FILE_BYTES] = total->counters.bytes;
		values[FILE_TICKS] = packer->time == PACKED_TIME_NONE ? 0 : total->counters.ns;
		memcpy(values + FILE_COLUMNS, skeleton.values,
		       2 * skeleton.fields * sizeof *skeleton.values);
		TRY(track_symbol(writer, key, (uint32_t)skeleton.length + 1,
				 FILE_COLUMNS + 2 * skeleton.fields, 0, &symbol, packer->causes));
		TRY(second ? track_put(writer, symbol, values, packer->causes)
			   : track_see(writer, symbol, packer->causes));
	}
	return STATUS_OK;
}

enum status packer_files_track(struct stream_packer *packer, struct track *track)
{
	struct track_writer *writer;
	TRY(track_start(&writer, packer->coder, FOLD_WINDOW, packer->causes));
	enum status status = put_files(packer, writer, false);
	if (status == STATUS_OK)
		status = track_fold(writer, packer->causes);
	if (status == STATUS_OK)
		status = put_files(packer, writer, true);
	if (status == STATUS_OK)
		status = track_finish(writer, track, packer->causes);
	track_drop(writer);
	return status;
}
