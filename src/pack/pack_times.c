/* Pack: times as histograms: for each place in the tree the distribution of gaps and durations. See stream_packer.h.
 *
 * A gap begins at the end of the previous record, like times in a block. Memory and size depend on the number of places, not on
 * the number of records.
 */
#include "pack/stream_packer.h"

#include <stdlib.h>
#include <string.h>

static enum varve_status histograms_no_memory(struct stream_packer *packer)
{
	return cause(packer->causes, VARVE_NO_MEMORY, "no memory for the histograms of a stream");
}

enum varve_status packer_histograms_start(struct stream_packer *packer)
{
	for (unsigned i = 0; i < 2; i++) {
		size_t groups = track_groups(packer->tracks[i ? PACKED_RUNTIME : PACKED_CALLS]);
		packer->histograms[i] = calloc(groups + 1, sizeof *packer->histograms[i]);
		packer->histogram_count[i] = groups;
		if (!packer->histograms[i])
			return histograms_no_memory(packer);
	}
	return VARVE_OK;
}

/* 0 for 0, else the position of the highest bit plus 1; bins of negative numbers follow all others. */
static unsigned bin_of(int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned bin = size ? 64 - (unsigned)__builtin_clzll(size) : 0;
	return value < 0 ? HISTOGRAM_NEGATIVE + bin : bin;
}

static void histogram_add(struct time_histogram *histogram, int64_t value)
{
	double before = (double)value - histogram->mean;
	if (!histogram->count || value < histogram->least)
		histogram->least = value;
	if (!histogram->count || value > histogram->most)
		histogram->most = value;
	histogram->count++;
	histogram->mean += before / (double)histogram->count;
	histogram->squares += before * ((double)value - histogram->mean);
	histogram->bins[bin_of(value)]++;
}

void packer_histogram(struct stream_packer *packer, bool runtime_track)
{
	const struct page_events *events = packer->events[runtime_track];
	const struct page_times *times = packer->page_times;
	for (size_t i = 0; i < events->count; i++) {
		struct time_histogram *pair = packer->histograms[runtime_track][events->group[i]];
		size_t row = events->row[i];
		histogram_add(&pair[0], times->gap[row]);
		histogram_add(&pair[1], times->duration[row]);
	}
}

static uint64_t double_bits(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

/* Puts one event for the whole, and one for each bin that is not empty. */
static enum varve_status histogram_put(struct track_list *list,
				       const struct time_histogram *histogram, uint8_t quantity)
{
	const uint8_t head[1] = {quantity}, bin[1] = {HISTOGRAM_BIN};
	uint64_t bins = 0;
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
		bins += histogram->bins[i] != 0;
	const uint64_t values[HISTOGRAM_COLUMNS] = {
		histogram->count,
		(uint64_t)histogram->least,
		(uint64_t)histogram->most,
		double_bits(histogram->mean),
		double_bits(histogram->count ? histogram->squares / (double)histogram->count : 0),
		bins,
	};
	TRY(track_list_put(list, head, 1, values, HISTOGRAM_COLUMNS));
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		const uint64_t one[] = {i, histogram->bins[i]};
		if (histogram->bins[i])
			TRY(track_list_put(list, bin, 1, one, 2));
	}
	return VARVE_OK;
}

static enum varve_status histograms_put(const void *context, struct track_list *list)
{
	const struct stream_packer *packer = context;
	for (unsigned i = 0; i < 2; i++)
		for (size_t group = 0; group < packer->histogram_count[i]; group++)
			for (uint8_t quantity = 0; quantity < 2; quantity++)
				TRY(histogram_put(list, &packer->histograms[i][group][quantity],
						  quantity));
	return VARVE_OK;
}

enum varve_status packer_histograms_track(struct stream_packer *packer, struct track *track)
{
	return track_of_list(packer->coder, histograms_put, packer, track, packer->causes);
}
