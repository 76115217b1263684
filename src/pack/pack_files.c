/* Pack: what was done with each file of a stream, as a track. See stream_packer.h; the sums come from trace/file_totals.h. */
#include "pack/stream_packer.h"

#include "loop/skeleton.h"

#include <string.h>

static enum status put_files(const void *context, struct track_list *list)
{
	const struct stream_packer *packer = context;
	struct skeleton skeleton;
	uint8_t key[SKELETON_KEY_MOST + 1];
	uint64_t values[FILE_COLUMNS + 2 * SKELETON_FIELDS_MOST];
	_Static_assert((int)FILE_PATH_MOST < (int)SKELETON_TEXT_MOST, "keys fit");
	_Static_assert((size_t)FILE_COLUMNS + 2 * SKELETON_FIELDS_MOST <= TRACK_COLUMNS_MOST,
		       "columns fit");
	for (size_t i = 0; i < packer->files->known.count; i++) {
		const struct varve_file_total *total = &packer->files->list[i];
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
		TRY(track_list_put(list, key, (uint32_t)skeleton.length + 1, values,
				   FILE_COLUMNS + 2 * skeleton.fields));
	}
	return STATUS_OK;
}

enum status packer_files_track(struct stream_packer *packer, struct track *track)
{
	return track_of_list(packer->coder, put_files, packer, track, packer->causes);
}
