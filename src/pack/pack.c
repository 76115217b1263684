/* Pack: the streams of a trace, packed by several threads, put together in one order. See pack.h.
 *
 * Each worker opens the trace for itself and takes one stream after the other; parts of columns go to its spool. When all are
 * done the file is written by one thread, in the order of ranks: so its bytes do not depend on who did what when.
 */
#include "pack/pack.h"

#include "pack/packed_write.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MOST = 64 };

struct worker {
	struct packing *packing;
	pthread_t thread;
	bool started;
	struct varve_trace *trace;
	struct spool spool;
	struct values_coder coder;
	enum status status;
	struct varve_causes causes;
};

struct packing {
	const struct pack_settings *settings;
	struct varve_trace *trace;
	char folder[4096]; /* where spools are */
	struct packed_stream *streams;
	atomic_size_t next;
	atomic_uint_fast64_t records;
	atomic_bool stop;
	struct worker workers[WORKERS_MOST];
	unsigned worker_count;
};

/* Takes the damages that were found since there were `count`: who found them when is chance, whose they are is not. */
static enum status damages_take(struct varve_trace *trace, size_t count, uint64_t more,
				struct packed_stream *packed, struct varve_causes *causes)
{
	packed->damage_more = trace->damage_more - more;
	packed->damage_count = trace->damage_count - count;
	packed->damages = calloc(packed->damage_count + 1, sizeof *packed->damages);
	if (!packed->damages)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a list of damages");
	for (size_t i = 0; i < packed->damage_count; i++) {
		struct found_damage *found = &packed->damages[i];
		found->damage = trace->damage[count + i];
		snprintf(found->file, sizeof found->file, "%s", found->damage.file);
	}
	trace->damage_count = count;
	trace->damage_more = more;
	return STATUS_OK;
}

/* Reports them in the order of the streams. */
static void damages_join(struct packing *packing)
{
	struct varve_trace *trace = packing->trace;
	for (size_t i = 0; i < trace->stream_count; i++) {
		const struct packed_stream *packed = &packing->streams[i];
		for (size_t k = 0; k < packed->damage_count; k++)
			trace_report(trace, packed->damages[k].file,
				     packed->damages[k].damage.offset,
				     packed->damages[k].damage.length, "%s",
				     packed->damages[k].damage.why);
		trace->damage_more += packed->damage_more;
	}
}

static void work_on(struct worker *worker)
{
	struct packing *packing = worker->packing;
	struct varve_trace *trace = worker->trace;
	for (;;) {
		size_t at = atomic_fetch_add(&packing->next, 1);
		if (at >= trace->stream_count || atomic_load(&packing->stop) ||
		    worker->status != STATUS_OK)
			return;
		size_t damages = trace->damage_count;
		uint64_t more = trace->damage_more;
		worker->status =
			pack_stream(trace, &trace->streams[at], packing->settings->time,
				    &worker->coder, &packing->streams[at], &worker->causes);
		if (worker->status == STATUS_OK)
			worker->status = damages_take(trace, damages, more, &packing->streams[at],
						      &worker->causes);
		if (worker->status != STATUS_OK) {
			cause_add(&worker->causes, "process %u, thread %u cannot be packed",
				  trace->streams[at].process, trace->streams[at].thread);
			atomic_store(&packing->stop, true);
		}
		atomic_fetch_add(&packing->records, trace->streams[at].records);
	}
}

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	const struct packing *packing = worker->packing;
	struct varve_trace *own = NULL;
	if (!worker->trace) {
		worker->status = trace_open(packing->settings->source, 0, &own, &worker->causes);
		worker->trace = own;
		if (worker->status == STATUS_OK &&
		    own->stream_count != packing->trace->stream_count)
			worker->status = cause(&worker->causes, STATUS_DAMAGED,
					       "the trace changed while it was packed");
	}
	if (worker->status == STATUS_OK)
		worker->status = spool_open(&worker->spool, packing->folder, &worker->causes);
	if (worker->status == STATUS_OK)
		worker->status =
			values_coder_start(&worker->coder, &worker->spool, &worker->causes);
	if (worker->status == STATUS_OK)
		work_on(worker);
	else
		atomic_store(&worker->packing->stop, true);
	values_coder_stop(&worker->coder);
	if (own)
		trace_close(own);
	return NULL;
}

