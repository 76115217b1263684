/* Pack: packs the streams of a trace in several threads and writes them in a fixed order. See pack.h.
 *
 * Each worker has its own reader and takes one stream after the other; parts of columns go to its spool. When all are done, one
 * thread writes the file in the order of ranks, so the bytes do not depend on how the threads shared the work.
 */
#include "pack/pack.h"

#include "analyze/summary.h"
#include "pack/packed_write.h"
#include "trace/packed/packed.h"
#include "trace/trace.h"
#include "trace/trace_inside.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MOST = 64, WORTH = 1 << 19 };

struct worker {
	struct packing *packing;
	pthread_t thread;
	bool started;
	struct varve_trace *trace;
	size_t known_damages; /* when it was opened */
	uint64_t known_more;
	struct spool spool;
	struct values_coder coder;
	enum varve_status status;
	struct varve_causes causes;
};

struct packing {
	const struct pack_settings *settings;
	struct varve_trace *trace;
	char folder[4096]; /* of the spools */
	struct packed_stream *streams;
	atomic_size_t next;
	atomic_uint_fast64_t records;
	atomic_bool stop;
	struct worker workers[WORKERS_MOST];
	unsigned worker_count;
};

static void work_on(struct worker *worker)
{
	struct packing *packing = worker->packing;
	struct varve_trace *trace = worker->trace;
	for (;;) {
		size_t at = atomic_fetch_add(&packing->next, 1);
		if (at >= trace->stream_count || atomic_load(&packing->stop) ||
		    worker->status != VARVE_OK)
			return;
		worker->status =
			pack_stream(trace, &trace->streams[at], packing->settings->time,
				    &worker->coder, &packing->streams[at], &worker->causes);
		if (worker->status != VARVE_OK) {
			cause_add(&worker->causes, "process %u, thread %u cannot be packed",
				  trace->streams[at].process, trace->streams[at].thread);
			atomic_store(&packing->stop, true);
		}
		atomic_fetch_add(&packing->records, trace->streams[at].records);
	}
}

/* A reader of a packed trace keeps what it has read, so each thread opens the trace itself. */
static enum varve_status worker_trace(struct worker *worker)
{
	const struct packing *packing = worker->packing;
	TRY(trace_open(packing->settings->source, 0, &worker->trace, &worker->causes));
	return worker->trace->stream_count == packing->trace->stream_count
		       ? VARVE_OK
		       : cause(&worker->causes, VARVE_DAMAGED,
			       "the trace changed while it was packed");
}

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	const struct packing *packing = worker->packing;
	if (!worker->trace && worker->status == VARVE_OK)
		worker->status = worker_trace(worker);
	if (worker->trace) {
		worker->known_damages = worker->trace->damage_count;
		worker->known_more = worker->trace->damage_more;
	}
	if (worker->status == VARVE_OK)
		worker->status = spool_open(&worker->spool, packing->folder,
					    packing->settings->target, &worker->causes);
	if (worker->status == VARVE_OK)
		worker->status =
			values_coder_start(&worker->coder, &worker->spool, &worker->causes);
	if (worker->status == VARVE_OK)
		work_on(worker);
	else
		atomic_store(&worker->packing->stop, true);
	values_coder_stop(&worker->coder);
	return NULL;
}

static unsigned workers_wanted(const struct packing *packing)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = packing->settings->workers ? packing->settings->workers
		       : processors > 0		  ? (size_t)processors
						  : 1;
	count = count < packing->trace->stream_count ? count : packing->trace->stream_count;
	/* A thread is only worth the cost of opening the trace again if there is enough data. */
	size_t worth = 1 + packing->trace->size / WORTH;
	if (!packing->settings->workers && count > worth)
		count = worth;
	return (unsigned)(count < 1 ? 1 : count > WORKERS_MOST ? WORKERS_MOST : count);
}

static enum varve_status run_workers(struct packing *packing, struct varve_causes *causes)
{
	packing->worker_count = workers_wanted(packing);
	for (unsigned i = 0; i < packing->worker_count; i++)
		packing->workers[i] = (struct worker){.packing = packing, .spool = {.fd = -1}};
	/* The first worker is this thread, with the open trace; before it begins, the others get what was found in that trace. */
	packing->workers[0].trace = packing->trace;
	for (unsigned i = 1; i < packing->worker_count && !packing->trace->packed; i++)
		packing->workers[i].status = trace_share(packing->trace, &packing->workers[i].trace,
							 &packing->workers[i].causes);
	for (unsigned i = 1; i < packing->worker_count; i++)
		packing->workers[i].started = !pthread_create(&packing->workers[i].thread, NULL,
							      worker_main, &packing->workers[i]);
	worker_main(&packing->workers[0]);
	enum varve_status status = packing->workers[0].status;
	if (status != VARVE_OK)
		*causes = packing->workers[0].causes;
	for (unsigned i = 1; i < packing->worker_count; i++) {
		struct worker *worker = &packing->workers[i];
		if (!worker->started)
			continue;
		pthread_join(worker->thread, NULL);
		if (status == VARVE_OK && worker->status != VARVE_OK) {
			status = worker->status;
			*causes = worker->causes;
		}
	}
	return status;
}

