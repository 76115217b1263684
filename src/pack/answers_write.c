/* Pack: answers questions about the whole trace while it is packed. See packed_write.h; the layout is in docs/format.md.
 *
 * Without the answers, `varve info` would have to read a part of each stream, of which there may be thousands, and each of
 * possibly a million mappings and names. Here the source is read once.
 */
#include "pack/packed_write.h"

#include "analyze/objects.h"
#include "analyze/summary.h"
#include "trace/processes/tree.h"

#include <string.h>

/* A single stream with fewer records can be read as fast. */
enum { RECORDS_WORTH = 10000 };

static bool worth_asking(const struct varve_trace *trace)
{
	uint64_t records = 0;
	for (size_t i = 0; i < trace->block_count && records < RECORDS_WORTH; i++)
		records += trace->blocks[i].header.records;
	return trace->stream_count > 1 || records >= RECORDS_WORTH;
}

static void put_processes(const struct varve_trace *trace, struct bytes *bytes)
{
	bytes_number(bytes, trace->process_count);
	for (size_t i = 0; i < trace->process_count; i++) {
		const struct varve_process *process = &trace->processes[i];
		bytes_text(bytes, process->strings, process->strings ? process->length - 1 : 0);
	}
}

static void put_tree(const struct varve_tree *tree, struct bytes *bytes)
{
	bytes_number(bytes, tree->count);
	for (size_t i = 0; i < tree->count; i++) {
		const struct varve_tree_process *process = &tree->processes[i];
		bytes_number(bytes, process->above == TREE_NONE ? 0 : process->above + 1);
		bytes_number(bytes, process->began);
		bytes_number(bytes, process->ended);
		bytes_number(bytes, zigzag(process->status));
		bytes_number(bytes, (unsigned)process->core | (unsigned)process->said << 1 |
					    (unsigned)process->unseen_end << 2);
		bytes_number(bytes, process->records);
	}
	bytes_number(bytes, tree->untraced_count);
	for (size_t i = 0; i < tree->untraced_count; i++) {
		const struct varve_untraced *untraced = &tree->untraced[i];
		bytes_number(bytes, untraced->path != NULL);
		if (untraced->path)
			bytes_text(bytes, untraced->path, strlen(untraced->path));
		bytes_number(bytes, untraced->why);
		bytes_number(bytes, untraced->count);
		bytes_number(bytes, untraced->process);
	}
	bytes_number(bytes, tree->untraced_more);
	bytes_number(bytes, tree->unstarted);
	bytes_number(bytes, tree->vanished);
}

static void put_objects(const struct varve_objects *objects, struct bytes *bytes)
{
	bytes_number(bytes, objects->count);
	for (size_t i = 0; i < objects->count; i++) {
		bytes_text(bytes, objects->objects[i].path, strlen(objects->objects[i].path));
		bytes_number(bytes, objects->objects[i].name_space);
		bytes_number(bytes, objects->objects[i].program);
	}
	bytes_number(bytes, objects->library_count);
	for (size_t i = 0; i < objects->library_count; i++) {
		const struct varve_library *library = &objects->libraries[i];
		bytes_text(bytes, library->path.bytes, library->path.length);
		bytes_text(bytes, library->function.bytes, library->function.length);
		bytes_number(bytes, library->processes);
	}
	bytes_number(bytes, objects->library_more);
	bytes_number(bytes, objects->mappings);
	bytes_number(bytes, objects->mapping_bytes);
	bytes_number(bytes, objects->rings);
	bytes_number(bytes, objects->ring_requests);
	bytes_number(bytes, objects->deep_loads);
}

static enum varve_status answers_ask(struct varve_trace *trace, struct bytes answers[ANSWERS],
				     struct varve_causes *causes)
{
	struct varve_tree tree;
	struct varve_objects objects;
	struct varve_summary summary;
	put_processes(trace, &answers[ANSWER_PROCESSES]);
	TRY(tree_make(trace, true, &tree, causes));
	put_tree(&tree, &answers[ANSWER_TREE]);
	tree_clear(&tree);
	TRY(trace_objects_find(trace, &objects, causes));
	put_objects(&objects, &answers[ANSWER_OBJECTS]);
	trace_objects_clear(&objects);
	TRY(summary_make(trace, NULL, true, &summary, causes));
	bytes_number(&answers[ANSWER_PATHS], summary.paths);
	summary_clear(&summary);
	return VARVE_OK;
}

enum varve_status answers_write(struct varve_trace *trace, struct bytes *bytes,
				struct varve_causes *causes)
{
	struct bytes answers[ANSWERS] = {0};
	/* The answers change while processes are running. */
	if (trace->alive_processes || !worth_asking(trace))
		return VARVE_OK;
	enum varve_status status = answers_ask(trace, answers, causes);
	for (size_t i = 0; i < ANSWERS; i++) {
		if (status == VARVE_OK)
			bytes_text(bytes, answers[i].at, answers[i].length);
		bytes->failed |= answers[i].failed;
		bytes_clear(&answers[i]);
	}
	return status;
}