static unsigned workers_wanted(const struct packing *packing)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = packing->settings->workers ? packing->settings->workers
		       : processors > 0		  ? (size_t)processors
						  : 1;
	count = count < packing->trace->stream_count ? count : packing->trace->stream_count;
	return (unsigned)(count < 1 ? 1 : count > WORKERS_MOST ? WORKERS_MOST : count);
}

static enum status run_workers(struct packing *packing, struct varve_causes *causes)
{
	packing->worker_count = workers_wanted(packing);
	for (unsigned i = 0; i < packing->worker_count; i++)
		packing->workers[i] = (struct worker){.packing = packing, .spool = {.fd = -1}};
	/* The first one is this thread, with the trace that is open. */
	packing->workers[0].trace = packing->trace;
	for (unsigned i = 1; i < packing->worker_count; i++)
		packing->workers[i].started = !pthread_create(&packing->workers[i].thread, NULL,
							      worker_main, &packing->workers[i]);
	worker_main(&packing->workers[0]);
	enum status status = packing->workers[0].status;
	if (status != STATUS_OK)
		*causes = packing->workers[0].causes;
	for (unsigned i = 1; i < packing->worker_count; i++) {
		struct worker *worker = &packing->workers[i];
		if (!worker->started)
			continue;
		pthread_join(worker->thread, NULL);
		if (status == STATUS_OK && worker->status != STATUS_OK) {
			status = worker->status;
			*causes = worker->causes;
		}
	}
	return status;
}

/* Spools stand where the packed file will: there is room for it, and not in memory. */
static void folder_of(const char *target, char *folder, size_t room)
{
	const char *slash = strrchr(target, '/');
	size_t length = slash ? (size_t)(slash - target) : 1;
	if (slash == target)
		length = 1;
	snprintf(folder, room, "%.*s", (int)length, slash ? target : ".");
}

static enum status pack_open_trace(struct packing *packing, struct pack_result *result,
				   struct varve_causes *causes)
{
	struct varve_trace *trace = packing->trace;
	if (trace->time != PACKED_TIME_EXACT && packing->settings->time != PACKED_TIME_NONE)
		return cause(causes, STATUS_USAGE,
			     "the times of %s are not exact any more: it can be packed with "
			     "--time none, or stay as it is",
			     packing->settings->source);
	packing->streams = calloc(trace->stream_count + 1, sizeof *packing->streams);
	if (!packing->streams)
		return cause(causes, STATUS_NO_MEMORY, "no memory for %zu streams",
			     trace->stream_count);
	folder_of(packing->settings->target, packing->folder, sizeof packing->folder);
	TRY(run_workers(packing, causes));
	damages_join(packing);
	for (size_t i = 0; i < trace->stream_count; i++)
		result->records += packing->streams[i].tracks[PACKED_CALLS].events +
				   packing->streams[i].tracks[PACKED_RUNTIME].events;
	result->streams = trace->stream_count;
	result->source_bytes = trace->size;
	result->damages = trace->damage_count + trace->damage_more;
	return packed_write(trace, packing->streams, packing->settings, result, causes);
}

enum status pack_trace(const struct pack_settings *settings, struct pack_result *result,
		       struct varve_causes *causes)
{
	struct packing *packing = calloc(1, sizeof *packing);
	*result = (struct pack_result){0};
	if (!packing)
		return cause(causes, STATUS_NO_MEMORY, "no memory to pack");
	packing->settings = settings;
	enum status status = trace_open(settings->source, 0, &packing->trace, causes);
	if (status == STATUS_OK)
		status = pack_open_trace(packing, result, causes);
	for (size_t i = 0; packing->streams && i < packing->trace->stream_count; i++)
		packed_stream_clear(&packing->streams[i]);
	for (unsigned i = 0; i < packing->worker_count; i++)
		spool_close(&packing->workers[i].spool);
	free(packing->streams);
	trace_close(packing->trace);
	free(packing);
	return status;
}
