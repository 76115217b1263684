/* Loop: makes a track of a list in memory. The list is read twice, as for every track. See track.h. */
#include "loop/track.h"

struct track_list {
	struct track_writer *writer;
	bool second;
	struct varve_causes *causes;
};

enum varve_status track_list_put(struct track_list *list, const uint8_t *key, uint32_t length,
				 const uint64_t *values, uint32_t columns)
{
	uint32_t symbol;
	TRY(track_symbol(list->writer, key, length, columns, 0, &symbol, list->causes));
	return list->second ? track_put(list->writer, symbol, values, list->causes)
			    : track_see(list->writer, symbol, list->causes);
}

enum varve_status track_of_list(struct values_coder *coder, track_lister *put_all,
				const void *context, struct track *track,
				struct varve_causes *causes)
{
	struct track_list list = {.causes = causes};
	TRY(track_start(&list.writer, coder, FOLD_WINDOW, causes));
	enum varve_status status = put_all(context, &list);
	if (status == VARVE_OK)
		status = track_fold(list.writer, causes);
	list.second = true;
	if (status == VARVE_OK)
		status = put_all(context, &list);
	if (status == VARVE_OK)
		status = track_finish(list.writer, track, causes);
	track_drop(list.writer);
	return status;
}
