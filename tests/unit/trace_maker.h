/* Tests: a trace folder that is made here, block by block, with the code of a run: run_create(), encode_lane(), data_append(),
 * collect_finish(). */
#ifndef TESTS_UNIT_TRACE_MAKER_H
#define TESTS_UNIT_TRACE_MAKER_H

#include "sink/collect.h"
#include "sink/data.h"
#include "sink/run/run.h"
#include "trace/cursor/cursor.h"
#include "unit/harness.h"
#include "unit/lane_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct made_trace {
	char folder[64];
	char path[80];
	struct run run;
	struct data_file data;
};

static inline bool made_start(struct made_trace *made)
{
	struct varve_causes causes = {0};
	strcpy(made->folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/varve-unit-XXXXXX"
							   : "/tmp/varve-unit-XXXXXX");
	if (!CHECK(mkdtemp(made->folder) != NULL))
		return false;
	snprintf(made->path, sizeof made->path, "%s/t.varve", made->folder);
	struct run_settings settings = {.trace = made->path,
					.lane_folder = made->folder,
					.library = "/none",
					.clock_kind = CLOCK_KIND_MONOTONIC};
	return CHECK_EQ(run_create(&settings, &made->run, &causes), VARVE_OK) &&
	       CHECK_EQ(data_open(made->path, made->run.control, &made->data), VARVE_OK);
}

/* An empty lane of stream `process`.`thread` for block `sequence`, with this many bytes. */
static inline struct written made_lane_of(const struct made_trace *made, size_t room,
					  uint32_t process, uint32_t thread, uint64_t sequence,
					  uint64_t first_ordinal)
{
	struct written written = written_start(LANE_HEADER + room, sequence, 100);
	struct lane *lane = written.lane;
	memcpy(lane->run_id, made->run.control->run_id, sizeof lane->run_id);
	lane->process = process;
	lane->thread = thread;
	lane->generation = sequence;
	lane->first_ordinal = written.fresh = first_ordinal;
	lane->start_monotonic = 0;
	written.now = sequence * 1000000;
	lane->begin = (struct lane_clock){written.now, (int64_t)written.now};
	return written;
}

static inline struct written made_lane(const struct made_trace *made, uint32_t process,
				       uint32_t thread, uint64_t sequence, uint64_t first_ordinal)
{
	return made_lane_of(made, 8192, process, thread, sequence, first_ordinal);
}

/* Appends the lane's block and frees the lane. */
static inline bool made_append(struct made_trace *made, struct written *written)
{
	struct encoded encoded;
	uint8_t *block = written_encode(written, CODEC_COLUMNS, &encoded);
	bool done = CHECK(block != NULL) && CHECK_EQ(data_append(&made->data, made->run.control,
								 NULL, block, encoded.length),
						     VARVE_OK);
	free(block);
	written_clear(written);
	return done;
}

/* One call of pwrite in the lane: the word `offset` distinguishes it from others. */
static inline void made_call(struct written *written, uint8_t marks, uint64_t ordinal,
			     uint64_t offset, uint64_t entry, uint64_t exit)
{
	struct record record = {.function = 0x0123,
				.marks = marks,
				.ordinal = ordinal,
				.result = (int64_t)offset + 1,
				.words = 3,
				.word = {3, 8, offset}};
	CHECK(written_call(written, &record, entry, exit));
	written->now = exit > written->now ? exit : written->now;
}

/* The same on handle 9, which the lane must define. `exit` 0: it has not returned. */
static inline void made_handle_call(struct written *written, uint8_t marks, uint64_t ordinal,
				    uint64_t offset, uint64_t entry, uint64_t exit)
{
	struct record record = {.function = 0x0123,
				.marks = marks,
				.ordinal = ordinal,
				.result = exit ? 8 : 0,
				.words = 3,
				.word = {pair_make(3, 9), 8, offset}};
	CHECK(written_call(written, &record, entry, exit));
	written->now = exit > written->now ? exit : written->now;
}

static inline void made_finish(struct made_trace *made)
{
	struct collected collected;
	struct varve_causes causes = {0};
	if (!CHECK_EQ(collect_finish(&made->run, RUN_EXITED, 0, &collected, &causes), VARVE_OK))
		printf("# %s\n", causes.text[0]);
}

static inline void made_clear(struct made_trace *made)
{
	char name[128];
	data_close(&made->data);
	run_remove_lanes(&made->run);
	run_detach(&made->run);
	static const char *const files[] = {"data.0", "index", "lanes"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(name, sizeof name, "%s/%s", made->path, files[i]);
		unlink(name);
	}
	rmdir(made->path);
	rmdir(made->folder);
}

/* A call as it was recorded: times are ticks. */
static inline void made_record(const struct varve_trace *trace, const struct varve_call *call,
			       struct record *record)
{
	int64_t resolution = trace->blocks[0].header.resolution;
	*record = (struct record){.function = call->function_id,
				  .depth = call->depth,
				  .marks = call->marks,
				  .error = call->error,
				  .ordinal = call->ordinal,
				  .entry = call->start / resolution,
				  .exit = call->end / resolution,
				  .result = call->result,
				  .words = call->word_count};
	memcpy(record->word, call->words, call->word_count * sizeof *call->words);
}

/* All calls of a trace, in stream order; the count, or -1. */
static inline long made_read(const char *path, unsigned flags, struct record *records, size_t most,
			     size_t *damages)
{
	struct varve_trace *trace;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	struct varve_causes causes = {0};
	struct trace_filter all = TRACE_FILTER_ALL;
	if (trace_open(path, flags, &trace, &causes) != VARVE_OK)
		return -1;
	long count = 0;
	enum varve_status status = cursor_open(trace, &all, VARVE_ORDER_STREAM,
					       VARVE_COLUMNS_ALL & ~VARVE_FILES, &cursor, &causes);
	while (status == VARVE_OK && (status = cursor_next(cursor, &call, &causes)) == VARVE_OK) {
		if ((size_t)count < most)
			made_record(trace, call, &records[count]);
		count++;
	}
	CHECK_EQ(status, VARVE_END);
	*damages = trace->damage_count;
	cursor_close(cursor);
	trace_close(trace);
	return count;
}

#endif
