/* Command line: prints a call as a line of text. See print.h. On the hot path of `dump`: no stdio here. */
#include "cli/print/code.h"
#include "cli/print/exec_images.h"
#include "cli/print/print_values.h"
#include "cli/print/print_words.h"
#include "cli/print/runtime_calls.h"
#include "cli/selection/selection.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"

#include <string.h>

static void put_file_of(const struct varve_argument *argument)
{
	if (!argument->absolute.bytes)
		return;
	put_text(" <");
	put_ink(INK_PATH);
	put_escaped(argument->absolute.bytes, argument->absolute.length, '>');
	put_ink(INK_NONE);
	put_char('>');
}

static void put_text_value(const struct varve_trace *trace, const struct varve_call *call,
			   const struct varve_argument *argument)
{
	if (put_words_of(trace, call, argument))
		return;
	switch (argument->kind->style) {
	case VARVE_STYLE_NAME:
	case VARVE_STYLE_STRING:
		put_ink(argument->kind->style == VARVE_STYLE_NAME ? INK_PATH : INK_NONE);
		if (argument->text.bytes)
			put_quoted(argument->text.bytes, argument->text.length);
		else
			put_text(argument->word ? "?" : "NULL");
		put_ink(INK_NONE);
		break;
	case VARVE_STYLE_HANDLE:
		put_char('#');
		put_unsigned(argument->word);
		put_file_of(argument);
		break;
	case VARVE_STYLE_FD:
	case VARVE_STYLE_DIRFD:
		put_plain(argument->kind, argument->word);
		if (argument->fd != FD_CWD)
			put_file_of(argument);
		break;
	case VARVE_STYLE_HEX:
		if (code_is(argument->kind))
			put_code(call->stream->process, argument->word);
		else
			put_plain(argument->kind, argument->word);
		break;
	case VARVE_STYLE_ABSENT:
	case VARVE_STYLE_SIGNED:
	case VARVE_STYLE_UNSIGNED:
	case VARVE_STYLE_OCTAL:
	case VARVE_STYLE_FLAGS:
	case VARVE_STYLE_ENUM:
	case VARVE_STYLE_BYTES:
	case VARVE_STYLE_OFFSET:
	case VARVE_STYLE_POINTER:
	case VARVE_STYLE_NOTHING:
	case VARVE_STYLE_TIME:
	default:
		put_plain(argument->kind, argument->word);
		break;
	}
}

enum { FLAG_CREATE = 0100, FLAG_TMPFILE = 020000000 };

/* Arguments that text does not show: an unknown offset; the handle of a new descriptor, which is in the result or after
 * its name; the mode of an open that creates no file. JSON has them. */
static bool not_for_people(const struct varve_call *call, const struct varve_argument *argument)
{
	struct varve_argument flags;
	if (argument->field->output && argument->kind->style == VARVE_STYLE_HANDLE &&
	    !strcmp(argument->field->name, "handle"))
		return true;
	if (!strcmp(argument->kind->name, "byte_offset"))
		return (int64_t)argument->word < 0;
	if (argument->kind->style != VARVE_STYLE_OCTAL || argument->word ||
	    strcmp(call->function->op, "open"))
		return false;
	for (uint32_t i = 0; i < call->function->field_count; i++)
		if (varve_call_argument(call, i, &flags) && flags.kind->style == VARVE_STYLE_FLAGS)
			return !(flags.word & (FLAG_CREATE | FLAG_TMPFILE));
	return false;
}

/* "name=value, ..." */
void put_arguments(const struct varve_trace *trace, const struct varve_call *call)
{
	bool first = true;
	if (!call->function) {
		for (uint32_t i = 0; i < call->word_count; i++) {
			put_text(i ? ", " : "");
			put_base(call->words[i], 16, "0x");
		}
		return;
	}
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		struct varve_argument argument;
		if (!varve_call_argument(call, i, &argument) ||
		    argument.kind->style == VARVE_STYLE_ABSENT ||
		    argument.kind->style == VARVE_STYLE_NOTHING || not_for_people(call, &argument))
			continue;
		if (!first)
			put_text(", ");
		first = false;
		put_text(argument.field->name);
		put_char('=');
		put_text_value(trace, call, &argument);
	}
}

/* A result is a plain number even for kinds whose arguments are pairs. */
static void put_result(const struct varve_trace *trace, const struct varve_call *call)
{
	const struct varve_kind *kind = result_kind(trace, call);
	if (pointer_absent(trace, kind, (uint64_t)call->result))
		put_text("ok");
	else if (put_words_of_result(trace, call, kind))
		return;
	/* a failed call returns -1, also MAP_FAILED */
	else if (kind->style == VARVE_STYLE_FD || kind->style == VARVE_STYLE_DIRFD ||
		 kind->style == VARVE_STYLE_BYTES || kind->style == VARVE_STYLE_UNSIGNED ||
		 (kind->style == VARVE_STYLE_POINTER && call->marks & VARVE_FAILED))
		put_signed(call->result);
	else if (kind->style == VARVE_STYLE_HANDLE && call->result > 0)
		put_char('#'), put_unsigned((uint64_t)call->result);
	else if (kind->style == VARVE_STYLE_HANDLE)
		put_text("NULL");
	else
		put_plain(kind, (uint64_t)call->result);
}

static void put_outcome(const struct varve_trace *trace, const struct varve_call *call)
{
	uint32_t image = image_after(call);
	if (image) {
		put_text(" = 0, now process ");
		put_unsigned(image);
		return;
	}
	if (call->marks & VARVE_UNFINISHED) {
		put_text(" = ? unfinished");
		return;
	}
	if (result_kind(trace, call)->style != VARVE_STYLE_NOTHING) {
		put_text(" = ");
		put_result(trace, call);
	}
	if (call->marks & VARVE_FAILED && (call->error || error_name(trace, call))) {
		put_char(' ');
		put_ink(INK_BAD);
		put_error(trace, call);
		put_ink(INK_NONE);
	}
}

void print_text(const struct varve_trace *trace, const struct varve_call *call)
{
	bool known = duration_known(call);
	enum varve_time_kind kind = varve_time_kind_of(trace);
	if (kind == VARVE_TIME_NONE) {
		put_text("             -        -");
	} else {
		/* "~": the time was not measured; it is the mean of this place in the program */
		if (kind == VARVE_TIME_HISTOGRAM)
			put_char('~');
		put_seconds(call->start, kind == VARVE_TIME_HISTOGRAM ? 13 : 14);
		put_text(kind == VARVE_TIME_HISTOGRAM && known ? " ~" : " ");
		if (!known)
			put_text("       ?");
		else
			put_duration(call_duration(call), kind == VARVE_TIME_HISTOGRAM ? 7 : 8);
	}
	put_text("  ");
	if (call->stream->rank >= 0) {
		put_char('r');
		put_signed(call->stream->rank);
		put_char(' ');
	}
	put_signed(call->stream->pid);
	put_char('/');
	put_signed(call->stream->tid);
	put_text("  ");
	for (unsigned i = 0; i < call->depth; i++)
		put_text("  ");
	/* not a call of the program: a record about work of the recorder, which delayed the program */
	if (call->function && is_of_recorder(trace, call->function))
		put_text("varve ");
	put_ink(call->marks & VARVE_FAILED ? INK_BAD : INK_FUNCTION);
	put_function(call);
	put_ink(INK_NONE);
	put_char('(');
	put_arguments(trace, call);
	put_char(')');
	put_outcome(trace, call);
	if (call->marks & VARVE_VFORK)
		put_text(" [vfork child]");
	if (is_runtime(call))
		put_text(" [runtime]");
	put_char('\n');
}