static int compare_damages(const void *left, const void *right)
{
	const struct varve_damage *a = left, *b = right;
	int order = strcmp(a->file, b->file);
	if (order)
		return order;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Each worker finds damage in the streams that it takes. All of it goes into one list, in a fixed order. */
static void join_damages(struct packing *packing)
{
	struct varve_trace *trace = packing->trace;
	size_t known = packing->workers[0].known_damages;
	for (unsigned i = 1; i < packing->worker_count; i++) {
		const struct worker *worker = &packing->workers[i];
		const struct varve_trace *from = worker->trace;
		if (!worker->started || !from)
			continue;
		for (size_t k = worker->known_damages; k < from->damage_count; k++)
			trace_report(trace, from->damage[k].file, from->damage[k].offset,
				     from->damage[k].length, "%s", from->damage[k].why);
		trace->damage_more += from->damage_more - worker->known_more;
	}
	if (trace->damage_count > known)
		qsort(trace->damage + known, trace->damage_count - known, sizeof *trace->damage,
		      compare_damages);
}

/* Spools are in the folder of the packed file: there is space for that file, and the folder may not be in memory. */
static void folder_of(const char *target, char *folder, size_t room)
{
	const char *slash = strrchr(target, '/');
	size_t length = slash ? (size_t)(slash - target) : 1;
	if (slash == target)
		length = 1;
	snprintf(folder, room, "%.*s", (int)length, slash ? target : ".");
}

/* Damage that cannot be read today may be repaired later, but not after the packed trace has replaced its source. Damage that a
 * packed trace itself has stored is different: those records are already lost. */
static enum varve_status check_loss(const struct packing *packing, uint64_t damages,
				    struct varve_causes *causes)
{
	uint64_t gone = packing->trace->packed ? packing->trace->packed->damages_stored : 0;
	if (strcmp(packing->settings->source, packing->settings->target) || damages <= gone)
		return VARVE_OK;
	cause_add(causes,
		  "%s is damaged, and packing in place would discard the unreadable part; write "
		  "the packed trace to another file with -o",
		  packing->settings->source);
	const struct varve_trace *trace = packing->trace;
	const struct varve_damage *first = trace->damage + gone;
	if (gone < trace->damage_count)
		cause_add(causes, "damaged: %s, %" PRIu64 " bytes at offset %" PRIu64 ": %s%s",
			  first->file, first->length, first->offset, first->why,
			  damages > gone + 1 ? "; and more" : "");
	return VARVE_DAMAGED;
}

/* A call that a block boundary cuts counts once, as in the summary of the trace. */
static enum varve_status count_records(struct varve_trace *trace, struct pack_result *result,
				       struct varve_causes *causes)
{
	struct varve_summary summary;
	TRY(summary_make(trace, NULL, false, &summary, causes));
	result->records = summary.records;
	summary_clear(&summary);
	return VARVE_OK;
}

static enum varve_status pack_open_trace(struct packing *packing, struct pack_result *result,
					 struct varve_causes *causes)
{
	struct varve_trace *trace = packing->trace;
	if (trace->time != PACKED_TIME_EXACT && packing->settings->time != PACKED_TIME_NONE)
		return cause(causes, VARVE_USAGE,
			     "%s has no exact times; pack it with --time none, or keep it as it is",
			     packing->settings->source);
	if (packing->settings->files > 1 && trace->stream_count < 2)
		return cause(
			causes, VARVE_USAGE,
			"%s has one thread, and its calls stay in one file; leave out --files %u",
			packing->settings->source, packing->settings->files);
	packing->streams = calloc(trace->stream_count + 1, sizeof *packing->streams);
	if (!packing->streams)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu streams",
			     trace->stream_count);
	folder_of(packing->settings->target, packing->folder, sizeof packing->folder);
	blocks_put_aside(trace, packing->folder);
	TRY(run_workers(packing, causes));
	join_damages(packing);
	TRY(count_records(trace, result, causes));
	result->streams = trace->stream_count;
	result->source_bytes = trace->size;
	result->damages = trace->damage_count + trace->damage_more;
	TRY(check_loss(packing, result->damages, causes));
	return packed_write(trace, packing->streams, packing->settings, result, causes);
}

bool pack_is_packed(const char *path)
{
	return packed_is(path);
}

enum varve_status pack_trace(const struct pack_settings *settings, struct pack_result *result,
			     struct varve_causes *causes)
{
	struct packing *packing = calloc(1, sizeof *packing);
	*result = (struct pack_result){0};
	if (!packing)
		return cause(causes, VARVE_NO_MEMORY, "no memory to pack");
	packing->settings = settings;
	enum varve_status status = trace_open(settings->source, 0, &packing->trace, causes);
	if (status == VARVE_OK)
		status = pack_open_trace(packing, result, causes);
	for (size_t i = 0; packing->streams && i < packing->trace->stream_count; i++)
		packed_stream_clear(&packing->streams[i]);
	for (unsigned i = 0; i < packing->worker_count; i++) {
		spool_close(&packing->workers[i].spool);
		/* The list of damages uses names of files that they own. */
		if (i && packing->workers[i].trace)
			trace_close(packing->workers[i].trace);
	}
	free(packing->streams);
	trace_close(packing->trace);
	free(packing);
	return status;
}
