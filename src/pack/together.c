/* Pack: one trace by several processes, on one host or many. See pack.h.
 *
 * Each packs its share of the streams into a part: a packed trace of these alone. Parts are merged in pairs, in as many rounds as
 * the number of processes has bits; the last is the packed trace. Processes meet in a folder beside the target that all of them
 * see: a part is there when it has its name. Whoever fails says so there, and the others end.
 */
#include "pack/together.h"

#include "pack/packed_write.h"
#include "trace/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 20000000 };

/* A part that was opened to be merged. */
struct part {
	struct varve_trace *trace;
	struct spool spool; /* the file itself, to be copied from */
};

/* The part of a process after so many rounds. */
static void part_path(const struct pack_settings *settings, unsigned rank, unsigned rounds,
		      char path[4096])
{
	snprintf(path, 4096, "%s/part.%u.%u", settings->together->folder, rank, rounds);
}

static enum status part_open(struct part *part, const char *path, struct varve_causes *causes)
{
	*part = (struct part){.spool = {.fd = open(path, O_RDONLY | O_CLOEXEC)}};
	if (part->spool.fd < 0)
		return cause(causes, STATUS_SYSTEM, "cannot open %s: %s", path, strerror(errno));
	TRY(trace_open(path, 0, &part->trace, causes));
	part->spool.written = part->trace->size;
	return part->trace->packed
		       ? STATUS_OK
		       : cause(causes, STATUS_DAMAGED, "%s is not a packed trace", path);
}

static void part_close(struct part *part)
{
	trace_close(part->trace);
	if (part->spool.fd >= 0)
		close(part->spool.fd);
}

static int compare_streams(const void *left, const void *right)
{
	const struct varve_stream *a = left, *b = right;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* The same stream of another trace of the same run; NULL: it is not there. */
static const struct varve_stream *stream_of(const struct varve_trace *trace,
					    const struct varve_stream *stream)
{
	return bsearch(stream, trace->streams, trace->stream_count, sizeof *stream,
		       compare_streams);
}

/* Calls of a stream, from the summaries of its chunks. */
static uint64_t calls_of(const struct varve_trace *trace, const struct varve_stream *stream)
{
	uint64_t calls = 0;
	for (size_t i = 0; i < stream->count; i++) {
		const struct trace_block *block = &trace->blocks[stream->first + i];
		for (uint32_t k = 0; k < block->header.summaries; k++)
			calls += block_summary_at(block->bytes, &block->header, k).calls;
	}
	return calls;
}

/* The name of a file of the trace, which stays when the part is closed. */
static const char *file_of(const struct varve_trace *trace, const char *name)
{
	for (size_t i = 0; i < trace->node_count; i++) {
		const struct trace_node *node = &trace->nodes[i];
		const char *const names[] = {node->data_name, node->index_name, node->lanes_name};
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (!strcmp(names[k], name))
				return names[k];
	}
	return trace->nodes->data_name;
}

/* What the others found damaged. */
static void damages_take(struct varve_trace *trace, const struct varve_trace *from)
{
	for (size_t i = 0; i < from->damage_count; i++) {
		const struct varve_damage *damage = &from->damage[i];
		bool known = false;
		for (size_t k = 0; !known && k < trace->damage_count; k++)
			known = trace->damage[k].offset == damage->offset &&
				!strcmp(trace->damage[k].file, damage->file) &&
				!strcmp(trace->damage[k].why, damage->why);
		if (!known)
			trace_report(trace, file_of(trace, damage->file), damage->offset,
				     damage->length, "%s", damage->why);
	}
}

/* Takes the streams that a part holds; their memory is the part's. */
static enum status part_take(struct part *part, struct varve_trace *trace,
			     struct packed_stream *streams, struct varve_causes *causes)
{
	const struct varve_trace *from = part->trace;
	struct packed *packed = from->packed;
	damages_take(trace, from);
	for (size_t i = 0; i < from->stream_count; i++) {
		const struct varve_stream *known = stream_of(trace, &from->streams[i]);
		const struct packed_place *place = from->blocks[from->streams[i].first].place;
		if (!known)
			continue;
		struct packed_stream *stream = &streams[known - trace->streams];
		*stream = (struct packed_stream){.spool = &part->spool, .borrowed = true};
		TRY(packed_tracks(packed, place, stream->tracks, causes));
		stream->records = calls_of(from, &from->streams[i]);
		stream->times = packed->parts + place->first_time;
		stream->time_count = place->chunks[place->chunk_count].time_part;
	}
	return STATUS_OK;
}

/* A round: the part of this process and that of another become one, in the last round the packed trace. */
static enum status merge(struct varve_trace *trace, const struct pack_settings *settings,
			 unsigned other, unsigned round, bool last, struct pack_result *result,
			 struct varve_causes *causes)
{
	char paths[2][4096], merged[4096];
	struct part parts[2] = {{.spool = {.fd = -1}}, {.spool = {.fd = -1}}};
	struct packed_stream *streams = calloc(trace->stream_count + 1, sizeof *streams);
	enum status status =
		streams ? STATUS_OK : cause(causes, STATUS_NO_MEMORY, "no memory to merge parts");
	part_path(settings, settings->together->rank, round, paths[0]);
	part_path(settings, other, round, paths[1]);
	part_path(settings, settings->together->rank, round + 1, merged);
	for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
		status = part_open(&parts[i], paths[i], causes);
		if (status == STATUS_OK)
			status = part_take(&parts[i], trace, streams, causes);
	}
	struct pack_settings to = *settings;
	if (!last) {
		to.target = merged;
		to.files = 1;
		to.part = true;
	}
	to.verify = last && settings->verify;
	if (status == STATUS_OK)
		status = packed_write(trace, streams, &to, result, causes);
	for (size_t i = 0; streams && i < trace->stream_count; i++)
		packed_stream_clear(&streams[i]);
	free(streams);
	part_close(&parts[0]);
	part_close(&parts[1]);
	for (size_t i = 0; status == STATUS_OK && i < 2; i++)
		unlink(paths[i]);
	return status;
}

