/* Trace: names and files of the rows of a page. See page.h. */
#include "trace/page.h"

#include "codec/decode.h"

#include <string.h>

_Static_assert((int)PAGE_ROWS == (int)TAKE_MOST, "a page is what is taken at a time");

enum { RECENT = 64 };

struct varve_text page_name(const struct page *page, size_t row, int32_t word)
{
	for (size_t i = 0; i < page->late_count; i++)
		if (page->late_row[i] == row && page->late[i].word == word)
			return page->late[i].text;
	if (word < 0 || word >= page->word_count[row])
		return (struct varve_text){0};
	return names_given(page->names, (uint32_t)page->words[page->word_at[row] + (uint32_t)word]);
}

struct named_record page_named(const struct page *page, const struct varve_trace *trace, size_t row)
{
	struct named_record record = {.function = trace_function(trace, page->function[row]),
				      .marks = page->marks[row],
				      .words = page->word_count[row],
				      .word = page->words + page->word_at[row]};
	for (size_t i = page->late_count; i-- > 0;) {
		if (page->late_row[i] != row)
			continue;
		record.late = &page->late[i];
		record.late_count++;
	}
	return record;
}

enum status page_row_follow(const struct page *page, const struct varve_trace *trace, size_t row,
			    struct names *names, size_t at, struct varve_causes *causes)
{
	struct named_record record = page_named(page, trace, row);
	record.marks = page->stored[row];
	return names_follow(names, &trace->tables, &record, at, causes);
}

static bool same_text(struct varve_text a, struct varve_text b)
{
	return a.bytes == b.bytes && a.length == b.length;
}

static bool same_file(const struct varve_file *a, const struct varve_file *b)
{
	return same_text(a->given, b->given) && same_text(a->absolute, b->absolute) &&
	       a->kind == b->kind && a->handle == b->handle && a->how == b->how &&
	       a->device == b->device && a->inode == b->inode;
}

enum status page_files(struct page *page, const struct varve_trace *trace, struct names *names,
		       size_t before, struct varve_causes *causes)
{
	uint16_t recent[RECENT]; /* places of files, by handle and name */
	memset(recent, 0xff, sizeof recent);
	page->file_count = 0;
	for (size_t row = 0; row < page->count; row++) {
		struct named_record record = page_named(page, trace, row);
		struct varve_file file;
		page->file[row] = PAGE_NO_FILE;
		TRY(page_follow(page, trace, row, names, before + row, causes));
		if (!names_file(names, &trace->tables, &record, &file))
			continue;
		size_t key = (file.handle + ((uintptr_t)file.given.bytes >> 3)) % RECENT;
		if (recent[key] == PAGE_NO_FILE || !same_file(&page->files[recent[key]], &file)) {
			recent[key] = (uint16_t)page->file_count;
			page->files[page->file_count++] = file;
		}
		page->file[row] = recent[key];
	}
	return STATUS_OK;
}
