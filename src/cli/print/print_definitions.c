/* Command line: prints the definitions of a trace: names, handles, processes, threads, block by block. See print.h. */
#include "cli/print/print.h"
#include "cli/terminal/output.h"

#include <inttypes.h>

static const char *const type_names[] = {[VARVE_DEFINE_NAME] = "name",
					 [VARVE_DEFINE_HANDLE] = "handle",
					 [VARVE_DEFINE_IDENTITY] = "identity",
					 [VARVE_DEFINE_PROCESS] = "process",
					 [VARVE_DEFINE_THREAD] = "thread"};

/* In text and CSV, a space separates the pairs; text has one before the first pair too. */
static bool begun;

static void put_gap(void)
{
	if (begun)
		put_char(' ');
	begun = true;
}

static void put_plain_key(const char *key)
{
	put_gap();
	put_format("%s=", key);
}

/* Prints a field of a definition as a pair, in the syntax of the format. */
static void put_pair(enum output_format format, const char *key, int64_t value)
{
	if (format == FORMAT_JSON) {
		put_format(",\"%s\":%" PRId64, key, value);
	} else {
		put_plain_key(key);
		put_format("%" PRId64, value);
	}
}

static void put_unsigned_pair(enum output_format format, const char *key, uint64_t value)
{
	if (format == FORMAT_JSON) {
		put_format(",\"%s\":%" PRIu64, key, value);
	} else {
		put_plain_key(key);
		put_format("%" PRIu64, value);
	}
}

static void put_word(enum output_format format, const char *key, const char *word)
{
	if (format == FORMAT_JSON) {
		put_format(",\"%s\":\"%s\"", key, word);
	} else {
		put_plain_key(key);
		put_text(word);
	}
}

static void put_string(enum output_format format, const char *key, const char *bytes, size_t length)
{
	if (format == FORMAT_JSON) {
		put_format(",\"%s\":", key);
		put_json(bytes, length);
	} else {
		put_plain_key(key);
		put_quoted(bytes, length);
	}
}

static const char *how_name(uint32_t how)
{
	return how == VARVE_IDENTITY_SEEN      ? "seen"
	       : how == VARVE_IDENTITY_ASSUMED ? "assumed"
					       : "none";
}

static void put_identity(enum output_format format, const struct varve_definition *definition)
{
	put_word(format, "identity", how_name(definition->how));
	if (definition->how == VARVE_IDENTITY_NONE)
		return;
	put_unsigned_pair(format, "device", definition->device);
	put_unsigned_pair(format, "inode", definition->inode);
}

static void put_process(enum output_format format, const struct varve_definition *definition)
{
	if (format == FORMAT_JSON)
		put_text(",\"strings\":[");
	for (uint32_t at = 0; at < definition->text.length;) {
		size_t length = strnlen(definition->text.bytes + at, definition->text.length - at);
		if (format == FORMAT_JSON) {
			put_text(at ? "," : "");
			put_json(definition->text.bytes + at, length);
		} else {
			put_gap();
			put_quoted(definition->text.bytes + at, length);
		}
		at += (uint32_t)length + 1;
	}
	if (format == FORMAT_JSON)
		put_char(']');
}

static void put_definition(enum output_format format, const struct varve_definition *definition)
{
	static const char *const bases[] = {"none", "name", "handle", "unknown"};
	static const char *const origins[] = {"call", "inherited", "duplicate"};
	switch (definition->define) {
	case VARVE_DEFINE_NAME:
		put_pair(format, "id", definition->id);
		put_string(format, "text", definition->text.bytes ? definition->text.bytes : "",
			   definition->text.length);
		put_word(format, "base",
			 bases[definition->base_kind < 4 ? definition->base_kind : 3]);
		if (definition->base_kind == VARVE_BASE_NAME ||
		    definition->base_kind == VARVE_BASE_HANDLE)
			put_pair(format, "of", definition->base);
		break;
	case VARVE_DEFINE_HANDLE:
		put_pair(format, "id", definition->id);
		put_word(format, "kind", varve_handle_kind_name(definition->kind));
		put_word(format, "origin",
			 definition->origin < 3 ? origins[definition->origin] : "unknown");
		put_pair(format, "fd", definition->fd);
		put_pair(format, "name", definition->name);
		put_pair(format, "other", definition->other);
		put_identity(format, definition);
		break;
	case VARVE_DEFINE_IDENTITY:
		put_pair(format, definition->kind ? "handle" : "name", definition->id);
		put_identity(format, definition);
		break;
	case VARVE_DEFINE_PROCESS:
		put_process(format, definition);
		break;
	case VARVE_DEFINE_THREAD:
		put_pair(format, "id", definition->id);
		put_pair(format, "tid", definition->fd);
		put_pair(format, "creator", definition->other);
		break;
	default:
		break;
	}
}

static void put_line(enum output_format format, const struct varve_definition *definition)
{
	const char *type = type_names[definition->define];
	if (format == FORMAT_TEXT)
		put_format("%u.%u block %" PRIu64 " before %" PRIu64 ": %s", definition->process,
			   definition->thread, definition->block, definition->before, type);
	else if (format == FORMAT_JSON)
		put_format("{\"process\":%u,\"thread\":%u,\"block\":%" PRIu64 ",\"before\":%" PRIu64
			   ",\"define\":\"%s\"",
			   definition->process, definition->thread, definition->block,
			   definition->before, type);
	else
		put_format("%u,%u,%" PRIu64 ",%" PRIu64 ",%s,\"", definition->process,
			   definition->thread, definition->block, definition->before, type);
	begun = format == FORMAT_TEXT;
	output.doubled_quotes = format == FORMAT_CSV;
	put_definition(format, definition);
	output.doubled_quotes = false;
	put_text(format == FORMAT_TEXT ? "\n" : format == FORMAT_JSON ? "}\n" : "\"\r\n");
}

enum varve_status print_definitions(struct varve_trace *trace, uint32_t process, uint32_t thread,
				    enum output_format format, uint64_t limit,
				    struct varve_causes *causes)
{
	struct varve_definitions *definitions;
	const struct varve_definition *definition;
	if (format == FORMAT_CSV)
		put_text("process,thread,block,before,define,what\r\n");
	enum varve_status status =
		varve_definitions_open(trace, process, thread, &definitions, causes);
	if (status != VARVE_OK)
		return status;
	for (; limit; limit--) {
		status = varve_definitions_next(definitions, &definition, causes);
		if (status != VARVE_OK)
			break;
		put_line(format, definition);
	}
	varve_definitions_close(definitions);
	return status == VARVE_END ? VARVE_OK : status;
}
