/* Command line: what the formats of a call have in common: values by kind, names, times. See print_values.h. */
#include "cli/print_values.h"

#include "cli/output.h"

const char *handle_kind_name(uint32_t kind)
{
	static const char *const names[] = {"unknown", "file",	    "folder", "socket", "pipe",
					    "device",  "anonymous", "stream", "dir"};
	return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

const struct varve_kind *kind_at(const struct trace *trace, uint32_t kind)
{
	static const struct varve_kind unknown = {.name = "unknown", .style = VARVE_STYLE_HEX};
	return kind < trace->tables.kind_count ? &trace->tables.kinds[kind] : &unknown;
}

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

/* Values that are written alike in every format. */
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
		put_signed(pair_fd(value));
		break;
	case VARVE_STYLE_DIRFD:
		if (pair_fd(value) == FD_CWD)
			put_text("AT_FDCWD");
		else
			put_signed(pair_fd(value));
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

/* Whether a field has a value: outputs only when the call returned and did not fail. */
bool has_value(const struct record *record, const struct varve_field *field)
{
	if (field->word < 0 || (uint32_t)field->word >= record->words)
		return false;
	return !field->output || !(record->marks & (RECORD_UNFINISHED | RECORD_FAILED));
}

struct varve_text name_text(const struct trace_call *call, const struct varve_field *field)
{
	if (field->word == call->late_word && call->late.bytes)
		return call->late;
	return names_given(call->names, (uint32_t)call->record.word[field->word]);
}

uint32_t handle_of(enum varve_style style, uint64_t word)
{
	if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD)
		return pair_handle(word);
	return style == VARVE_STYLE_HANDLE ? (uint32_t)word : 0;
}

const struct varve_kind *result_kind(const struct trace *trace, const struct trace_call *call)
{
	static const struct varve_kind plain = {.name = "", .style = VARVE_STYLE_SIGNED};
	return call->function ? kind_at(trace, call->function->result_kind) : &plain;
}

void put_function(const struct trace_call *call)
{
	if (call->function)
		put_text(call->function->name);
	else
		put_base(call->record.function, 16, "function_0x");
}

const char *layer_name(const struct trace *trace, const struct trace_call *call)
{
	if (!call->function || call->function->layer >= trace->tables.layer_count)
		return "";
	return trace->tables.layers[call->function->layer];
}

int64_t entry_ns(const struct trace_call *call)
{
	return ticks_ns(call->record.entry, call->header->resolution);
}

int64_t duration_ns(const struct trace_call *call)
{
	return ticks_ns((int64_t)((uint64_t)call->record.exit - (uint64_t)call->record.entry),
			call->header->resolution);
}

void put_errno(const struct record *record)
{
	if (!(record->marks & RECORD_FAILED) || !record->error)
		return;
	const char *name = errno_name(record->error);
	if (name)
		put_text(name);
	else
		put_signed(record->error);
}
