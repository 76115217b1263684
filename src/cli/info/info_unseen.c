/* Command line: `varve info`: I/O of the run that cannot be in the trace: functions without a row, direct system calls,
 * mappings, rings.
 *
 * Reads the files of loaded objects, if the run was on this host and they did not change since the run began.
 */
#include "cli/info/info.h"
#include "cli/report.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "object/unseen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYMBOLS_SHOWN = 8 };

enum object_state { OBJECT_READ, OBJECT_GONE, OBJECT_CHANGED, OBJECT_ELSEWHERE };
static const char *const state_names[] = {"read", "gone", "changed", "on another host"};

static bool same_host(const struct info *info)
{
	char name[256] = "";
	const char *recorded = info_value(info, "host");
	gethostname(name, sizeof name - 1);
	return recorded && !strcmp(recorded, name);
}

static enum object_state object_read(const struct info *info, const struct unseen_known *known,
				     const struct varve_object *object, struct unseen *unseen)
{
	const char *start = info_value(info, "start_realtime");
	struct stat found;
	*unseen = (struct unseen){0};
	if (!same_host(info))
		return OBJECT_ELSEWHERE;
	if (stat(object->path, &found))
		return OBJECT_GONE;
	long long changed = (long long)found.st_ctim.tv_sec * 1000000000 + found.st_ctim.tv_nsec;
	if (!start || changed >= strtoll(start, NULL, 10))
		return OBJECT_CHANGED;
	return unseen_find(object->path, known, unseen) == ELF_OK ? OBJECT_READ : OBJECT_GONE;
}

static void put_path(const char *path)
{
	put_escaped(path, strlen(path), 0x7f);
}

static void put_symbols(const struct varve_object *object, const struct unseen *unseen)
{
	put_padded("not recorded", -14);
	put_format("%s that ", counted(unseen->symbol_count, "functions").text);
	put_path(object->path);
	put_text(" imports: ");
	for (size_t i = 0; i < unseen->symbol_count && i < SYMBOLS_SHOWN; i++) {
		put_text(i ? ", " : "");
		put_path(unseen->symbols[i].name);
	}
	put_format("%s (%s)\n", unseen->symbol_count > SYMBOLS_SHOWN ? " ..." : "",
		   unseen->symbols[0].why);
}

static void put_kernel(const struct varve_object *object, const struct unseen *unseen)
{
	put_padded("not recorded", -14);
	put_text(unseen->go ? "direct system calls of the Go runtime in "
			    : "direct system calls that ");
	put_path(object->path);
	put_text(unseen->go ? "" : " may make");
	for (size_t i = 0; i < unseen->kernel_count && i < SYMBOLS_SHOWN; i++)
		put_format("%s%s", i ? ", " : ": ", unseen->kernel[i]);
	put_text(unseen->kernel_count > SYMBOLS_SHOWN ? " ...\n" : "\n");
}

bool info_bypassed_text(const struct info *info, void (*label)(const char *name))
{
	const struct varve_objects *objects = &info->objects;
	size_t apart = objects_in_namespaces(objects);
	if (objects->deep_loads) {
		label("LOST");
		put_format("%s%s%s\n", DEEP_TEXT(counted(objects->deep_loads, "times").text));
	}
	if (apart) {
		label("LOST");
		put_format("%s%s%s\n", NAMESPACE_TEXT(counted(apart, "objects").text));
	}
	return objects->deep_loads || apart;
}

void info_unseen_text(const struct info *info)
{
	const struct varve_objects *objects = &info->objects;
	struct unseen_known known;
	size_t unread = 0, not_known = 0;
	unseen_known_make(&known, info->trace);
	for (size_t i = 0; i < objects->count; i++) {
		const struct varve_object *object = &objects->objects[i];
		struct unseen unseen;
		unread += object_read(info, &known, object, &unseen) != OBJECT_READ;
		not_known += unseen.not_known;
		if (unseen.symbol_count)
			put_symbols(object, &unseen);
		if (unseen.kernel_count || unseen.kernel_any || unseen.go)
			put_kernel(object, &unseen);
		unseen_clear(&unseen);
	}
	unseen_known_clear(&known);
	if (objects->mappings) {
		put_padded("not recorded", -14);
		put_format("reads and writes of mapped files: %s, %s in all\n",
			   counted(objects->mappings, "mappings").text,
			   counted(objects->mapping_bytes, "bytes").text);
	}
	if (objects->rings && !objects->ring_requests) {
		put_padded("not recorded", -14);
		put_format("requests submitted to %s\n",
			   counted(objects->rings, "rings of io_uring").text);
	}
	if (not_known) {
		put_padded("not known", -14);
		put_format("whether %s without calls would have been recorded; another version of "
			   "Varve wrote this trace\n",
			   counted(not_known, "imported functions").text);
	}
	if (unread) {
		put_padded("not checked", -14);
		put_format("whether %zu of %zu programs and libraries make calls that are not "
			   "recorded: %s\n",
			   unread, objects->count,
			   same_host(info)
				   ? "the files were removed, or changed since the run began"
				   : "the files are on another host");
	}
}

static void put_string(const char *text)
{
	put_json(text, strlen(text));
}

static void put_object(const struct info *info, const struct unseen_known *known,
		       const struct varve_object *object)
{
	struct unseen unseen;
	enum object_state state = object_read(info, known, object, &unseen);
	put_text("{\"path\":");
	put_string(object->path);
	put_format(",\"program\":%s,\"namespace\":%" PRIu64 ",\"state\":\"%s\",\"symbols\":[",
		   object->program ? "true" : "false", object->name_space, state_names[state]);
	for (size_t i = 0; i < unseen.symbol_count; i++) {
		put_text(i ? ",{\"name\":" : "{\"name\":");
		put_string(unseen.symbols[i].name);
		put_text(",\"why\":");
		put_string(unseen.symbols[i].why);
		put_char('}');
	}
	put_text("],\"system_calls\":[");
	for (size_t i = 0; i < unseen.kernel_count; i++)
		put_format("%s\"%s\"", i ? "," : "", unseen.kernel[i]);
	put_format("],\"any_system_call\":%s,\"go\":%s,\"symbols_not_known\":%zu}",
		   unseen.kernel_any ? "true" : "false", unseen.go ? "true" : "false",
		   unseen.not_known);
	unseen_clear(&unseen);
}

void info_unseen_json(const struct info *info)
{
	const struct varve_objects *objects = &info->objects;
	struct unseen_known known;
	unseen_known_make(&known, info->trace);
	put_text(",\"unseen\":{\"objects\":[");
	for (size_t i = 0; i < objects->count; i++) {
		put_text(i ? "," : "");
		put_object(info, &known, &objects->objects[i]);
	}
	unseen_known_clear(&known);
	put_format("],\"file_mappings\":%" PRIu64 ",\"file_mapping_bytes\":%" PRIu64
		   ",\"rings\":%" PRIu64 ",\"deep_bound_loads\":%" PRIu64,
		   objects->mappings, objects->mapping_bytes, objects->rings, objects->deep_loads);
	info_uncounted_json(info);
	put_char('}');
}
