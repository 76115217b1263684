/* Command line: a call as a line of text, for people. See print.h. On the hot path of `dump`: no stdio here. */
#include "cli/colour.h"
#include "cli/output.h"
#include "cli/print_values.h"

#include <string.h>

static void put_file_of(struct trace_call *call, uint32_t handle)
{
	struct trace_file file;
	if (!handle || !names_file_of_handle(call->names, handle, &file))
		return;
	struct text path = file.absolute.bytes ? file.absolute : file.given;
	if (!path.bytes)
		return;
	put_text(" <");
	put_ink(INK_PATH);
	put_escaped(path.bytes, path.length, '>');
	put_ink(INK_NONE);
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
		put_ink(kind->style == STYLE_NAME ? INK_PATH : INK_NONE);
		if (text.bytes)
			put_quoted(text.bytes, text.length);
		else
			put_text(word ? "?" : "NULL");
		put_ink(INK_NONE);
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
void put_arguments(const struct trace *trace, struct trace_call *call)
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
		put_char(' ');
		put_ink(INK_BAD);
		put_errno(&call->record);
		put_ink(INK_NONE);
	}
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
		put_duration(duration_ns(call), 8);
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
	/* Not a call of the program's: the recorder held it up for so long. */
	if (call->function && !strcmp(layer_name(trace, call), "varve"))
		put_text("varve ");
	put_ink(record->marks & RECORD_FAILED ? INK_BAD : INK_FUNCTION);
	put_function(call);
	put_ink(INK_NONE);
	put_char('(');
	put_arguments(trace, call);
	put_char(')');
	put_outcome(trace, call);
	if (record->marks & RECORD_VFORK)
		put_text(" [vfork child]");
	put_char('\n');
}
