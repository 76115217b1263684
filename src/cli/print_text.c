/* Command line: a call as a line of text, for people. See print.h. On the hot path of `dump`: no stdio here. */
#include "cli/output.h"
#include "cli/print_values.h"

#include <string.h>

static void put_file_of(struct trace_call *call, uint32_t handle)
{
	struct varve_file file;
	if (!handle || !names_file_of_handle(call->names, handle, &file))
		return;
	struct varve_text path = file.absolute.bytes ? file.absolute : file.given;
	if (!path.bytes)
		return;
	put_text(" <");
	put_escaped(path.bytes, path.length, '>');
	put_char('>');
}

static void put_text_value(struct trace_call *call, const struct varve_kind *kind,
			   const struct varve_field *field)
{
	uint64_t word = call->record.word[field->word];
	struct varve_text text;
	switch (kind->style) {
	case VARVE_STYLE_NAME:
	case VARVE_STYLE_STRING:
		text = name_text(call, field);
		if (text.bytes)
			put_quoted(text.bytes, text.length);
		else
			put_text(word ? "?" : "NULL");
		break;
	case VARVE_STYLE_HANDLE:
		put_char('#');
		put_unsigned(word);
		put_file_of(call, handle_of(kind->style, word));
		break;
	case VARVE_STYLE_FD:
	case VARVE_STYLE_DIRFD:
		put_plain(kind, word);
		if (pair_fd(word) != FD_CWD)
			put_file_of(call, handle_of(kind->style, word));
		break;
	case VARVE_STYLE_ABSENT:
	case VARVE_STYLE_SIGNED:
	case VARVE_STYLE_UNSIGNED:
	case VARVE_STYLE_HEX:
	case VARVE_STYLE_OCTAL:
	case VARVE_STYLE_FLAGS:
	case VARVE_STYLE_ENUM:
	case VARVE_STYLE_BYTES:
	case VARVE_STYLE_OFFSET:
	case VARVE_STYLE_POINTER:
	case VARVE_STYLE_NOTHING:
	case VARVE_STYLE_TIME:
	default:
		put_plain(kind, word);
		break;
	}
}

enum { FLAG_CREATE = 0100, FLAG_TMPFILE = 020000000 };

/* The number of a new handle stands in the result or behind the descriptor's name; the mode of an open that creates
 * nothing is no argument. Both are in JSON. */
static bool not_for_people(const struct trace *trace, const struct trace_call *call,
			   const struct varve_field *field, const struct varve_kind *kind)
{
	if (field->output && kind->style == VARVE_STYLE_HANDLE)
		return true;
	if (kind->style != VARVE_STYLE_OCTAL || call->record.word[field->word] ||
	    strcmp(call->function->op, "open"))
		return false;
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		const struct varve_field *flags = &call->function->fields[i];
		if (kind_at(trace, flags->kind)->style == VARVE_STYLE_FLAGS &&
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
		const struct varve_field *field = &call->function->fields[i];
		const struct varve_kind *kind = kind_at(trace, field->kind);
		if (!has_value(&call->record, field) || kind->style == VARVE_STYLE_ABSENT ||
		    kind->style == VARVE_STYLE_NOTHING)
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
	const struct varve_kind *kind = result_kind(trace, call);
	if (kind->style == VARVE_STYLE_FD || kind->style == VARVE_STYLE_DIRFD ||
	    kind->style == VARVE_STYLE_BYTES || kind->style == VARVE_STYLE_UNSIGNED)
		put_signed(call->record.result); /* a failed one is -1 */
	else if (kind->style == VARVE_STYLE_HANDLE && call->record.result)
		put_char('#'), put_unsigned((uint64_t)call->record.result);
	else if (kind->style == VARVE_STYLE_HANDLE)
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
	if (result_kind(trace, call)->style != VARVE_STYLE_NOTHING) {
		put_text(" = ");
		put_result(trace, call);
	}
	if (call->record.marks & RECORD_FAILED && call->record.error) {
		put_char(' ');
		put_errno(&call->record);
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
	put_function(call);
	put_char('(');
	put_arguments(trace, call);
	put_char(')');
	put_outcome(trace, call);
	if (record->marks & RECORD_VFORK)
		put_text(" [vfork child]");
	put_char('\n');
}
