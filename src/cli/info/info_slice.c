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

/* The name of source `number`, which one of the keys `of` with this beginning behind `at` has. */
static struct varve_text source_name(const struct info *info, size_t at, struct varve_text outer,
				     unsigned long number)
{
	struct varve_text key, value;
	while (slice_next(info, &at, &key, &value)) {
		bool same = key.length == outer.length + 2 &&
			    !memcmp(key.bytes, outer.bytes, outer.length) &&
			    !memcmp(key.bytes + outer.length, "of", 2);
		if (same && number-- == 1)
			return value;
	}
	return (struct varve_text){"?", 1};
}

/* For a key of a source, as "2.rank", or "1.2.rank" if the source was joined itself: prints the name of the source and removes
 * the number. */
static void put_source(const struct info *info, size_t at, struct varve_text *key)
{
	size_t length = 0, last = 0;
	for (size_t i = 0; i < key->length && strchr("0123456789.", key->bytes[i]); i++) {
		if (key->bytes[i] != '.')
			continue;
		last = length;
		length = i + 1;
	}
	if (!length)
		return;
	struct varve_text outer = {key->bytes, last};
	struct varve_text name = source_name(info, at, outer, strtoul(key->bytes + last, NULL, 10));
	put_escaped(name.bytes, name.length, 0x7f);
	put_text(": ");
	key->bytes += length;
	key->length -= length;
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
		put_source(info, at, &key);
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
