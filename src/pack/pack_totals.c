/* Pack: what was done with each file of a stream, and how often each region was executed, as tracks. See stream_packer.h; the
 * sums are those of analyze/totals.h. */
#include "pack/stream_packer.h"

#include "loop/skeleton.h"

#include <stdlib.h>
#include <string.h>

enum { FIXED_MOST = TOTAL_SUMS + 1 };

enum varve_status packer_totals_start(struct stream_packer *packer)
{
	packer->totals = calloc(TOTALS, sizeof *packer->totals);
	if (!packer->totals)
		return cause(packer->causes, VARVE_NO_MEMORY, "no memory for a stream");
	for (size_t i = 0; i < TOTALS; i++)
		TRY(totals_start(&packer->totals[i], packer->trace, &totals_kinds[i],
				 packer->causes));
	return VARVE_OK;
}

enum varve_status packer_totals(struct stream_packer *packer, const struct stream *stream)
{
	for (size_t i = 0; i < TOTALS; i++)
		TRY(totals_kinds[i].page(&packer->totals[i], packer->trace, stream->page,
					 stream->selected, stream->selected_count, 1,
					 packer->causes));
	return VARVE_OK;
}

/* A list of totals that becomes a track. */
struct listing {
	const struct totals_kind *kind;
	const struct totals *totals;
	bool timed;
	struct skeleton *skeleton;
};

static enum varve_status put_total(const struct listing *listing, const struct total *total,
				   struct track_list *list)
{
	const struct totals_kind *kind = listing->kind;
	struct skeleton *skeleton = listing->skeleton;
	uint8_t tag[SKELETON_TAG_MOST];
	uint64_t values[FIXED_MOST + 2 * SKELETON_FIELDS_MOST];
	_Static_assert((int)TOTAL_TEXT_MOST < (int)SKELETON_TEXT_MOST, "keys fit");
	_Static_assert((size_t)FIXED_MOST + 2 * SKELETON_FIELDS_MOST <= TRACK_COLUMNS_MOST,
		       "columns fit");
	uint32_t fixed = kind->sums + kind->numbered;
	skeleton_split(skeleton, total->key.text.bytes, total->key.text.length);
	size_t tag_bytes = kind->tag_bytes < sizeof tag ? kind->tag_bytes : sizeof tag;
	for (size_t i = 0; i < tag_bytes; i++)
		tag[i] = (uint8_t)(total->key.tag >> 8 * i);
	skeleton_tag(skeleton, tag, tag_bytes);
	for (unsigned i = 0; i < kind->sums; i++)
		values[i] = listing->timed || !(kind->ticks >> i & 1) ? total->sums[i] : 0;
	values[kind->sums] = total->key.number;
	memcpy(values + fixed, skeleton->values, 2 * skeleton->fields * sizeof *skeleton->values);
	return track_list_put(list, skeleton->key, (uint32_t)skeleton->length, values,
			      fixed + 2 * skeleton->fields);
}

static enum varve_status put_totals(const void *context, struct track_list *list)
{
	const struct listing *listing = context;
	for (size_t i = 0; i < listing->totals->known.count; i++)
		TRY(put_total(listing, &listing->totals->list[i], list));
	return VARVE_OK;
}

enum varve_status packer_totals_tracks(struct stream_packer *packer, struct track *tracks)
{
	enum varve_status status = VARVE_OK;
	struct skeleton *skeleton = malloc(sizeof *skeleton);
	if (!skeleton)
		return cause(packer->causes, VARVE_NO_MEMORY, "no memory for a stream");
	for (size_t i = 0; status == VARVE_OK && i < TOTALS; i++) {
		struct listing listing = {.kind = &totals_kinds[i],
					  .totals = &packer->totals[i],
					  .timed = packer->time != PACKED_TIME_NONE,
					  .skeleton = skeleton};
		status = track_of_list(packer->coder, put_totals, &listing,
				       &tracks[totals_kinds[i].track], packer->causes);
	}
	free(skeleton);
	return status;
}

void packer_totals_clear(struct stream_packer *packer)
{
	for (size_t i = 0; packer->totals && i < TOTALS; i++)
		totals_clear(&packer->totals[i]);
	free(packer->totals);
}
