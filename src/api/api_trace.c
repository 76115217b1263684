/* Library: opens a trace and returns its description. See <varve/trace.h>. Returns values of src/trace; computes nothing. */
#include "trace/packed/packed.h"
#include "trace/trace.h"

#include <string.h>

_Static_assert((int)VARVE_OPEN_CHECK == (int)TRACE_CHECK, "one flag under two names");
_Static_assert((int)VARVE_LEFT_OUT_FILES == (int)NOTE_FILES &&
		       (int)VARVE_LEFT_OUT_RANKS == (int)NOTE_RANKS &&
		       (int)VARVE_LEFT_OUT_FOLLOW == (int)NOTE_FOLLOW,
	       "counters are stored by number");
_Static_assert((int)VARVE_END_RECOVERED == (int)RUN_RECOVERED, "ends are stored by number");

const char *varve_version(void)
{
	return VARVE_VERSION;
}

int varve_format_version(void)
{
	return BLOCK_VERSION;
}

const char *varve_status_text(enum varve_status status)
{
	return status_text(status);
}

enum varve_status varve_open(const char *path, unsigned flags, struct varve_trace **trace,
			     struct varve_causes *causes)
{
	return trace_open(path, flags, trace, causes);
}

void varve_close(struct varve_trace *trace)
{
	trace_close(trace);
}

const char *varve_path(const struct varve_trace *trace)
{
	return trace->path;
}

uint64_t varve_size(const struct varve_trace *trace)
{
	return trace->size;
}

uint64_t varve_unchecked(const struct varve_trace *trace)
{
	return trace->unchecked;
}

uint64_t varve_repaired(const struct varve_trace *trace)
{
	return trace->packed ? trace->packed->mended : 0;
}

size_t varve_description_count(const struct varve_trace *trace)
{
	return trace->pair_count;
}

void varve_description_at(const struct varve_trace *trace, size_t at, struct varve_text *key,
			  struct varve_text *value)
{
	*key = *value = (struct varve_text){0};
	if (at >= trace->pair_count)
		return;
	const char *string = trace->description + trace->pairs[at];
	size_t length = strlen(string), before = strcspn(string, "=");
	*key = (struct varve_text){string, before};
	*value = (struct varve_text){string + before + 1, length - before - 1};
}

const char *varve_description(const struct varve_trace *trace, const char *key, size_t nth)
{
	/* Only one thread at a time uses a handle, so it can store the place of the last query. */
	struct varve_trace *inside = (struct varve_trace *)(uintptr_t)trace;
	return strings_nth(trace->description, trace->description_length, key, nth,
			   &inside->last_nth, &inside->last_entry);
}

void varve_state_of(const struct varve_trace *trace, struct varve_state *state)
{
	*state = (struct varve_state){.end = VARVE_END_UNKNOWN,
				      .running_threads = trace->alive_threads,
				      .running_processes = trace->alive_processes,
				      .running_pid = trace->alive_pid,
				      .recovered_threads = trace->recovered_threads,
				      .recovered_records = trace->recovered_records};
	if (!trace->indexed || trace->end.end > RUN_RECOVERED)
		return;
	state->end = (enum varve_end)trace->end.end;
	state->status = trace->end.status;
	state->end_monotonic = trace->end.end_monotonic;
}

static const char *loss_text(uint32_t reason)
{
	static const char *const texts[LOSS_COUNT] = {
#define LOSS(name, text) [LOSS_##name] = (text),
#include "codec/loss.def"
#undef LOSS
	};
	return reason < LOSS_COUNT ? texts[reason] : NULL;
}

size_t varve_loss_count(const struct varve_trace *trace)
{
	size_t count = 0;
	for (size_t i = 0; i < LOSS_ROOM; i++)
		count += i != NOTE_LANE_ERRORS && trace->loss[i];
	return count;
}

void varve_loss_at(const struct varve_trace *trace, size_t at, struct varve_loss *loss)
{
	*loss = (struct varve_loss){0};
	for (uint32_t i = 0; i < LOSS_ROOM; i++)
		if (i != NOTE_LANE_ERRORS && trace->loss[i] && at-- == 0)
			*loss = (struct varve_loss){i, i >= NOTE_FIRST, trace->loss[i],
						    i == LOSS_NO_LANE ? trace->lane_text
								      : loss_text(i)};
}

uint64_t varve_loss_of(const struct varve_trace *trace, uint32_t reason)
{
	return reason < LOSS_ROOM ? trace->loss[reason] : 0;
}

const char *varve_loss_text(uint32_t reason)
{
	return loss_text(reason);
}

size_t varve_damage_count(const struct varve_trace *trace)
{
	return trace->damage_count;
}

const struct varve_damage *varve_damage_at(const struct varve_trace *trace, size_t at)
{
	return at < trace->damage_count ? &trace->damage[at] : NULL;
}

uint64_t varve_damage_more(const struct varve_trace *trace)
{
	return trace->damage_more;
}

_Static_assert((int)VARVE_TIME_NONE == (int)PACKED_TIME_NONE,
	       "kinds of times are stored by number");

enum varve_time_kind varve_time_kind_of(const struct varve_trace *trace)
{
	return (enum varve_time_kind)trace->time;
}

uint32_t varve_world(const struct varve_trace *trace)
{
	return trace->world;
}

size_t varve_node_count(const struct varve_trace *trace)
{
	return trace->node_count;
}

void varve_node_at(const struct varve_trace *trace, size_t at, struct varve_node *node)
{
	*node = (struct varve_node){0};
	if (at >= trace->node_count)
		return;
	const struct trace_node *inside = &trace->nodes[at];
	*node = (struct varve_node){.number = inside->number,
				    .host = node_value(inside, "host"),
				    .size = inside->size,
				    .processes = inside->processes,
				    .aligned = inside->aligned,
				    .shift_ns = inside->shift_ns,
				    .error_ns = inside->error_ns,
				    .complete = !inside->lanes_left,
				    .away = inside->lanes_away};
}

size_t varve_stream_count(const struct varve_trace *trace)
{
	return trace->stream_count;
}

const struct varve_stream *varve_stream_at(const struct varve_trace *trace, size_t at)
{
	return at < trace->stream_count ? &trace->streams[at] : NULL;
}

size_t varve_process_count(const struct varve_trace *trace)
{
	return trace->process_count;
}

const struct varve_process *varve_process_at(const struct varve_trace *trace, size_t at)
{
	return at < trace->process_count ? &trace->processes[at] : NULL;
}

const struct varve_process *varve_process_find(const struct varve_trace *trace, uint32_t number)
{
	return trace_process(trace, number);
}

const char *varve_process_value(const struct varve_process *process, const char *key, size_t nth)
{
	struct varve_process *inside = (struct varve_process *)(uintptr_t)process;
	return process ? strings_nth(process->strings, process->length, key, nth, &inside->last_nth,
				     &inside->last_entry)
		       : NULL;
}
