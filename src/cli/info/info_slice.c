/* Command line: `varve info`: how a trace was sliced, if `varve slice` wrote it. See info.h. */
#include "cli/info/info.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "slice.";

/* The next key of a slice at or after `*at` in the description; false: there is none. */
static bool slice_next(const struct info *info, size_t *at, struct varve_text *key,
		       struct varve_text *value)
{
	size_t count = varve_description_count(info->trace), length = sizeof prefix - 1;
	while (*at < count) {
		varve_description_at(info->trace, (*at)++, key, value);
		if (key->length <= length || memcmp(key->bytes, prefix, length) != 0)
			continue;
		key->bytes += length;
		key->length -= length;
		return true;
	}
	return false;
}

static bool is_key(struct varve_text text, const char *key)
{
	return text.length == strlen(key) && !memcmp(text.bytes, key, text.length);
}

bool info_slice_text(const struct info *info, void (*put_label)(const char *label))
{
	const char *damage = info_value(info, "slice.damage");
	const char *running = info_value(info, "slice.running");
	struct varve_text key, value;
	bool any = false;
	if (damage) {
		put_label("DAMAGED");
		put_format("made from a trace that was damaged in %s\n",
			   counted(strtoull(damage, NULL, 10), "places").text);
	}
	if (running) {
		put_label("UNFINISHED");
		put_format("the slice was made while %s of the program were still running\n",
			   counted(strtoull(running, NULL, 10), "threads").text);
	}
	for (size_t at = 0; slice_next(info, &at, &key, &value); any = true) {
		if (is_key(key, "damage") || is_key(key, "running") || is_key(key, "part"))
			continue;
		bool named = is_key(key, "anonymized");
		put_label(any ? "" : "slice");
		put_escaped(key.bytes, key.length, 0x7f);
		put_text(named ? "" : " ");
		put_escaped(value.bytes, named ? 0 : value.length, 0x7f);
		put_char('\n');
	}
	return damage || running;
}

void info_slice_json(const struct info *info)
{
	struct varve_text key, value;
	const char *between = "";
	put_text(",\"slice\":[");
	for (size_t at = 0; slice_next(info, &at, &key, &value); between = ",") {
		put_text(between);
		put_text("{\"key\":");
		put_json(key.bytes, key.length);
		put_text(",\"value\":");
		put_json(value.bytes, value.length);
		put_char('}');
	}
	put_char(']');
}
