/* Command line: values by kind, names and times, for all output formats. See print_values.h. */
#include "cli/print/print_values.h"

#include "cli/terminal/output.h"

static void put_flags(const struct varve_kind *kind, uint64_t value)
{
	uint64_t rest = value;
	bool first = true;
	for (uint32_t i = 0; i < kind->value_count; i++) {
		const struct varve_value *flag = &kind->values[i];
		if (!flag->mask ||
		    (flag->value == flag->mask ? (rest & flag->mask) != flag->value
					       : (value & flag->mask) != flag->value))
			continue;
		if (!first)
			put_char('|');
		put_text(flag->name);
		first = false;
		rest &= ~flag->mask;
	}
	if (rest || first) {
		if (!first)
			put_char('|');
		put_base(rest, 16, rest ? "0x" : "");
	}
}

static void put_enum(const struct varve_kind *kind, uint64_t value)
{
	for (uint32_t i = 0; i < kind->value_count; i++) {
		if (kind->values[i].value == value) {
			put_text(kind->values[i].name);
			return;
		}
	}
	put_signed((int64_t)value);
}

/* Values with the same text in every format. */
void put_plain(const struct varve_kind *kind, uint64_t value)
{
	switch (kind->style) {
	case VARVE_STYLE_SIGNED:
	case VARVE_STYLE_OFFSET:
	case VARVE_STYLE_TIME:
		put_signed((int64_t)value);
		break;
	case VARVE_STYLE_UNSIGNED:
	case VARVE_STYLE_BYTES:
	case VARVE_STYLE_HANDLE:
	case VARVE_STYLE_NAME:
	case VARVE_STYLE_STRING:
		put_unsigned(value);
		break;
	case VARVE_STYLE_OCTAL:
		put_base(value, 8, value ? "0" : "");
		break;
	case VARVE_STYLE_FLAGS:
		put_flags(kind, value);
		break;
	case VARVE_STYLE_ENUM:
		put_enum(kind, value);
		break;
	case VARVE_STYLE_FD:
		put_signed((int32_t)(uint32_t)value);
		break;
	case VARVE_STYLE_DIRFD:
		if ((int32_t)(uint32_t)value == FD_CWD)
			put_text("AT_FDCWD");
		else
			put_signed((int32_t)(uint32_t)value);
		break;
	case VARVE_STYLE_POINTER:
		if (!value)
			put_text("NULL");
		else
			put_base(value, 16, "0x");
		break;
	case VARVE_STYLE_ABSENT:
	case VARVE_STYLE_NOTHING:
		break;
	case VARVE_STYLE_HEX:
	default:
		put_base(value, 16, "0x");
		break;
	}
}

const struct varve_kind *result_kind(const struct varve_trace *trace, const struct varve_call *call)
{
	static const struct varve_kind plain = {.name = "", .style = VARVE_STYLE_SIGNED};
	return call->function ? varve_kind_at(trace, call->function->result_kind) : &plain;
}

int64_t call_duration(const struct varve_call *call)
{
	return (int64_t)((uint64_t)call->end - (uint64_t)call->start);
}

bool duration_known(const struct varve_call *call)
{
	return !(call->marks & VARVE_UNFINISHED) && varve_function_timed(call->function);
}

void put_function(const struct varve_call *call)
{
	if (call->function)
		put_text(call->function->name);
	else
		put_base(call->function_id, 16, "function_0x");
}

const char *layer_name(const struct varve_trace *trace, const struct varve_call *call)
{
	return call->function ? varve_layer_at(trace, call->function->layer) : "";
}

const char *error_name(const struct varve_trace *trace, const struct varve_call *call)
{
	if (!(call->marks & VARVE_FAILED))
		return NULL;
	return call->error ? varve_errno_name(call->error)
			   : varve_value_name(result_kind(trace, call), (uint64_t)call->result);
}

void put_error(const struct varve_trace *trace, const struct varve_call *call)
{
	const char *name = error_name(trace, call);
	if (name)
		put_text(name);
	else if (call->marks & VARVE_FAILED && call->error)
		put_signed(call->error);
}
