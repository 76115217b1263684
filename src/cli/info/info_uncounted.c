/* Command line: `varve info`: bytes that were transferred but not counted: by calls that do not report a number, and by asynchronous
 * requests without a recorded result. Counts calls; reads no records. */
#include "cli/info/info.h"
#include "cli/terminal/output.h"

#include <inttypes.h>
#include <string.h>

/* A function that reads or writes a stream (FILE) and does not report how many bytes it transferred. */
static bool is_silent(const struct info *info, size_t id)
{
	const struct varve_function *function = varve_function_of(info->trace, (uint16_t)id);
	return function && function->bytes_rule == VARVE_BYTES_NONE &&
	       !strcmp(varve_layer_at(info->trace, function->layer), "stdio") &&
	       (!strcmp(function->op, "read") || !strcmp(function->op, "write"));
}

static uint64_t silent_calls(const struct info *info)
{
	uint64_t calls = 0;
	for (size_t id = 0; id < VARVE_FUNCTIONS; id++)
		if (info->summary.functions[id].calls && is_silent(info, id))
			calls += info->summary.functions[id].calls;
	return calls;
}

static uint64_t successes(const struct info *info, const char *name)
{
	const struct varve_function *function = varve_function_named(info->trace, name);
	if (!function)
		return 0;
	const struct varve_counters *row = &info->summary.functions[function->id];
	return row->calls - row->failures - row->unfinished;
}

/* Number of requests that were started, without those that ended, also with an error. With a filter it is 0, because a
 * filter can select only one of the two calls. */
static uint64_t open_requests(const struct info *info)
{
	static const struct {
		const char *made[4];
		const char *ended;
	} ways[] = {
		{{"aio_read", "aio_write", "aio_fsync", "aio_request"}, "aio_return"},
		{{"io_request"}, "io_event"},
		{{"ring_request"}, "ring_event"},
	};
	uint64_t requests = 0;
	for (size_t i = 0; !info->filter && i < sizeof ways / sizeof *ways; i++) {
		uint64_t made = 0, ended = 0;
		for (size_t k = 0; k < 4 && ways[i].made[k]; k++)
			made += successes(info, ways[i].made[k]);
		const struct varve_function *end = varve_function_named(info->trace, ways[i].ended);
		if (end)
			ended = info->summary.functions[end->id].calls;
		requests += made > ended ? made - ended : 0;
	}
	return requests;
}

void info_uncounted_text(const struct info *info)
{
	uint64_t calls = silent_calls(info), requests = open_requests(info);
	bool inlined = false;
	const char *between = " of ";
	if (requests) {
		put_padded("not counted", -14);
		put_format("bytes of %s without a recorded result\n",
			   counted(requests, "requests of asynchronous I/O").text);
	}
	if (!calls)
		return;
	put_padded("not counted", -14);
	put_format("bytes of %s", counted(calls, "calls").text);
	for (size_t id = 0; id < VARVE_FUNCTIONS; id++) {
		if (!info->summary.functions[id].calls || !is_silent(info, id))
			continue;
		const char *name = varve_function_of(info->trace, (uint16_t)id)->name;
		put_format("%s%s", between, name);
		between = ", ";
		inlined |= !strncmp(name, "__", 2);
	}
	put_text(", which do not return a number of bytes");
	put_text(inlined ? "; and of getc_unlocked and putc_unlocked, which the compiler inlined\n"
			 : "\n");
}

void info_uncounted_json(const struct info *info)
{
	put_format(",\"uncounted_calls\":%" PRIu64 ",\"open_requests\":%" PRIu64,
		   silent_calls(info), open_requests(info));
}
