/* Library: functions, kinds and names of values. See <varve/trace.h>. */
#include "codec/lane.h"
#include "trace/filter/filter.h"
#include "trace/names/errno_names.h"
#include "trace/names/value_words.h"
#include "trace/trace.h"

#include <string.h>

size_t varve_layer_count(const struct varve_trace *trace)
{
	return trace->tables.layer_count;
}

const char *varve_layer_at(const struct varve_trace *trace, size_t at)
{
	return at < trace->tables.layer_count ? trace->tables.layers[at] : "";
}

size_t varve_kind_count(const struct varve_trace *trace)
{
	return trace->tables.kind_count;
}

const struct varve_kind *varve_kind_at(const struct varve_trace *trace, size_t at)
{
	static const struct varve_kind unknown = {.name = "unknown", .style = VARVE_STYLE_HEX};
	return at < trace->tables.kind_count ? &trace->tables.kinds[at] : &unknown;
}

size_t varve_function_count(const struct varve_trace *trace)
{
	return trace->tables.function_count;
}

const struct varve_function *varve_function_at(const struct varve_trace *trace, size_t at)
{
	return at < trace->tables.function_count ? &trace->tables.functions[at] : NULL;
}

const struct varve_function *varve_function_of(const struct varve_trace *trace, uint16_t id)
{
	return trace_function(trace, id);
}

const struct varve_function *varve_function_named(const struct varve_trace *trace, const char *name)
{
	for (uint32_t i = 0; i < trace->tables.function_count; i++)
		if (!strcmp(trace->tables.functions[i].name, name))
			return &trace->tables.functions[i];
	return NULL;
}

bool varve_functions_whole(const struct varve_trace *trace)
{
	return !trace->tables_partial;
}

bool varve_function_timed(const struct varve_function *function)
{
	return function_timed(function);
}

const char *varve_handle_kind_name(uint32_t kind)
{
	return handle_kind_name(kind);
}

const char *varve_errno_name(int32_t error)
{
	return errno_name(error);
}

const char *varve_value_name(const struct varve_kind *kind, uint64_t value)
{
	return value_name(kind, value);
}

int64_t varve_value_unit(const struct varve_kind *kind)
{
	return value_unit(kind);
}
