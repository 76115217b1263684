/* Trace: values in a filter that do not occur in the trace: a misspelled name, a rank that was not recorded; and enclosing
 * calls that a slice removed.
 *
 * Reads headers and definitions, never records. A text is searched in all names that blocks define, so a region is found
 * by its name and a file by its path. Values that cannot be checked this way (numbers of other fields) are skipped.
 */
#include "base/key_values.h"
#include "codec/host/decode.h"
#include "trace/definitions.h"
#include "trace/filter/filter.h"
#include "trace/filter/filter_tree.h"
#include "trace/names/names.h"

#include <stdlib.h>
#include <string.h>

/* A value to search. */
struct sought {
	const struct term *term;
	const struct item *item; /* NULL: the numbers of the term */
	bool found;
};

struct search {
	struct varve_trace *trace;
	const struct varve_filter *filter;
	struct sought *list;
	size_t count;
	bool definitions;	  /* some values are names that blocks define */
	bool ranks;		  /* some process has a rank */
	int64_t begin_ns, end_ns; /* of all blocks */
};

static bool field_is_defined(enum field_id id)
{
	return id == FIELD_PATH || id == FIELD_ABSOLUTE || id == FIELD_FILE ||
	       id == FIELD_EXTENSION || id == FIELD_REGION;
}

static bool field_is_text(enum field_id id)
{
	return field_is_defined(id) || id == FIELD_FUNCTION || id == FIELD_LAYER ||
	       id == FIELD_HOST || id == FIELD_PROGRAM;
}

static bool field_is_number(enum field_id id)
{
	return id == FIELD_RANK || id == FIELD_WORLD || id == FIELD_PROCESS || id == FIELD_PID;
}

static bool field_is_moment(enum field_id id)
{
	return id == FIELD_TIME || id == FIELD_END;
}

static void sought_add(struct search *search, const struct term *term, const struct item *item)
{
	if (search->list)
		search->list[search->count] = (struct sought){.term = term, .item = item};
	search->count++;
}

/* Counts the values to search; if there is a list, fills it. */
static void sought_collect(struct search *search, const struct term *term)
{
	for (const struct term *child = term->first; child; child = child->next)
		sought_collect(search, child);
	if (term->type != TERM_COMPARE)
		return;
	enum field_id id = term->field->id;
	search->definitions |= field_is_defined(id);
	if ((field_is_number(id) && (term->op == WORD_EQUAL || term->op == WORD_IN)) ||
	    (field_is_moment(id) && !term->negate))
		sought_add(search, term, NULL);
	if (!field_is_text(id))
		return;
	for (const struct item *item = term->items; item; item = item->next)
		sought_add(search, term, item);
}

static bool sought_fits(const struct sought *sought, struct varve_text text)
{
	struct item alone = {.low = sought->item->low};
	struct matcher matcher = sought->term->matcher;
	matcher.items = &alone;
	return text.bytes && matcher_fits(&matcher, text);
}

static void search_text(struct search *search, enum field_id id, struct varve_text text)
{
	for (size_t i = 0; i < search->count; i++) {
		struct sought *sought = &search->list[i];
		if (sought->item && sought->term->field->id == id && !sought->found)
			sought->found = sought_fits(sought, text);
	}
}

static void search_name(struct search *search, const struct varve_file *file)
{
	struct varve_text text;
	search_text(search, FIELD_REGION, file->given);
	for (enum field_id id = FIELD_PATH; id <= FIELD_EXTENSION; id++)
		if (file_text(file, id, &text))
			search_text(search, id, text);
}

/* Whether a record of the block can have such a time. A clock may have gone back: no end is too early. */
static bool moment_fits(const struct term *term, int64_t begin_ns, int64_t end_ns)
{
	uint64_t low = term->field->id == FIELD_TIME ? key_signed(begin_ns) : 0;
	return numbers_verdict(&term->numbers, low, key_signed(end_ns)) != FILTER_NONE;
}

static void search_header(struct search *search, const struct trace_block *block)
{
	struct varve_text text;
	uint64_t key;
	int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
	search->ranks |= block->header.rank >= 0;
	if (block_moments(&block->header, &begin_ns, &end_ns)) {
		search->begin_ns = begin_ns < search->begin_ns ? begin_ns : search->begin_ns;
		search->end_ns = end_ns > search->end_ns ? end_ns : search->end_ns;
	}
	for (size_t i = 0; i < search->count; i++) {
		struct sought *sought = &search->list[i];
		enum field_id id = sought->term->field->id;
		if (field_is_moment(id))
			sought->found |= moment_fits(sought->term, begin_ns, end_ns);
		else if (!sought->item)
			sought->found |= process_key(search->filter, &block->header, id, &key) &&
					 numbers_hold(&sought->term->numbers, key);
		else if ((id == FIELD_HOST || id == FIELD_PROGRAM) &&
			 process_text(search->trace, &block->header, id, &text))
			sought->found |= sought_fits(sought, text);
	}
}

static void search_functions(struct search *search, const uint8_t *called)
{
	const struct tables *tables = &search->trace->tables;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		if (!called[function->id])
			continue;
		const char *layer = tables->layers[function->layer];
		search_text(search, FIELD_FUNCTION,
			    (struct varve_text){function->name, strlen(function->name)});
		search_text(search, FIELD_LAYER, (struct varve_text){layer, strlen(layer)});
	}
}

