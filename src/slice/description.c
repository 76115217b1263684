/* Slice: copies the description of a trace into a new one. See description.h. */
#include "slice/description.h"

#include "base/host/list.h"
#include "base/key_values.h"
#include "base/program/launchers.h"
#include "trace/trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What happens to a value when texts are made anonymous. */
enum way { DROP, STAY, COMPONENT, PATH, EXECUTABLE, ARGUMENT, BOOT, NUMBER };

static const struct {
	const char *key;
	enum way way;
} ways[] = {
	{"varve", STAY},
	{"run", STAY},
	{"boot", BOOT},
	{"host", COMPONENT},
	{"clock", STAY},
	{"resolution", STAY},
	{"start_realtime", STAY},
	{"start_monotonic", STAY},
	{"buffer", STAY},
	{"limit", STAY},
	{"pointers", STAY},
	{"follow", STAY},
	{"launch", COMPONENT},
	{"program", PATH},
	{"collector", STAY},
	{"untraced", STAY},
	{"argument", ARGUMENT},
	{"cwd", PATH},
	{"user", COMPONENT},
	{"kernel", STAY},
	{"rank", STAY},
	{"spawn", STAY},
	{"job", NUMBER},
	{"world", STAY},
	{"clock.reference", STAY},
	{"clock.offset", STAY},
	{"clock.error", STAY},
	{"slice.of", PATH},
	{"slice.part", STAY},
	{"slice.rank", STAY},
	{"slice.from", STAY},
	{"slice.to", STAY},
	{"slice.function", STAY},
	{"slice.layer", STAY},
	{"slice.process", STAY},
	{"slice.stream", STAY},
	{"slice.damage", STAY},
	{"slice.running", STAY},
	{"slice.anonymized", STAY},
	/* settings that contain no file names */
	{"setting.layer", STAY},
	{"setting.only", STAY},
	{"setting.also", STAY},
	{"setting.skip", STAY},
	{"setting.ranks", STAY},
	{"setting.start-after", STAY},
	{"setting.stop-after", STAY},
	{"setting.limit", STAY},
	{"setting.buffer", STAY},
	{"setting.resolution", STAY},
	{"setting.clock", STAY},
	{"setting.pointers", STAY},
	{"setting.no-follow", STAY},
	{"setting.no-keeper", STAY},
	{"setting.no-clocks", STAY},
	/* numbers of launchers: launcher_number() */
	{"env.OMP_NUM_THREADS", NUMBER},
	/* processes */
	{"pid", STAY},
	{"ppid", STAY},
	{"outer", STAY},
	{"parent", STAY},
	{"start", STAY},
	{"origin", STAY},
	{"sanitizer", STAY},
	{"exe", EXECUTABLE},
	{"argv", ARGUMENT},
};

static const char slice_prefix[] = "slice.";
enum { KEY_ROOM = 256 };

static enum way way_of(const char *key, size_t length)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strlen(ways[i].key) == length && !memcmp(ways[i].key, key, length))
			return ways[i].way;
	bool variable = length > 4 && !memcmp(key, "env.", 4);
	return variable && launcher_number(key + 4, length - 4) ? NUMBER : DROP;
}

/* The key of a selection without the numbers of sources: "slice.rank" of "slice.1.rank". */
static size_t key_plain(const char *key, size_t length, char plain[KEY_ROOM])
{
	size_t at = sizeof slice_prefix - 1;
	if (length >= KEY_ROOM || length <= at || memcmp(key, slice_prefix, at) != 0)
		return 0;
	while (at < length && (isdigit((unsigned char)key[at]) || key[at] == '.'))
		at++;
	memcpy(plain, slice_prefix, sizeof slice_prefix - 1);
	memcpy(plain + sizeof slice_prefix - 1, key + at, length - at);
	return sizeof slice_prefix - 1 + length - at;
}

/* Whether the key is about one source, and not about the whole new trace. */
static bool is_of_source(const char *key, size_t length)
{
	static const char *const whole[] = {"slice.part", "slice.damage", "slice.running",
					    "slice.anonymized"};
	bool source = length > sizeof slice_prefix - 1 &&
		      !memcmp(key, slice_prefix, sizeof slice_prefix - 1);
	for (size_t i = 0; source && i < sizeof whole / sizeof *whole; i++)
		source = strlen(whole[i]) != length || memcmp(key, whole[i], length) != 0;
	return source;
}

static bool key_is(const char *key, size_t length, const char *which)
{
	return strlen(which) == length && !memcmp(key, which, length);
}

static enum varve_status string_put(struct strings *to, const char *key, size_t key_length,
				    const char *value, size_t length, struct varve_causes *causes)
{
	if (list_room(&to->bytes, to->length, &to->room, key_length + length + 2, 1))
		return cause(causes, VARVE_NO_MEMORY, "no memory for a description");
	struct key_values list = {to->bytes, to->length, to->room};
	key_values_add_bytes(&list, key, key_length, value, length);
	to->length = list.length;
	return VARVE_OK;
}

