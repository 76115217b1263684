/* Pack: places the parts of all streams: the file, the position in its data, the order.
 *
 * The parts that the whole of a stream depends on come first, then each part at the first chunk that needs it, so a truncated
 * file still has all parts of the chunks before the cut. Positions are computed before the first part is written, because their
 * list precedes the data.
 */
#include "pack/placing.h"

#include "base/host/list.h"
#include "loop/class.h"
#include "packed/guard.h"

#include <stdlib.h>

/* Pointers to the parts of a stream, in the order of their list. */
struct part_list {
	struct values_part **parts;
	size_t count, room;
	size_t first; /* number of parts of chunks and summaries at the beginning */
	bool failed;
};

static void part_list_add(struct part_list *list, struct values_part *parts, size_t count)
{
	list->failed |= list_room(&list->parts, list->count, &list->room, count,
				  sizeof(struct values_part *)) != VARVE_OK;
	for (size_t i = 0; i < count && !list->failed; i++)
		list->parts[list->count++] = &parts[i];
}

static void list_values(void *context, const struct values *values)
{
	part_list_add(context, values->parts, values->part_count);
}

/* Collects the parts in the order in which they are listed. */
static bool list_stream(struct packed_stream *stream, struct part_list *list)
{
	list->count = 0;
	for (size_t k = 0; k < PACKED_TRACKS; k++) {
		if (k == PACKED_TIMES_PLACE) {
			list->first = list->count;
			part_list_add(list, stream->times, stream->time_count);
		}
		track_parts(&stream->tracks[packed_part_order[k]], list_values, list);
	}
	return !list->failed;
}

static int compare_keyed(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void keyed_sort(struct keyed *list, size_t count)
{
	if (count)
		qsort(list, count, sizeof *list, compare_keyed);
}

/* Sorts all parts but the first ones by their places. */
static bool list_order(struct part_list *list)
{
	size_t count = list->count - list->first;
	struct values_part **parts = list->parts + list->first;
	struct keyed *order = reallocarray(NULL, count + 1, sizeof *order);
	struct values_part **was = reallocarray(NULL, count + 1, sizeof(struct values_part *));
	for (size_t i = 0; order && was && i < count; i++) {
		order[i] = (struct keyed){parts[i]->place, i};
		was[i] = parts[i];
	}
	if (order && was)
		keyed_sort(order, count);
	for (size_t i = 0; order && was && i < count; i++)
		parts[i] = was[order[i].at];
	bool good = order && was;
	free(order);
	free(was);
	return good;
}

/* Calls `visit` for each part of a file, in the order in which they are written. */
struct visiting {
	struct placing *placing;
	enum varve_status (*visit)(struct visiting *visiting, struct values_part *part,
				   struct spool *spool);
	uint64_t begin, end; /* of the block, in the data */
	bool open;	     /* for placing: a block is being filled */
	size_t block;	     /* for writing: the next block, and the one that is being filled */
	struct packed_file *file;
	uint8_t *bytes;
};

static enum varve_status visit_stream(struct visiting *visiting, struct packed_stream *stream,
				      struct part_list *list, bool lists)
{
	if (!list_stream(stream, list) || (!lists && !list_order(list)))
		return cause(visiting->placing->causes, VARVE_NO_MEMORY,
			     "no memory for the list of parts");
	for (size_t i = lists ? 0 : list->first; i < (lists ? list->first : list->count); i++)
		TRY(visiting->visit(visiting, list->parts[i], stream->spool));
	return VARVE_OK;
}

static struct packed_stream *stream_at(const struct placing *placing, size_t at)
{
	return &placing->streams[placing->order[at]];
}

static enum varve_status visit_file(struct visiting *visiting, size_t file)
{
	struct placing *placing = visiting->placing;
	struct part_list list = {0};
	enum varve_status status = VARVE_OK;
	size_t first = 0;
	for (size_t i = 0; i < file; i++)
		first += placing->shares[i];
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; status == VARVE_OK && i < placing->shares[file]; i++)
			status = visit_stream(visiting, stream_at(placing, first + i), &list,
					      pass == 0);
	free(list.parts);
	return status;
}

/* Distributes streams over files: each file gets a range of their order, never empty, with about the same number of bytes.
 * Depends only on the parts. */
static enum varve_status streams_share(struct placing *placing)
{
	size_t files = placing->target.count;
	uint64_t total = 0, *bytes = calloc(placing->count + 1, sizeof *bytes);
	struct part_list list = {0};
	bool good = bytes != NULL;
	for (size_t i = 0; good && i < placing->count; i++) {
		good = list_stream(stream_at(placing, i), &list);
		for (size_t k = 0; k < list.count; k++)
			bytes[i] += list.parts[k]->stored;
		total += bytes[i];
	}
	free(list.parts);
	uint64_t done = 0;
	for (size_t file = 0, at = 0; good && file < files; file++) {
		size_t first = at, others = files - 1 - file;
		for (; at < placing->count - others; at++) {
			uint64_t middle = done + bytes[at] / 2;
			if (at > first && others && middle > total / files * (file + 1))
				break;
			done += bytes[at];
		}
		placing->shares[file] = at - first;
	}
	free(bytes);
	return good ? VARVE_OK
		    : cause(placing->causes, VARVE_NO_MEMORY, "no memory for %zu streams",
			    placing->count);
}