static enum varve_status search_definitions(struct search *search, struct trace_block *block,
					    struct names *names, struct varve_causes *causes)
{
	struct definitions definitions;
	enum varve_status status = block_names(search->trace, block, &definitions, names, causes);
	for (size_t i = 0; status == VARVE_OK && i < definitions.count; i++) {
		struct varve_file file;
		if (definitions.list[i].type == DEFINE_NAME &&
		    names_file_of_name(names, definitions.list[i].id, &file))
			search_name(search, &file);
	}
	definitions_clear(&definitions);
	return status;
}

static enum varve_status blocks_look(struct search *search, uint8_t *called,
				     struct varve_causes *causes)
{
	struct names names = {0};
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; status == VARVE_OK && i < search->trace->block_count; i++) {
		struct trace_block *block = &search->trace->blocks[i];
		if (block->bad || !block->header.records)
			continue;
		search_header(search, block);
		for (uint32_t k = 0; k < block->header.summaries; k++)
			called[block_summary_at(block->bytes, &block->header, k).function] = 1;
		if (!block_summarized(&block->header))
			memset(called, 1, TRACE_FUNCTIONS);
		if (search->definitions)
			status = search_definitions(search, block, &names, causes);
	}
	names_clear(&names);
	if (status == VARVE_OK)
		search_functions(search, called);
	return status;
}

static void absent_note(const struct search *search, const struct sought *sought,
			struct varve_causes *notes)
{
	const char *name = sought->term->field->name;
	if (field_is_moment(sought->term->field->id)) {
		if (search->begin_ns <= search->end_ns)
			cause(notes, VARVE_ABSENT,
			      "no record in this trace matches the given %s; the trace begins at "
			      "%.9fs and ends at %.9fs",
			      name, (double)search->begin_ns / 1e9, (double)search->end_ns / 1e9);
		return;
	}
	if (sought->term->field->id == FIELD_RANK && !search->ranks) {
		cause(notes, VARVE_ABSENT,
		      "the trace has no ranks: it is not of a parallel program");
		return;
	}
	if (!sought->item) {
		cause(notes, VARVE_ABSENT, "no record in this trace matches the given %s", name);
		return;
	}
	const struct literal *literal = sought->item->low;
	struct shown shown = filter_shown(literal->bytes, literal->length);
	enum word_type op = sought->term->op;
	bool literally = op == WORD_EQUAL || op == WORD_UNEQUAL || op == WORD_IN;
	cause(notes, VARVE_ABSENT, "no record in this trace matches the given %s `%s`%s", name,
	      shown.text,
	      literally && strpbrk(literal->bytes, "*?[")
		      ? "; == and in compare literally: for patterns write `like`"
		      : "");
}

static bool term_asks_around(const struct term *term)
{
	bool found = term->type == TERM_INSIDE ||
		     (term->field &&
		      (term->field->source == OF_PARENT || term->field->source == OF_REGION));
	for (const struct term *child = term->first; child && !found; child = child->next)
		found = term_asks_around(child);
	return found;
}

/* The option in a key "slice.OPTION", or "slice.N.OPTION" of a source that was joined, if the option selects calls. */
static const char *slice_option(const struct key_value *entry)
{
	static const char prefix[] = "slice.";
	static const char *const options[] = {"from", "to", "file", "function", "layer", "where"};
	size_t at = sizeof prefix - 1;
	if (entry->key_length <= at || memcmp(entry->key, prefix, at) != 0)
		return NULL;
	while (at < entry->key_length && strchr("0123456789.", entry->key[at]))
		at++;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strlen(options[i]) == entry->key_length - at &&
		    !memcmp(options[i], entry->key + at, entry->key_length - at))
			return options[i];
	return NULL;
}

/* A slice by these options contains calls without their enclosing calls, and so does a join of such slices. */
static void slice_note(const struct varve_trace *trace, struct varve_causes *notes)
{
	struct key_value entry;
	const char *option = NULL;
	const struct trace_node *node = trace->node_count ? trace->nodes : NULL;
	for (size_t at = 0;
	     node && !option &&
	     key_values_next(node->description, node->description_length, &at, &entry);)
		option = slice_option(&entry);
	if (option)
		cause(notes, VARVE_ABSENT,
		      "this trace was written by `varve slice --%s`: `inside`, `parent` and "
		      "`region` match only calls whose enclosing call is in the slice",
		      option);
}

enum varve_status filter_absent(struct varve_trace *trace, const struct varve_filter *filter,
				struct varve_causes *notes)
{
	struct search search = {
		.trace = trace, .filter = filter, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
	if (term_asks_around(filter->root))
		slice_note(trace, notes);
	sought_collect(&search, filter->root);
	if (!search.count)
		return VARVE_OK;
	uint8_t *called = calloc(TRACE_FUNCTIONS, 1);
	search.list = calloc(search.count, sizeof *search.list);
	enum varve_status status =
		search.list && called ? VARVE_OK
				      : cause(notes, VARVE_NO_MEMORY, "no memory for a filter");
	search.count = 0;
	if (status == VARVE_OK) {
		sought_collect(&search, filter->root);
		status = blocks_look(&search, called, notes);
	}
	for (size_t i = 0; status == VARVE_OK && i < search.count; i++)
		if (!search.list[i].found && notes->count < VARVE_CAUSES_MOST)
			absent_note(&search, &search.list[i], notes);
	free(search.list);
	free(called);
	return status;
}