enum varve_status description_number(struct strings *to, const char *key, uint64_t number,
				     struct varve_causes *causes)
{
	char text[24];
	int length = snprintf(text, sizeof text, "%" PRIu64, number);
	return string_put(to, key, strlen(key), text, (size_t)length, causes);
}

void strings_clear(struct strings *strings)
{
	free(strings->bytes);
	*strings = (struct strings){0};
}

/* The id of a boot is replaced by another id: equal ones mean the same clock, and zero means none. */
static void put_boot(struct anonymizer *anonymizer, const char *value, size_t length)
{
	static const struct siphash_key none;
	struct siphash_key other = anonymizer->key;
	other.half[0] ^= siphash(&none, "boot", 4);
	bool zero = strspn(value, "0") == length;
	anonymizer->length = (size_t)snprintf(anonymizer->text, sizeof anonymizer->text,
					      "%016" PRIx64 "%016" PRIx64,
					      zero ? 0 : siphash(&anonymizer->key, value, length),
					      zero ? 0 : siphash(&other, value, length));
}

/* Makes a value anonymous, as its key requires; false: the key is dropped. */
static bool value_change(struct anonymizer *anonymizer, enum way way, const char **value,
			 size_t *length)
{
	switch (way) {
	case DROP:
		return false;
	case STAY:
		return true;
	case NUMBER:
		if (strspn(*value, "0123456789") == *length)
			return true;
		anonymize_component(anonymizer, *value, *length);
		break;
	case COMPONENT:
		anonymize_component(anonymizer, *value, *length);
		break;
	case PATH:
		anonymize_path(anonymizer, *value, *length);
		break;
	case EXECUTABLE:
		anonymize_executable(anonymizer, *value, *length);
		break;
	case ARGUMENT:
		anonymize_argument(anonymizer, *value, *length);
		break;
	case BOOT:
		put_boot(anonymizer, *value, *length);
		break;
	}
	*value = anonymizer->text;
	*length = anonymizer->length;
	return true;
}

/* Adds one string. Numbers of nodes and processes are shifted behind those of earlier sources. */
static enum varve_status description_string(struct strings *to, const char *key, size_t key_length,
					    const char *value, size_t length,
					    const struct description_change *how,
					    struct varve_causes *causes)
{
	char number[24];
	if (how->run && key_is(key, key_length, "run")) {
		value = how->run;
		length = strlen(value);
	}
	int64_t more = key_is(key, key_length, "clock.reference") ? how->node_more
		       : key_is(key, key_length, "parent")	  ? how->process_more
								  : 0;
	long long old = more ? strtoll(value, NULL, 10) : 0;
	if (more && (old || key[0] == 'c')) {
		length = (size_t)snprintf(number, sizeof number, "%lld", old + (long long)more);
		value = number;
	}
	char plain[KEY_ROOM];
	size_t plain_length = key_plain(key, key_length, plain);
	enum way way = plain_length ? way_of(plain, plain_length) : way_of(key, key_length);
	if (how->anonymizer && !value_change(how->anonymizer, way, &value, &length))
		return VARVE_OK;
	char numbered[KEY_ROOM];
	if (how->source && key_length < KEY_ROOM / 2 && is_of_source(key, key_length)) {
		key_length =
			(size_t)snprintf(numbered, sizeof numbered, "%s%zu.%.*s", slice_prefix,
					 how->source, (int)(key_length - (sizeof slice_prefix - 1)),
					 key + sizeof slice_prefix - 1);
		key = numbered;
	}
	return string_put(to, key, key_length, value, length, causes);
}

enum varve_status description_add(struct strings *to, const char *from, size_t length,
				  const struct description_change *how, struct varve_causes *causes)
{
	struct key_value next;
	for (size_t at = 0; key_values_next(from, length, &at, &next);)
		TRY(description_string(to, next.key, next.key_length, next.value, next.length, how,
				       causes));
	return VARVE_OK;
}

/* Adds how another source of the same trace was made. */
static enum varve_status description_of_source(struct strings *to, const struct trace_node *node,
					       const struct description_change *how,
					       struct varve_causes *causes)
{
	const char *end = node->description + node->description_length;
	for (const char *at = node->description; at < end; at += strlen(at) + 1)
		if (!strncmp(at, slice_prefix, sizeof slice_prefix - 1))
			TRY(description_add(to, at, strlen(at) + 1, how, causes));
	return VARVE_OK;
}

enum varve_status description_of_slice(struct strings *to, const struct slice_request *request,
				       uint64_t damages, struct varve_causes *causes)
{
	struct description_change how = {.anonymizer = request->anonymizer};
	uint64_t running = 0;
	for (size_t i = 0; i < request->count; i++) {
		const struct slice_source *source = &request->sources[i];
		running += source->trace->alive_threads;
		how.source = i + 1;
		if (i)
			TRY(description_of_source(to, source->trace->nodes, &how, causes));
	}
	how.source = 0;
	TRY(description_add(to, request->keys, request->keys_length, &how, causes));
	if (damages)
		TRY(description_number(to, "slice.damage", damages, causes));
	if (running)
		TRY(description_number(to, "slice.running", running, causes));
	return VARVE_OK;
}