/* Ends the block, and leaves space for its guard. */
static enum varve_status data_block_end(struct visiting *visiting)
{
	struct placing *placing = visiting->placing;
	uint64_t length = visiting->end - visiting->begin;
	if (!visiting->open)
		return VARVE_OK;
	length = (length + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
	uint64_t *blocks =
		reallocarray(placing->blocks, visiting->block + 1, sizeof *placing->blocks);
	if (!blocks)
		return cause(placing->causes, VARVE_NO_MEMORY, "no memory for a list of blocks");
	placing->blocks = blocks;
	blocks[visiting->block++] = length;
	visiting->end = visiting->begin + length + block_plain_size(guard_size(length));
	visiting->open = false;
	return VARVE_OK;
}

static enum varve_status part_place(struct visiting *visiting, struct values_part *part,
				    struct spool *spool)
{
	(void)spool;
	if (visiting->open && visiting->end - visiting->begin > DATA_BLOCK)
		TRY(data_block_end(visiting));
	if (!visiting->open) {
		visiting->begin = visiting->end;
		visiting->end += sizeof(struct block_header);
		visiting->open = true;
	}
	part->place = visiting->end;
	visiting->end += part->stored;
	return VARVE_OK;
}

enum varve_status parts_place(struct placing *placing)
{
	struct visiting visiting = {.placing = placing, .visit = part_place};
	TRY(streams_share(placing));
	for (size_t i = 0; i < placing->target.count; i++) {
		size_t first = visiting.block;
		visiting.begin = visiting.end = 0;
		TRY(visit_file(&visiting, i));
		TRY(data_block_end(&visiting));
		placing->block_counts[i] = visiting.block - first;
	}
	return VARVE_OK;
}

/* Writes the number of parts of chunks and summaries and the number of others; then for each part its place minus the end of
 * the previous one of its sort, and its length. */
static void put_stream_parts(const struct part_list *list, uint64_t end[2], struct bytes *bytes)
{
	bytes_number(bytes, list->first);
	bytes_number(bytes, list->count - list->first);
	for (size_t i = 0; i < list->count; i++) {
		const struct values_part *part = list->parts[i];
		uint64_t *last = &end[i >= list->first];
		bytes_number(bytes, zigzag((int64_t)(part->place - *last)));
		bytes_number(bytes, part->stored);
		*last = part->place + part->stored;
	}
}

void parts_list(struct placing *placing, struct bytes *bytes)
{
	struct part_list list = {0};
	struct bytes checks = {0};
	const uint64_t *block = placing->blocks;
	for (size_t file = 0; file < placing->target.count; file++) {
		bytes_number(bytes, placing->block_counts[file]);
		for (size_t i = 0; i < placing->block_counts[file]; i++)
			bytes_number(bytes, *block++);
	}
	for (size_t file = 0, at = 0; file < placing->target.count; file++) {
		uint64_t end[2] = {0};
		for (size_t i = 0; i < placing->shares[file]; i++) {
			if (!list_stream(stream_at(placing, at++), &list))
				break;
			put_stream_parts(&list, end, bytes);
			for (size_t k = 0; k < list.count; k++)
				bytes_put(&checks, &list.parts[k]->check,
					  sizeof list.parts[k]->check);
		}
	}
	bytes_put(bytes, checks.at, checks.length);
	bytes->failed |= checks.failed || list.failed;
	bytes_clear(&checks);
	free(list.parts);
}

/* Writes the block that was filled. */
static enum varve_status block_flush(struct visiting *visiting)
{
	if (!visiting->bytes)
		return VARVE_OK;
	uint64_t length = visiting->end - visiting->begin;
	enum varve_status status = packed_file_data(visiting->file, visiting->bytes, (size_t)length,
						    visiting->placing->causes);
	free(visiting->bytes);
	visiting->bytes = NULL;
	visiting->begin = visiting->end + block_plain_size(guard_size(length));
	return status;
}

static enum varve_status part_write(struct visiting *visiting, struct values_part *part,
				    struct spool *spool)
{
	struct placing *placing = visiting->placing;
	if (visiting->bytes && part->place >= visiting->end)
		TRY(block_flush(visiting));
	if (!visiting->bytes) {
		uint64_t length = placing->blocks[visiting->block++];
		visiting->end = visiting->begin + length;
		visiting->bytes = calloc(1, (size_t)length);
		if (!visiting->bytes)
			return cause(placing->causes, VARVE_NO_MEMORY,
				     "no memory for a block of data");
	}
	return spool_get(spool, part->offset, visiting->bytes + (part->place - visiting->begin),
			 part->stored, placing->causes);
}

enum varve_status parts_write(struct placing *placing, size_t file)
{
	struct visiting visiting = {
		.placing = placing, .visit = part_write, .file = &placing->target.files[file]};
	for (size_t i = 0; i < file; i++)
		visiting.block += placing->block_counts[i];
	enum varve_status status = visit_file(&visiting, file);
	if (status == VARVE_OK)
		status = block_flush(&visiting);
	free(visiting.bytes);
	return status;
}
