/* Command line: a call as a line of JSON. See print.h. On the hot path of `dump`: no stdio here. */
#include "base/process.h"
#include "cli/output.h"
#include "cli/print_values.h"

static void put_key(const char *key)
{
	put_text(",\"");
	put_text(key);
	put_text("\":");
}

static void put_json_text(const char *key, struct varve_text text)
{
	if (!text.bytes)
		return;
	put_key(key);
	put_json(text.bytes, text.length);
}

static void put_json_file(const struct trace *trace, struct trace_call *call)
{
	struct varve_file file;
	if (!names_file(call->names, &trace->tables, call->function, &call->record, &file))
		return;
	put_json_text("path", file.given);
	put_json_text("absolute", file.absolute);
	if (file.handle) {
		put_key("handle");
		put_unsigned(file.handle);
		put_key("kind");
		put_json(handle_kind_name(file.kind), strlen(handle_kind_name(file.kind)));
	}
	if (file.how == IDENTITY_NONE)
		return;
	put_key("device");
	put_unsigned(file.device);
	put_key("inode");
	put_unsigned(file.inode);
	put_key("identity");
	put_text(file.how == IDENTITY_SEEN ? "\"seen\"" : "\"assumed\"");
}

/* Names of fields and functions come from the trace too: they are escaped like everything else. */
static void put_json_name(const char *name, const char *suffix)
{
	char key[256] = "";
	const char *end = text_add(text_add(key, key + 201, name), key + sizeof key, suffix);
	put_json(key, (size_t)(end - key));
	put_char(':');
}

static void put_json_value(struct trace_call *call, const struct varve_kind *kind,
			   const struct varve_field *field)
{
	uint64_t word = call->record.word[field->word];
	struct varve_text text;
	struct varve_file file;
	switch (kind->style) {
	case VARVE_STYLE_NAME:
	case VARVE_STYLE_STRING:
		text = name_text(call, field);
		if (text.bytes)
			put_json(text.bytes, text.length);
		else
			put_text("null");
		if (kind->style == VARVE_STYLE_STRING || field->word == call->late_word)
			break;
		text = names_absolute(call->names, (uint32_t)word);
		if (text.bytes) {
			put_char(',');
			put_json_name(field->name, "_absolute");
			put_json(text.bytes, text.length);
		}
		break;
	case VARVE_STYLE_FD:
	case VARVE_STYLE_DIRFD:
	case VARVE_STYLE_HANDLE:
		if (kind->style == VARVE_STYLE_HANDLE)
			put_unsigned(word);
		else
			put_signed(pair_fd(word));
		if (names_file_of_handle(call->names, handle_of(kind->style, word), &file) &&
		    file.absolute.bytes) {
			put_char(',');
			put_json_name(field->name, "_path");
			put_json(file.absolute.bytes, file.absolute.length);
		}
		break;
	case VARVE_STYLE_OCTAL:
	case VARVE_STYLE_FLAGS:
	case VARVE_STYLE_ENUM:
	case VARVE_STYLE_HEX:
		put_char('"');
		put_plain(kind, word);
		put_char('"');
		break;
	case VARVE_STYLE_POINTER:
		put_unsigned(word);
		break;
	case VARVE_STYLE_ABSENT:
	case VARVE_STYLE_NOTHING:
		put_text("null");
		break;
	case VARVE_STYLE_SIGNED:
	case VARVE_STYLE_UNSIGNED:
	case VARVE_STYLE_BYTES:
	case VARVE_STYLE_OFFSET:
	case VARVE_STYLE_TIME:
		put_plain(kind, word);
		break;
	default:
		put_unsigned(word);
		break;
	}
}

static void put_json_arguments(const struct trace *trace, struct trace_call *call)
{
	put_key("args");
	put_char('{');
	bool first = true;
	for (uint32_t i = 0; call->function && i < call->function->field_count; i++) {
		const struct varve_field *field = &call->function->fields[i];
		if (!has_value(&call->record, field))
			continue;
		if (!first)
			put_char(',');
		first = false;
		put_json_name(field->name, "");
		put_json_value(call, kind_at(trace, field->kind), field);
	}
	put_char('}');
	if (call->function)
		return;
	put_key("words");
	for (uint32_t i = 0; i < call->record.words; i++) {
		put_char(i ? ',' : '[');
		put_unsigned(call->record.word[i]);
	}
	put_text(call->record.words ? "]" : "[]");
}

static void put_json_outcome(const struct trace *trace, const struct trace_call *call)
{
	if (call->record.marks & RECORD_UNFINISHED) {
		put_text(",\"unfinished\":true");
		return;
	}
	put_key("duration");
	put_signed(duration_ns(call));
	if (result_kind(trace, call)->style != VARVE_STYLE_NOTHING) {
		put_key("result");
		put_signed(call->record.result);
	}
	if (!(call->record.marks & RECORD_FAILED))
		return;
	put_text(",\"failed\":true");
	if (!call->record.error)
		return;
	const char *name = errno_name(call->record.error);
	put_key("errno");
	put_signed(call->record.error);
	if (name) {
		put_key("error");
		put_json(name, strlen(name));
	}
}

void print_json(const struct trace *trace, struct trace_call *call)
{
	const struct block_header *header = call->header;
	put_text("{\"start\":");
	put_signed(entry_ns(call));
	put_key("process");
	put_unsigned(header->process);
	put_key("thread");
	put_unsigned(header->thread);
	put_key("pid");
	put_signed(header->pid);
	put_key("tid");
	put_signed(header->tid);
	if (header->rank >= 0) {
		put_key("rank");
		put_signed(header->rank);
	}
	put_key("ordinal");
	put_unsigned(call->record.ordinal);
	put_key("depth");
	put_unsigned(call->record.depth);
	put_key("layer");
	put_json(layer_name(trace, call), strlen(layer_name(trace, call)));
	put_key("function");
	if (call->function)
		put_json(call->function->name, strlen(call->function->name));
	else
		put_text("null,\"function_id\":"), put_unsigned(call->record.function);
	put_json_arguments(trace, call);
	put_json_outcome(trace, call);
	put_json_file(trace, call);
	if (call->record.marks & RECORD_VFORK)
		put_text(",\"vfork\":true");
	put_text("}\n");
}
