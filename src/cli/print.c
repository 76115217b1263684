/* Command line: a call as text, JSON or CSV. See print.h. On the hot path of `dump`: no stdio here. */
#include "cli/print.h"

#include "cli/output.h"

enum { FD_CWD = -100 };

const char *handle_kind_name(uint32_t kind)
{
	static const char *const names[] = {"unknown", "file",	    "folder", "socket", "pipe",
					    "device",  "anonymous", "stream", "dir"};
	return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static const struct table_kind *kind_at(const struct trace *trace, uint32_t kind)
{
	static const struct table_kind unknown = {.name = "unknown", .style = STYLE_HEX};
	return kind < trace->tables.kind_count ? &trace->tables.kinds[kind] : &unknown;
}

static void put_flags(const struct table_kind *kind, uint64_t value)
{
	uint64_t rest = value;
	bool first = true;
	for (uint32_t i = 0; i < kind->value_count; i++) {
		const struct table_value *flag = &kind->values[i];
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

static void put_enum(const struct table_kind *kind, uint64_t value)
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
static void put_plain(const struct table_kind *kind, uint64_t value)
{
	switch (kind->style) {
	case STYLE_SIGNED:
	case STYLE_OFFSET:
	case STYLE_TIME:
		put_signed((int64_t)value);
		break;
	case STYLE_UNSIGNED:
	case STYLE_BYTES:
	case STYLE_HANDLE:
	case STYLE_NAME:
	case STYLE_STRING:
		put_unsigned(value);
		break;
	case STYLE_OCTAL:
		put_base(value, 8, value ? "0" : "");
		break;
	case STYLE_FLAGS:
		put_flags(kind, value);
		break;
	case STYLE_ENUM:
		put_enum(kind, value);
		break;
	case STYLE_FD:
		put_signed(pair_fd(value));
		break;
	case STYLE_DIRFD:
		if (pair_fd(value) == FD_CWD)
			put_text("AT_FDCWD");
		else
			put_signed(pair_fd(value));
		break;
	case STYLE_POINTER:
		if (!value)
			put_text("NULL");
		else
			put_base(value, 16, "0x");
		break;
	case STYLE_ABSENT:
	case STYLE_NOTHING:
		break;
	case STYLE_HEX:
	default:
		put_base(value, 16, "0x");
		break;
	}
}

/* Whether a field has a value: outputs only when the call returned and did not fail. */
static bool has_value(const struct record *record, const struct table_field *field)
{
	if (field->word < 0 || (uint32_t)field->word >= record->words)
		return false;
	return !field->output || !(record->marks & (RECORD_UNFINISHED | RECORD_FAILED));
}

static struct text name_text(const struct trace_call *call, const struct table_field *field)
{
	if (field->word == call->late_word && call->late.bytes)
		return call->late;
	return names_given(call->names, (uint32_t)call->record.word[field->word]);
}

static uint32_t handle_of(enum kind_style style, uint64_t word)
{
	if (style == STYLE_FD || style == STYLE_DIRFD)
		return pair_handle(word);
	return style == STYLE_HANDLE ? (uint32_t)word : 0;
}

static void put_file_of(struct trace_call *call, uint32_t handle)
{
	struct trace_file file;
	if (!handle || !names_file_of_handle(call->names, handle, &file))
		return;
	struct text path = file.absolute.bytes ? file.absolute : file.given;
	if (!path.bytes)
		return;
	put_text(" <");
	put_escaped(path.bytes, path.length, '>');
	put_char('>');
}

static void put_text_value(struct trace_call *call, const struct table_kind *kind,
			   const struct table_field *field)
{
	uint64_t word = call->record.word[field->word];
	struct text text;
	switch (kind->style) {
	case STYLE_NAME:
	case STYLE_STRING:
		text = name_text(call, field);
		if (text.bytes)
			put_quoted(text.bytes, text.length);
		else
			put_text(word ? "?" : "NULL");
		break;
	case STYLE_HANDLE:
		put_char('#');
		put_unsigned(word);
		put_file_of(call, handle_of(kind->style, word));
		break;
	case STYLE_FD:
	case STYLE_DIRFD:
		put_plain(kind, word);
		if (pair_fd(word) != FD_CWD)
			put_file_of(call, handle_of(kind->style, word));
		break;
	case STYLE_ABSENT:
	case STYLE_SIGNED:
	case STYLE_UNSIGNED:
	case STYLE_HEX:
	case STYLE_OCTAL:
	case STYLE_FLAGS:
	case STYLE_ENUM:
	case STYLE_BYTES:
	case STYLE_OFFSET:
	case STYLE_POINTER:
	case STYLE_NOTHING:
	case STYLE_TIME:
	default:
		put_plain(kind, word);
		break;
	}
}

enum { FLAG_CREATE = 0100, FLAG_TMPFILE = 020000000 };

/* The number of a new handle stands in the result or behind the descriptor's name; the mode of an open that creates
 * nothing is no argument. Both are in JSON. */
static bool not_for_people(const struct trace *trace, const struct trace_call *call,
			   const struct table_field *field, const struct table_kind *kind)
{
	if (field->output && kind->style == STYLE_HANDLE)
		return true;
	if (kind->style != STYLE_OCTAL || call->record.word[field->word] ||
	    strcmp(call->function->op, "open"))
		return false;
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		const struct table_field *flags = &call->function->fields[i];
		if (kind_at(trace, flags->kind)->style == STYLE_FLAGS &&
		    has_value(&call->record, flags))
			return !(call->record.word[flags->word] & (FLAG_CREATE | FLAG_TMPFILE));
	}
	return false;
}

/* "name=value, ..." */
static void put_arguments(const struct trace *trace, struct trace_call *call)
{
	bool first = true;
	if (!call->function) {
		for (uint32_t i = 0; i < call->record.words; i++) {
			put_text(i ? ", " : "");
			put_base(call->record.word[i], 16, "0x");
		}
		return;
	}
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		const struct table_field *field = &call->function->fields[i];
		const struct table_kind *kind = kind_at(trace, field->kind);
		if (!has_value(&call->record, field) || kind->style == STYLE_ABSENT ||
		    kind->style == STYLE_NOTHING)
			continue;
		if (not_for_people(trace, call, field, kind))
			continue;
		if (!first)
			put_text(", ");
		first = false;
		put_text(field->name);
		put_char('=');
		put_text_value(call, kind, field);
	}
}

static const struct table_kind *result_kind(const struct trace *trace,
					    const struct trace_call *call)
{
	static const struct table_kind plain = {.name = "", .style = STYLE_SIGNED};
	return call->function ? kind_at(trace, call->function->result_kind) : &plain;
}

/* A result is a plain number even where an argument of its kind would be a pair. */
static void put_result(const struct trace *trace, const struct trace_call *call)
{
	const struct table_kind *kind = result_kind(trace, call);
	if (kind->style == STYLE_FD || kind->style == STYLE_DIRFD || kind->style == STYLE_BYTES ||
	    kind->style == STYLE_UNSIGNED)
		put_signed(call->record.result); /* a failed one is -1 */
	else if (kind->style == STYLE_HANDLE && call->record.result)
		put_char('#'), put_unsigned((uint64_t)call->record.result);
	else if (kind->style == STYLE_HANDLE)
		put_text("NULL");
	else
		put_plain(kind, (uint64_t)call->record.result);
}

static void put_outcome(const struct trace *trace, const struct trace_call *call)
{
	if (call->record.marks & RECORD_UNFINISHED) {
		put_text(" = ? unfinished");
		return;
	}
	if (result_kind(trace, call)->style != STYLE_NOTHING) {
		put_text(" = ");
		put_result(trace, call);
	}
	if (call->record.marks & RECORD_FAILED && call->record.error) {
		const char *name = errno_name(call->record.error);
		put_char(' ');
		if (name)
			put_text(name);
		else
			put_signed(call->record.error);
	}
}

static void put_function(const struct trace_call *call)
{
	if (call->function)
		put_text(call->function->name);
	else
		put_base(call->record.function, 16, "function_0x");
}

static const char *layer_name(const struct trace *trace, const struct trace_call *call)
{
	if (!call->function || call->function->layer >= trace->tables.layer_count)
		return "";
	return trace->tables.layers[call->function->layer];
}

static int64_t entry_ns(const struct trace_call *call)
{
	return ticks_ns(call->record.entry, call->header->resolution);
}

static int64_t duration_ns(const struct trace_call *call)
{
	return ticks_ns((int64_t)((uint64_t)call->record.exit - (uint64_t)call->record.entry),
			call->header->resolution);
}

void print_text(const struct trace *trace, struct trace_call *call)
{
	const struct record *record = &call->record;
	bool unfinished = record->marks & RECORD_UNFINISHED;
	put_seconds(entry_ns(call), 14);
	put_char(' ');
	if (unfinished)
		put_text("       ?");
	else
		put_duration(duration_ns(call));
	put_text("  ");
	if (call->header->rank >= 0) {
		put_char('r');
		put_signed(call->header->rank);
		put_char(' ');
	}
	put_signed(call->header->pid);
	put_char('/');
	put_signed(call->header->tid);
	put_text("  ");
	for (unsigned i = 0; i < record->depth; i++)
		put_text("  ");
	put_function(call);
	put_char('(');
	put_arguments(trace, call);
	put_char(')');
	put_outcome(trace, call);
	if (record->marks & RECORD_VFORK)
		put_text(" [vfork child]");
	put_char('\n');
}

static void put_key(const char *key)
{
	put_text(",\"");
	put_text(key);
	put_text("\":");
}

static void put_json_text(const char *key, struct text text)
{
	if (!text.bytes)
		return;
	put_key(key);
	put_json(text.bytes, text.length);
}

static void put_json_file(const struct trace *trace, struct trace_call *call)
{
	struct trace_file file;
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
	char key[256];
	size_t length = strnlen(name, 200), more = strlen(suffix);
	memcpy(key, name, length);
	memcpy(key + length, suffix, more);
	put_json(key, length + more);
	put_char(':');
}

static void put_json_value(struct trace_call *call, const struct table_kind *kind,
			   const struct table_field *field)
{
	uint64_t word = call->record.word[field->word];
	struct text text;
	struct trace_file file;
	switch (kind->style) {
	case STYLE_NAME:
	case STYLE_STRING:
		text = name_text(call, field);
		if (text.bytes)
			put_json(text.bytes, text.length);
		else
			put_text("null");
		if (kind->style == STYLE_STRING || field->word == call->late_word)
			break;
		text = names_absolute(call->names, (uint32_t)word);
		if (text.bytes) {
			put_char(',');
			put_json_name(field->name, "_absolute");
			put_json(text.bytes, text.length);
		}
		break;
	case STYLE_FD:
	case STYLE_DIRFD:
	case STYLE_HANDLE:
		if (kind->style == STYLE_HANDLE)
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
	case STYLE_OCTAL:
	case STYLE_FLAGS:
	case STYLE_ENUM:
	case STYLE_HEX:
		put_char('"');
		put_plain(kind, word);
		put_char('"');
		break;
	case STYLE_POINTER:
		put_unsigned(word);
		break;
	case STYLE_ABSENT:
	case STYLE_NOTHING:
		put_text("null");
		break;
	case STYLE_SIGNED:
	case STYLE_UNSIGNED:
	case STYLE_BYTES:
	case STYLE_OFFSET:
	case STYLE_TIME:
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
		const struct table_field *field = &call->function->fields[i];
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
	if (result_kind(trace, call)->style != STYLE_NOTHING) {
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

void print_csv_header(void)
{
	put_text("start_ns,duration_ns,process,thread,pid,tid,rank,ordinal,depth,layer,function,"
		 "args,result,error,"
		 "unfinished,vfork,path,absolute,kind,device,inode,identity\r\n");
}

void print_csv(const struct trace *trace, struct trace_call *call)
{
	const struct block_header *header = call->header;
	const struct record *record = &call->record;
	bool unfinished = record->marks & RECORD_UNFINISHED;
	put_signed(entry_ns(call));
	put_char(',');
	if (!unfinished)
		put_signed(duration_ns(call));
	const int64_t numbers[] = {header->process, header->thread, header->pid, header->tid};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		put_char(',');
		put_signed(numbers[i]);
	}
	put_char(',');
	if (header->rank >= 0)
		put_signed(header->rank);
	put_char(',');
	put_unsigned(record->ordinal);
	put_char(',');
	put_unsigned(record->depth);
	put_char(',');
	put_csv(layer_name(trace, call), strlen(layer_name(trace, call)));
	put_char(',');
	put_function(call);
	put_text(",\"");
	output.doubled_quotes = true;
	put_arguments(trace, call);
	output.doubled_quotes = false;
	put_text("\",");
	if (!unfinished && result_kind(trace, call)->style != STYLE_NOTHING)
		put_signed(record->result);
	put_char(',');
	if (record->marks & RECORD_FAILED && record->error) {
		const char *name = errno_name(record->error);
		if (name)
			put_text(name);
		else
			put_signed(record->error);
	}
	put_text(unfinished ? ",1" : ",0");
	put_text(record->marks & RECORD_VFORK ? ",1," : ",0,");
	struct trace_file file = {0};
	bool known = names_file(call->names, &trace->tables, call->function, record, &file);
	put_csv(file.given.bytes ? file.given.bytes : "", file.given.length);
	put_char(',');
	put_csv(file.absolute.bytes ? file.absolute.bytes : "", file.absolute.length);
	put_char(',');
	if (known && file.handle)
		put_text(handle_kind_name(file.kind));
	put_char(',');
	if (file.how != IDENTITY_NONE) {
		put_unsigned(file.device);
		put_char(',');
		put_unsigned(file.inode);
		put_text(file.how == IDENTITY_SEEN ? ",seen" : ",assumed");
	} else {
		put_text(",,");
	}
	put_text("\r\n");
}
