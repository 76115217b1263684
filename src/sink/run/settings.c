/* Sink: the settings of a run. See settings.h. */
#include "sink/run/settings.h"

#include "base/key_values.h"
#include "base/parse.h"
#include "base/pattern.h"
#include "base/text.h"
#include "codec/inprocess/peephole.h"
#include "codec/rows.h"

#include <string.h>

/* The tables of calls at the beginning of a trace take some 60 KiB. */
enum { LIMIT_LEAST = 128 << 10 };
enum { LANE_LEAST = 64 << 10, LANE_MOST = 64 << 20, RESOLUTION_MOST = 1000000000 };

const struct setting settings_table[SETTING_COUNT] = {
#define SETTING(id, name, letter, variable, value, takes, otherwise, help)                         \
	[SETTING_##id] = {name, letter, variable, value, takes, otherwise, help},
#include "sink/run/settings.def"
#undef SETTING
};

static bool no_good(struct setting_fault *fault, const char *expected)
{
	fault->kind = FAULT_VALUE;
	fault->expected = expected;
	return false;
}

bool setting_names_call(const char *word, size_t length, size_t row)
{
	char pattern[64];
	const char *name = call_text + call_names[row].name,
		   *layer = call_text + call_names[row].layer;
	if (length >= sizeof pattern || call_names[row].internal)
		return false;
	memcpy(pattern, word, length);
	pattern[length] = 0;
	return pattern_fits(pattern, name, strlen(name)) || !strcmp(pattern, layer);
}

/* Marks the calls that match one word; --layer only accepts whole layers. False: none match. */
static bool word_mark(struct run_settings *settings, enum setting_id id, const char *word,
		      size_t length, uint8_t mark)
{
	bool any = false;
	for (size_t row = 0; length && row < call_rows_count; row++) {
		const char *layer = call_text + call_names[row].layer;
		bool whole = strlen(layer) == length && !memcmp(layer, word, length);
		if (!setting_names_call(word, length, row) || (id == SETTING_LAYER && !whole))
			continue;
		any = true;
		settings->asked[call_rows[row].id] |= mark;
	}
	return any;
}

/* Marks the calls of a list such as "open,*stat*,stdio", if each of its words matches some. */
static bool rows_mark(struct run_settings *settings, enum setting_id id, const char *list,
		      uint8_t mark, struct setting_fault *fault)
{
	for (int pass = 0; pass < 2; pass++) {
		for (const char *word = list;; word++) {
			size_t length = strcspn(word, ",");
			if (!word_mark(settings, id, word, length, pass ? mark : 0)) {
				size_t most = sizeof fault->word - 1;
				size_t kept = length < most ? length : most;
				fault->kind = FAULT_NAME;
				memcpy(fault->word, word, kept);
				fault->word[kept] = 0;
				return false;
			}
			word += length;
			if (!*word)
				break;
		}
	}
	settings->only |= mark == ASKED_ONLY;
	return true;
}

static bool list_put(const char **text, const char *value, bool good, const char *expected,
		     struct setting_fault *fault)
{
	if (!good)
		return no_good(fault, expected);
	*text = value;
	return true;
}

/* Whether the list of patterns contains this one with this sign. */
static bool pattern_there(const struct choice *choice, char sign, const char *pattern)
{
	for (const char *at = choice->patterns; *at; at += strlen(at) + 1)
		if (*at == sign && !strcmp(at + 1, pattern))
			return true;
	return false;
}

static bool pattern_put(struct choice *choice, char sign, const char *pattern,
			struct setting_fault *fault)
{
	size_t used = 0, length = strlen(pattern);
	if (!length)
		return no_good(fault, "a pattern of paths as in '/data/*' or '*.tmp'");
	while (choice->patterns[used])
		used += strlen(choice->patterns + used) + 1;
	if (used + length + 3 > sizeof choice->patterns) {
		fault->kind = FAULT_ROOM;
		return false;
	}
	choice->patterns[used] = sign;
	memcpy(choice->patterns + used + 1, pattern, length + 1);
	return true;
}

static bool ranks_put(struct choice *choice, const char *list, struct setting_fault *fault)
{
	bool good;
	parse_ranks(list, 0, &good);
	if (!good)
		return no_good(fault, "a list of ranks as in 0,4-7 or 0:64:16");
	if (strlen(list) >= sizeof choice->ranks) {
		fault->kind = FAULT_ROOM;
		return false;
	}
	memcpy(choice->ranks, list, strlen(list) + 1);
	return true;
}

static bool limit_put(struct run_settings *settings, const char *value, struct setting_fault *fault)
{
	uint64_t limit;
	if (!parse_size(value, &limit) || limit < LIMIT_LEAST)
		return no_good(fault, "a size of at least 128K, as in 500M or 2G");
	settings->limit = limit;
	return true;
}

static bool time_put(const char *value, int64_t *ns, struct setting_fault *fault)
{
	int64_t read;
	if (!parse_time(value, &read) || read <= 0)
		return no_good(fault, "a time above zero, as in 1.5s or 20ms");
	*ns = read;
	return true;
}

static bool buffer_put(struct run_settings *settings, const char *value,
		       struct setting_fault *fault)
{
	uint64_t bytes;
	if (!parse_size(value, &bytes) || bytes < LANE_LEAST || bytes > LANE_MOST)
		return no_good(fault, "a size from 64K to 64M");
	settings->lane_size = (bytes + 4095) / 4096 * 4096;
	return true;
}

static bool resolution_put(struct run_settings *settings, const char *value,
			   struct setting_fault *fault)
{
	int64_t ns;
	/* A plain number would be seconds, but is more often meant as nanoseconds. */
	if (strspn(value, "0123456789.") == strlen(value))
		return no_good(fault, "a time from 1ns to 1s, as in 100ns or 1us; it needs a unit");
	if (!parse_time(value, &ns) || ns < 1 || ns > RESOLUTION_MOST)
		return no_good(fault, "a time from 1ns to 1s, as in 100ns or 1us");
	settings->resolution = (uint32_t)ns;
	return true;
}

static bool flag_put(uint32_t *flag, const char *value, struct setting_fault *fault)
{
	bool truth;
	if (!parse_truth(value, &truth))
		return no_good(fault, "yes or no");
	*flag = truth;
	return true;
}

static bool clock_put(struct run_settings *settings, const char *value, struct setting_fault *fault)
{
	if (strcmp(value, "tsc") && strcmp(value, "monotonic"))
		return no_good(fault, "tsc or monotonic");
	settings->clock_kind = strcmp(value, "tsc") ? CLOCK_KIND_MONOTONIC : CLOCK_KIND_TSC;
	return true;
}

static bool codec_put(struct run_settings *settings, const char *value, struct setting_fault *fault)
{
	bool columns = !strcmp(value, "columns"), binary = !strcmp(value, "binary");
	if (!columns && !binary && strcmp(value, "peephole"))
		return no_good(fault, "columns, binary or peephole");
	settings->codec = columns ? CODEC_COLUMNS : CODEC_PEEPHOLE;
	settings->uncompressed = binary;
	return true;
}

static bool window_put(struct run_settings *settings, const char *value,
		       struct setting_fault *fault)
{
	uint64_t window;
	if (!parse_number(value, PEEPHOLE_WINDOW_MOST, &window))
		return no_good(fault, "a number of records from 0 to 127");
	settings->window = (uint32_t)window + 1;
	return true;
}

static bool value_put(struct run_settings *settings, enum setting_id id, const char *value,
		      struct setting_fault *fault)
{
	struct choice *choice = &settings->choice;
	switch (id) {
	case SETTING_TRACE:
		return list_put(&settings->trace_name, value, *value && strcmp(value, "-") != 0,
				"the name of a file: a trace cannot be written to standard output "
				"(for a file called - use ./-)",
				fault);
	case SETTING_LAYER:
	case SETTING_ONLY:
		return rows_mark(settings, id, value, ASKED_ONLY, fault);
	case SETTING_ALSO:
		return rows_mark(settings, id, value, ASKED_ALSO, fault);
	case SETTING_SKIP:
		return rows_mark(settings, id, value, ASKED_SKIP, fault);
	case SETTING_INCLUDE:
		return pattern_put(choice, '+', value, fault);
	case SETTING_EXCLUDE:
		return pattern_put(choice, '-', value, fault);
	case SETTING_RANKS:
		return ranks_put(choice, value, fault);
	case SETTING_START_AFTER:
		return time_put(value, &choice->start_after, fault);
	case SETTING_STOP_AFTER:
		return time_put(value, &choice->stop_after, fault);
	case SETTING_LIMIT:
		return limit_put(settings, value, fault);
	case SETTING_BUFFER:
		return buffer_put(settings, value, fault);
	case SETTING_RESOLUTION:
		return resolution_put(settings, value, fault);
	case SETTING_LANES:
		return list_put(&settings->lane_folder, value, *value == '/',
				"the absolute path of a folder", fault);
	case SETTING_CLOCK:
		return clock_put(settings, value, fault);
	case SETTING_CODEC:
		return codec_put(settings, value, fault);
	case SETTING_WINDOW:
		return window_put(settings, value, fault);
	case SETTING_NO_PACK:
		return flag_put(&settings->no_pack, value, fault);
	case SETTING_TIME:
		return list_put(&settings->time, value,
				!strcmp(value, "exact") || !strcmp(value, "histogram") ||
					!strcmp(value, "none"),
				"exact, histogram or none", fault);
	case SETTING_POINTERS:
		return flag_put(&settings->pointers, value, fault);
	case SETTING_NO_CLOCKS:
		return flag_put(&settings->no_clocks, value, fault);
	case SETTING_NO_KEEPER:
		return flag_put(&settings->no_keeper, value, fault);
	case SETTING_NO_FOLLOW:
		return flag_put(&settings->no_follow, value, fault);
	case SETTING_COUNT:
		break;
	}
	return no_good(fault, "a known setting");
}

/* Stores the value for the description of the run. */
static void value_note(struct run_settings *settings, const char *key, const char *value)
{
	char name[64];
	struct key_values list = {settings->noted, settings->noted_length, sizeof settings->noted};
	text_add(text_add(name, name + sizeof name, "setting."), name + sizeof name, key);
	key_values_add(&list, name, value);
	settings->noted_length = list.length;
}

bool setting_put(struct run_settings *settings, enum setting_id id, const char *value,
		 struct setting_fault *fault)
{
	if (!value_put(settings, id, value, fault))
		return false;
	value_note(settings, settings_table[id].name, value);
	return true;
}

/* Whether a list that was stored under this key contains exactly this word. */
static bool word_noted(const struct run_settings *settings, const char *key, const char *word,
		       size_t length)
{
	const char *list;
	for (size_t at = 0;
	     (list = key_values_find(settings->noted, settings->noted_length, key, &at));)
		for (size_t piece; *list; list += piece + (list[piece] == ',')) {
			piece = strcspn(list, ",");
			if (piece == length && !memcmp(list, word, length))
				return true;
		}
	return false;
}

/* Whether the same word is both selected and skipped. */
static bool word_twice(const struct run_settings *settings)
{
	static const char keys[][16] = {"setting.only", "setting.also", "setting.layer"};
	const char *word;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		for (size_t at = 0; (word = key_values_find(settings->noted, settings->noted_length,
							    keys[i], &at));)
			while (*word) {
				size_t length = strcspn(word, ",");
				if (word_noted(settings, "setting.skip", word, length))
					return true;
				word += length + (word[length] == ',');
			}
	return false;
}

const char *settings_complete(struct run_settings *settings)
{
	const struct choice *choice = &settings->choice;
	bool any = false;
	for (size_t row = 0; row < call_rows_count; row++) {
		uint16_t id = call_rows[row].id;
		uint8_t asked = settings->asked[id];
		if (call_names[row].internal)
			continue;
		bool on = settings->only ? asked & ASKED_ONLY : !call_names[row].off;
		on = (on || asked & ASKED_ALSO) && !(asked & ASKED_SKIP);
		settings->asked[id] = on ? 0 : SWITCH_OFF;
		if (choice->patterns[0])
			settings->asked[id] |= SWITCH_FILES;
		any |= on;
	}
	settings->complete = true;
	if (word_twice(settings))
		return "--skip and --only, --also or --layer have the same name; remove one of "
		       "them";
	if (!any)
		return "--skip excludes everything that --only, --layer and --also select, and "
		       "nothing would be recorded; change one of them";
	for (const char *at = choice->patterns; *at; at += strlen(at) + 1)
		if (*at == '+' && pattern_there(choice, '-', at + 1))
			return "--include and --exclude have the same pattern; remove one of them";
	if (choice->start_after && choice->stop_after && choice->start_after >= choice->stop_after)
		return "--stop-after is not later than --start-after, and nothing would be "
		       "recorded; change one of them";
	return NULL;
}

bool settings_need_sync_library(const struct run_settings *settings)
{
	for (size_t row = 0; row < call_rows_count; row++)
		if (call_names[row].in_sync_library &&
		    !(settings->asked[call_rows[row].id] & SWITCH_OFF))
			return true;
	return false;
}
