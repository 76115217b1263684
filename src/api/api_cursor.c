/* Library: cursors, and the files and arguments of calls. See <varve/cursor.h>. */
#include "trace/cursor/cursor.h"
#include "trace/filter/filter.h"

enum varve_status varve_filter_make(const struct varve_trace *trace, const char *text,
				    struct varve_filter **filter, size_t *column,
				    struct varve_causes *causes)
{
	size_t ignored;
	return filter_make(trace, text, filter, column ? column : &ignored, causes);
}

enum varve_status varve_filter_absent(struct varve_trace *trace, const struct varve_filter *filter,
				      struct varve_causes *notes)
{
	return filter_absent(trace, filter, notes);
}

void varve_filter_free(struct varve_filter *filter)
{
	filter_free(filter);
}

const char *varve_filter_field(size_t at, const char **help)
{
	return filter_field(at, help);
}

enum varve_status varve_cursor_open(struct varve_trace *trace, const struct varve_query *query,
				    struct varve_cursor **cursor, struct varve_causes *causes)
{
	const struct trace_filter filter = {.process = query->process,
					    .thread = query->thread,
					    .from_ns = query->from_ns,
					    .to_ns = query->to_ns,
					    .functions = query->functions,
					    .where = query->filter};
	unsigned columns = query->columns;
	*cursor = NULL;
	enum varve_status status = filter_fits(query->filter, trace, causes);
	if (status != VARVE_OK)
		return status;
	if (columns & VARVE_FILES)
		columns |= VARVE_ARGUMENTS | VARVE_RESULTS;
	return cursor_open(trace, &filter, query->order, columns, cursor, causes);
}

enum varve_status varve_cursor_next(struct varve_cursor *cursor, const struct varve_call **call,
				    struct varve_causes *causes)
{
	return cursor_next(cursor, call, causes);
}

enum varve_status varve_cursor_batch(struct varve_cursor *cursor, const struct varve_batch **batch,
				     struct varve_causes *causes)
{
	return cursor_batch(cursor, batch, causes);
}

void varve_cursor_close(struct varve_cursor *cursor)
{
	cursor_close(cursor);
}

void varve_cursor_progress(const struct varve_cursor *cursor, uint64_t *done, uint64_t *all)
{
	cursor_progress(cursor, done, all);
}

bool varve_call_file(const struct varve_call *call, struct varve_file *file)
{
	struct names *names = names_of_call(call);
	*file = (struct varve_file){0};
	if (!names)
		return false;
	struct named_record record = call_named(call);
	return names_file(names, &call_trace(call)->tables, &record, file);
}

bool varve_call_second_file(const struct varve_call *call, struct varve_file *file)
{
	struct names *names = names_of_call(call);
	*file = (struct varve_file){0};
	if (!names)
		return false;
	struct named_record record = call_named(call);
	struct record_files files;
	names_files(names, &call_trace(call)->tables, &record, &files);
	if (files.known[1])
		*file = files.file[1];
	return files.known[1];
}

static bool call_returned(const struct varve_call *call)
{
	return !(call->marks & (VARVE_FAILED | VARVE_UNFINISHED));
}

bool varve_call_size(const struct varve_call *call, uint64_t *size)
{
	*size = 0;
	return call->function && call_knows(call, WANT_RESULTS) &&
	       moved_bytes(call->function->bytes_rule, call->function->bytes_word, call->marks,
			   call->result, call->words, call->word_count, size);
}

/* The first recorded argument of one of two styles; false: there is none. */
static bool word_of_style(const struct varve_call *call, enum varve_style one,
			  enum varve_style other, bool output, uint64_t *word)
{
	const struct tables *tables = &call_trace(call)->tables;
	if (!call->function)
		return false;
	const struct varve_field *field =
		tables_field(tables, call->function, one, other, output, call->word_count);
	if (field)
		*word = call->words[field->word];
	return field != NULL;
}

bool varve_call_fd(const struct varve_call *call, int32_t *fd)
{
	uint64_t word;
	bool known = word_of_style(call, VARVE_STYLE_FD, VARVE_STYLE_DIRFD, false, &word) ||
		     (call_returned(call) &&
		      word_of_style(call, VARVE_STYLE_FD, VARVE_STYLE_DIRFD, true, &word));
	*fd = known ? pair_fd(word) : -1;
	return known;
}

bool varve_call_offset(const struct varve_call *call, int64_t *offset)
{
	const struct varve_field *field =
		call->function
			? tables_offset(&call_trace(call)->tables, call->function, call->word_count)
			: NULL;
	*offset = 0;
	if (!field || (field->output && !call_returned(call)))
		return false;
	*offset = (int64_t)call->words[field->word];
	if (!field->output)
		return !tables_absent(&call_trace(call)->tables.kinds[field->kind],
				      call->words[field->word]);
	return *offset >= 0;
}

/* The texts of an argument. */
static void argument_texts(const struct varve_call *call, struct varve_argument *argument)
{
	struct names *names = names_of_call(call);
	struct named_record record = call_named(call);
	const struct named_late *late =
		argument->field->output ? late_find(&record, argument->field->word) : NULL;
	struct varve_file file;
	if (late) {
		argument->text = late->text;
		if (argument->kind->style != VARVE_STYLE_STRING)
			argument->absolute = late->file.absolute;
		return;
	}
	enum varve_style style = argument->kind->style;
	if (!names)
		return;
	if (style == VARVE_STYLE_NAME || style == VARVE_STYLE_STRING)
		argument->text = names_given(names, (uint32_t)argument->word);
	if (style == VARVE_STYLE_NAME)
		argument->absolute = names_absolute(names, (uint32_t)argument->word);
	else if (argument->handle && names_file_of_handle(names, argument->handle, &file))
		argument->absolute = file.absolute;
}

bool varve_call_argument(const struct varve_call *call, size_t at, struct varve_argument *argument)
{
	*argument = (struct varve_argument){.fd = -1};
	if (!call->function || at >= call->function->field_count)
		return false;
	const struct varve_field *field = &call->function->fields[at];
	if (field->word < 0 || (uint32_t)field->word >= call->word_count ||
	    (field->output && !call_returned(call)))
		return false;
	argument->field = field;
	argument->kind = varve_kind_at(call_trace(call), field->kind);
	argument->word = call->words[field->word];
	if (field->output && !tables_set(argument->kind, call->result, argument->word))
		return false;
	enum varve_style style = argument->kind->style;
	if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD) {
		argument->fd = pair_fd(argument->word);
		argument->handle = pair_handle(argument->word);
	} else if (style == VARVE_STYLE_HANDLE) {
		argument->handle = (uint32_t)argument->word;
	}
	argument_texts(call, argument);
	return true;
}