static void failure_path(const struct pack_settings *settings, char path[4096])
{
	snprintf(path, 4096, "%s/failed", settings->together->folder);
}

/* Until the part of another is there. */
static enum status wait_for(const struct pack_settings *settings, unsigned rank, unsigned round,
			    struct varve_causes *causes)
{
	char path[4096], failure[4096];
	part_path(settings, rank, round, path);
	failure_path(settings, failure);
	for (;;) {
		if (!access(path, F_OK))
			return STATUS_OK;
		if (!access(failure, F_OK))
			return cause(causes, STATUS_SYSTEM,
				     "another process that packs %s with this one has failed",
				     settings->source);
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
}

/* Says to the others that there will be nothing to wait for. */
static void fail(const struct pack_settings *settings)
{
	char path[4096];
	failure_path(settings, path);
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
}

static enum status meet(struct varve_trace *trace, struct packed_stream *streams,
			const struct pack_settings *settings, struct pack_result *result,
			struct varve_causes *causes)
{
	const struct pack_together *together = settings->together;
	struct pack_settings own = *settings;
	char path[4096];
	part_path(settings, together->rank, 0, path);
	own.target = path;
	own.part = true;
	own.verify = false;
	own.files = 1;
	TRY(packed_write(trace, streams, &own, result, causes));
	for (unsigned round = 0, step = 1; step < together->size; step *= 2, round++) {
		if (together->rank % (2 * step))
			return STATUS_OK; /* somebody else goes on with it */
		unsigned other = together->rank + step;
		bool last = 2 * step >= together->size;
		if (other < together->size) {
			TRY(wait_for(settings, other, round, causes));
			TRY(merge(trace, settings, other, round, last, result, causes));
		} else {
			char next[4096];
			part_path(settings, together->rank, round, path);
			part_path(settings, together->rank, round + 1, next);
			if (rename(path, next))
				return cause(causes, STATUS_SYSTEM, "cannot rename %s: %s", path,
					     strerror(errno));
		}
	}
	rmdir(together->folder);
	return STATUS_OK;
}

enum status together_write(struct varve_trace *trace, struct packed_stream *streams,
			   const struct pack_settings *settings, struct pack_result *result,
			   struct varve_causes *causes)
{
	if (mkdir(settings->together->folder, 0777) && errno != EEXIST)
		return cause(causes, STATUS_SYSTEM, "cannot make %s: %s",
			     settings->together->folder, strerror(errno));
	enum status status = meet(trace, streams, settings, result, causes);
	if (status != STATUS_OK)
		fail(settings);
	return status;
}
