/* Trace: names and files of the rows of a page. See page.h. */
#include "trace/cursor/page.h"

#include "codec/host/decode.h"

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

enum varve_status page_row_follow(const struct page *page, const struct varve_trace *trace,
				  size_t row, struct names *names, size_t at,
				  struct varve_causes *causes)
{
	struct named_record record = page_named(page, trace, row);
	record.marks = page->stored[row];
	return names_follow(names, &trace->tables, &record, at, causes);
}

static bool borrowed_alike(struct varve_text a, struct varve_text b)
{
	return a.bytes == b.bytes && a.length == b.length;
}

static bool equal_files(const struct varve_file *a, const struct varve_file *b)
{
	return borrowed_alike(a->given, b->given) && borrowed_alike(a->absolute, b->absolute) &&
	       a->kind == b->kind && a->handle == b->handle && a->how == b->how &&
	       a->device == b->device && a->inode == b->inode;
}

/* The files found for a row with these words; valid until names change. */
enum { FILE_WORDS = 3, FOUND_FUNCTIONS = 16 };
struct found {
	uint32_t learned; /* value of key.learned at that time */
	uint16_t function;
	uint16_t file[2];
	uint8_t side[2];
	uint8_t marks, words;
	uint64_t word[FILE_WORDS];
};

/* The words of a row that determine its file; false: there are too many to compare. */
static bool row_words(const struct page *page, const struct varve_trace *trace, size_t row,
		      struct found *key)
{
	uint32_t words =
		page->function[row] < trace->id_count ? trace->file_words[page->function[row]] : 0;
	const uint64_t *word = page->words + page->word_at[row];
	key->function = page->function[row];
	key->marks = page->marks[row] & (VARVE_FAILED | VARVE_UNFINISHED);
	key->words = page->word_count[row];
	unsigned count = 0;
	for (; words && count < FILE_WORDS; words &= words - 1) {
		unsigned at = (unsigned)__builtin_ctz(words);
		key->word[count++] = at < key->words ? word[at] : 0;
	}
	while (count < FILE_WORDS)
		key->word[count++] = 0;
	return !words && !page->late_count;
}

static bool same_key(const struct found *a, const struct found *b)
{
	return a->learned == b->learned && a->function == b->function && a->marks == b->marks &&
	       a->words == b->words && a->word[0] == b->word[0] && a->word[1] == b->word[1] &&
	       a->word[2] == b->word[2];
}

/* The index of a file in the list of the page. */
static uint16_t page_file_place(struct page *page, const struct varve_file *file, uint16_t *recent)
{
	uint16_t *place = &recent[(file->handle + ((uintptr_t)file->given.bytes >> 3)) % RECENT];
	if (*place == PAGE_NO_FILE || !equal_files(&page->files[*place], file)) {
		*place = (uint16_t)page->file_count;
		page->files[page->file_count++] = *file;
	}
	return *place;
}

static void files_of(struct page *page, const struct varve_trace *trace, struct names *names,
		     size_t row, uint16_t *recent, struct found *found)
{
	struct named_record record = page_named(page, trace, row);
	struct record_files files;
	names_files(names, &trace->tables, &record, &files);
	for (size_t i = 0; i < 2; i++) {
		found->file[i] = files.known[i] ? page_file_place(page, &files.file[i], recent)
						: PAGE_NO_FILE;
		found->side[i] = files.side[i];
	}
}

enum varve_status page_files(struct page *page, const struct varve_trace *trace,
			     struct names *names, size_t before, struct varve_causes *causes)
{
	uint16_t recent[RECENT]; /* indices of files, by handle and name */
	struct found found[FOUND_FUNCTIONS];
	struct found key = {.learned = 1};
	memset(recent, 0xff, sizeof recent);
	memset(found, 0, sizeof found);
	page->file_count = 0;
	for (size_t row = 0; row < page->count; row++) {
		if (names->applied != names->definitions->count ||
		    trace_makes(trace, page->function[row])) {
			TRY(page_row_follow(page, trace, row, names, before + row, causes));
			key.learned++;
		}
		bool known = row_words(page, trace, row, &key);
		struct found *place = &found[key.function % FOUND_FUNCTIONS];
		if (!known || !same_key(place, &key)) {
			files_of(page, trace, names, row, recent, &key);
			*place = key;
			place->learned = known ? key.learned : 0;
		}
		page->file[row] = place->file[0];
		page->second[row] = place->file[1];
		page->side[0][row] = place->side[0];
		page->side[1][row] = place->side[1];
	}
	return VARVE_OK;
}
