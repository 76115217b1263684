/* Pack: determines for each function how its records become events, from the tables of the trace. See stream_packer.h. */
#include "pack/stream_packer.h"

#include <stdlib.h>
#include <string.h>

static enum packed_word word_kind(enum varve_style style)
{
	if (style == VARVE_STYLE_FLAGS || style == VARVE_STYLE_ENUM || style == VARVE_STYLE_OCTAL)
		return WORD_FIXED;
	if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD)
		return WORD_PAIR;
	if (style == VARVE_STYLE_NAME || style == VARVE_STYLE_STRING)
		return WORD_NAME;
	return style == VARVE_STYLE_HANDLE ? WORD_HANDLE : WORD_VALUE;
}

/* Whether a function closes its handle, judged by its op: this only affects which loops are found. */
static bool function_closes(const struct varve_function *function)
{
	return strstr(function->op, "close") || strstr(function->op, "free");
}

static uint8_t first_handle(const struct record_plan *plan)
{
	uint8_t word = 0;
	while (word < RECORD_ARGUMENTS_MOST && plan->kind[word] != WORD_PAIR &&
	       plan->kind[word] != WORD_HANDLE)
		word++;
	return word;
}

/* Determines how rows are remembered, if they are not too long for it. */
static void plan_known(struct record_plan *plan)
{
	plan->columns = 1;
	plan->plain = !plan->runtime_track && plan->result == RESULT_VALUE;
	for (uint8_t i = 0; plan->plain && i < plan->words; i++) {
		enum packed_word kind = (enum packed_word)plan->kind[i];
		plan->plain =
			plan->key_words < KEY_WORDS_MOST && plan->columns + 2 <= KNOWN_COLUMNS;
		if (!plan->plain)
			return;
		if (kind == WORD_VALUE) {
			plan->copy_from[plan->copied] = i;
			plan->copy_to[plan->copied++] = plan->columns++;
			continue;
		}
		plan->key_word_at[plan->key_words++] = i;
		plan->columns =
			(uint8_t)(plan->columns + (kind == WORD_PAIR) + (kind != WORD_FIXED));
		if (kind == WORD_NAME)
			plan->depends |= DEPENDS_NAMES;
		else if (kind != WORD_FIXED)
			plan->depends |= DEPENDS_HANDLES;
	}
}

/* The words of a record that are needed to distinguish its event from others. */
static uint32_t words_of_key(const struct record_plan *plan)
{
	uint32_t some = plan->result == RESULT_HANDLE ? WANT_OUTCOME : 0;
	for (unsigned i = 0; i < plan->words && i < RECORD_ARGUMENTS_MOST; i++)
		some |= plan->kind[i] == WORD_VALUE ? 0 : 1u << i;
	return some;
}

enum varve_status packer_plans(struct stream_packer *packer)
{
	const struct tables *tables = &packer->trace->tables;
	packer->plans = calloc(packer->trace->id_count + 1, sizeof *packer->plans);
	packer->some = calloc(packer->trace->id_count + 1, sizeof *packer->some);
	/* Records may have functions that are in no table. */
	packer->sums = calloc(TRACE_FUNCTIONS, sizeof *packer->sums);
	packer->summed = calloc(TRACE_FUNCTIONS, sizeof *packer->summed);
	if (!packer->plans || !packer->some || !packer->sums || !packer->summed)
		return cause(packer->causes, VARVE_NO_MEMORY, "no memory for the functions");
	for (size_t i = 0; i <= packer->trace->id_count; i++) {
		packer->plans[i].result = RESULT_VALUE;
		packer->plans[i].closed = RECORD_ARGUMENTS_MOST;
		memset(packer->plans[i].kind, WORD_VALUE, sizeof packer->plans[i].kind);
	}
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		struct record_plan *plan = &packer->plans[function->id];
		plan->words = tables->rows[i].words;
		plan->runtime_track = !strcmp(tables->layers[function->layer], "varve");
		if (tables_style(tables, function->result_kind) == VARVE_STYLE_HANDLE)
			plan->result = RESULT_HANDLE;
		for (uint32_t k = 0; k < function->field_count; k++) {
			const struct varve_field *field = &function->fields[k];
			if (field->word < 0 || field->word >= RECORD_ARGUMENTS_MOST)
				continue;
			plan->kind[field->word] =
				(uint8_t)word_kind(tables_style(tables, field->kind));
			plan->outputs |= field->output ? 1u << field->word : 0;
		}
		if (function_closes(function))
			plan->closed = first_handle(plan);
		plan_known(plan);
		plan->misses_left = plan->plain ? MISSES_MOST : 0;
		packer->some[function->id] = words_of_key(plan);
	}
	return VARVE_OK;
}
