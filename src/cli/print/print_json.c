/* Command line: a call as a line of JSON. See print.h. On the hot path of `dump`: no stdio here. */
#include "base/text.h"
#include "cli/print/code.h"
#include "cli/print/exec_images.h"
#include "cli/print/print_values.h"
#include "cli/print/print_words.h"
#include "cli/print/runtime_calls.h"
#include "cli/print/worlds.h"
#include "cli/terminal/output.h"

static void put_key(const char *key)
{
	put_text(",\"");
	put_text(key);
	put_text("\":");
}

/* Begins the next member of an object. */
static void put_member(bool *first, const char *key)
{
	put_text(*first ? "\"" : ",\"");
	put_text(key);
	put_text("\":");
	*first = false;
}

static void put_json_file(const struct varve_file *file, bool first)
{
	if (file->given.bytes) {
		put_member(&first, "path");
		put_json(file->given.bytes, file->given.length);
	}
	if (file->absolute.bytes) {
		put_member(&first, "absolute");
		put_json(file->absolute.bytes, file->absolute.length);
	}
	if (file->handle) {
		const char *kind = varve_handle_kind_name(file->kind);
		put_member(&first, "handle");
		put_unsigned(file->handle);
		put_member(&first, "kind");
		put_json(kind, strlen(kind));
	}
	if (file->how == VARVE_IDENTITY_NONE)
		return;
	put_member(&first, "device");
	put_unsigned(file->device);
	put_member(&first, "inode");
	put_unsigned(file->inode);
	put_member(&first, "identity");
	put_text(file->how == VARVE_IDENTITY_SEEN ? "\"seen\"" : "\"assumed\"");
}

static void put_json_files(const struct varve_call *call)
{
	struct varve_file file;
	if (varve_call_file(call, &file))
		put_json_file(&file, false);
	if (!varve_call_second_file(call, &file))
		return;
	put_key("second");
	put_char('{');
	put_json_file(&file, true);
	put_char('}');
}

/* Names of fields and functions are from the trace too, so they are escaped like all other text. */
static void put_json_name(const char *name, const char *suffix)
{
	char key[256] = "";
	const char *end = text_add(text_add(key, key + 201, name), key + sizeof key, suffix);
	put_json(key, (size_t)(end - key));
	put_char(':');
}

/* The absolute path of a path or descriptor, as a separate member. */
static void put_json_path(const struct varve_argument *argument, const char *suffix)
{
	if (!argument->absolute.bytes)
		return;
	put_char(',');
	put_json_name(argument->field->name, suffix);
	put_json(argument->absolute.bytes, argument->absolute.length);
}

/* The function, file and offset of an address in code. */
static void put_json_code(const struct varve_call *call, const struct varve_argument *argument)
{
	struct code code = code_find(call->stream->process, argument->word);
	if (!code.object)
		return;
	put_char(',');
	put_json_name(argument->field->name, "_object");
	put_json(code.object, strlen(code.object));
	if (code.function) {
		put_char(',');
		put_json_name(argument->field->name, "_function");
		put_json(code.function, strlen(code.function));
	}
	put_char(',');
	put_json_name(argument->field->name, "_offset");
	put_unsigned(code.offset);
}

static void put_json_value(const struct varve_trace *trace, const struct varve_call *call,
			   const struct varve_argument *argument)
{
	const struct varve_kind *kind = argument->kind;
	switch (kind->style) {
	case VARVE_STYLE_NAME:
	case VARVE_STYLE_STRING:
		if (argument->text.bytes)
			put_json(argument->text.bytes, argument->text.length);
		else
			put_text("null");
		put_json_path(argument, "_absolute");
		break;
	case VARVE_STYLE_FD:
	case VARVE_STYLE_DIRFD:
	case VARVE_STYLE_HANDLE:
		if (kind->style == VARVE_STYLE_HANDLE)
			put_unsigned(argument->word);
		else
			put_signed(argument->fd);
		put_json_path(argument, "_path");
		break;
	case VARVE_STYLE_OCTAL:
	case VARVE_STYLE_FLAGS:
	case VARVE_STYLE_ENUM:
	case VARVE_STYLE_HEX:
		put_char('"');
		put_plain(kind, argument->word);
		put_char('"');
		if (code_is(kind))
			put_json_code(call, argument);
		break;
	case VARVE_STYLE_OFFSET:
		if (word_absent(kind, argument->word))
			put_text("null");
		else
			put_plain(kind, argument->word);
		break;
	case VARVE_STYLE_POINTER:
		if (pointer_absent(trace, kind, argument->word))
			put_text("null");
		else
			put_unsigned(argument->word);
		break;
	case VARVE_STYLE_ABSENT:
	case VARVE_STYLE_NOTHING:
		put_text("null");
		break;
	case VARVE_STYLE_SIGNED:
	case VARVE_STYLE_UNSIGNED:
	case VARVE_STYLE_BYTES:
	case VARVE_STYLE_TIME:
		put_plain(kind, argument->word);
		break;
	default:
		put_unsigned(argument->word);
		break;
	}
}

static void put_json_arguments(const struct varve_trace *trace, const struct varve_call *call)
{
	put_key("args");
	put_char('{');
	bool first = true;
	for (uint32_t i = 0; call->function && i < call->function->field_count; i++) {
		struct varve_argument argument;
		if (!varve_call_argument(call, i, &argument))
			continue;
		if (!first)
			put_char(',');
		first = false;
		put_json_name(argument.field->name, "");
		put_json_value(trace, call, &argument);
	}
	put_char('}');
	if (call->function)
		return;
	put_key("words");
	for (uint32_t i = 0; i < call->word_count; i++) {
		put_char(i ? ',' : '[');
		put_unsigned(call->words[i]);
	}
	put_text(call->word_count ? "]" : "[]");
}

/* The fields `fd`, `offset` and `size` of filters. */
static void put_json_access(const struct varve_call *call)
{
	int32_t fd;
	int64_t offset;
	uint64_t size;
	if (varve_call_fd(call, &fd)) {
		put_key("fd");
		put_signed(fd);
	}
	if (varve_call_offset(call, &offset)) {
		put_key("offset");
		put_signed(offset);
	}
	if (varve_call_size(call, &size)) {
		put_key("size");
		put_unsigned(size);
	}
}

static void put_json_outcome(const struct varve_trace *trace, const struct varve_call *call)
{
	if (call->marks & VARVE_UNFINISHED) {
		uint32_t image = image_after(call);
		put_text(",\"unfinished\":true");
		if (image) {
			put_key("image");
			put_unsigned(image);
		}
		return;
	}
	put_key("duration");
	if (varve_time_kind_of(trace) == VARVE_TIME_NONE || !duration_known(call))
		put_text("null");
	else
		put_signed(call_duration(call));
	const struct varve_kind *result = result_kind(trace, call);
	if (result->style != VARVE_STYLE_NOTHING) {
		put_key("result");
		if (pointer_absent(trace, result, (uint64_t)call->result))
			put_text("null");
		else
			put_signed(call->result);
	}
	if (!(call->marks & VARVE_FAILED))
		return;
	put_text(",\"failed\":true");
	const char *name = error_name(trace, call);
	if (call->error) {
		put_key("errno");
		put_signed(call->error);
	}
	if (name) {
		put_key("error");
		put_json(name, strlen(name));
	}
}

void print_json(const struct varve_trace *trace, const struct varve_call *call)
{
	const struct varve_stream *stream = call->stream;
	enum varve_time_kind kind = varve_time_kind_of(trace);
	put_text("{\"start\":");
	if (kind == VARVE_TIME_NONE)
		put_text("null");
	else
		put_signed(call->start);
	if (kind == VARVE_TIME_HISTOGRAM)
		put_text(",\"approximate\":true");
	put_key("process");
	put_unsigned(stream->process);
	put_key("thread");
	put_unsigned(stream->thread);
	put_key("pid");
	put_signed(stream->pid);
	put_key("tid");
	put_signed(stream->tid);
	if (stream->rank >= 0) {
		put_key("rank");
		put_signed(stream->rank);
		put_key("world");
		put_unsigned(world_of(trace, stream));
	}
	put_key("ordinal");
	put_unsigned(call->ordinal);
	put_key("depth");
	put_unsigned(call->depth);
	put_key("layer");
	put_json(layer_name(trace, call), strlen(layer_name(trace, call)));
	put_key("function");
	if (call->function)
		put_json(call->function->name, strlen(call->function->name));
	else
		put_text("null,\"function_id\":"), put_unsigned(call->function_id);
	put_json_arguments(trace, call);
	put_json_outcome(trace, call);
	put_json_access(call);
	put_json_files(call);
	if (call->marks & VARVE_VFORK)
		put_text(",\"vfork\":true");
	if (is_runtime(call))
		put_text(",\"runtime\":true");
	put_text("}\n");
}
