/* Command line: the definitions of a trace: names, handles, processes, threads, block by block. See print.h. */
#include "cli/output.h"
#include "cli/print.h"

#include <inttypes.h>

static const char *type_name(enum define type)
{
	switch (type) {
	case DEFINE_NAME:
		return "name";
	case DEFINE_HANDLE:
		return "handle";
	case DEFINE_IDENTITY:
		return "identity";
	case DEFINE_PROCESS:
		return "process";
	case DEFINE_THREAD:
		return "thread";
	default:
		return "unknown";
	}
}

/* What a definition holds, as pairs that each format writes in its own way. */
static void put_pair(enum output_format format, const char *key, int64_t value)
{
	if (format == FORMAT_JSON)
		put_format(",\"%s\":%" PRId64, key, value);
	else
		put_format(" %s=%" PRId64, key, value);
}

static void put_word(enum output_format format, const char *key, const char *word)
{
	if (format == FORMAT_JSON)
		put_format(",\"%s\":\"%s\"", key, word);
	else
		put_format(" %s=%s", key, word);
}

static void put_string(enum output_format format, const char *key, const char *bytes, size_t length)
{
	if (format == FORMAT_JSON) {
		put_format(",\"%s\":", key);
		put_json(bytes, length);
	} else {
		put_format(" %s=", key);
		put_quoted(bytes, length);
	}
}

static const char *how_name(uint32_t how)
{
	return how == IDENTITY_SEEN ? "seen" : how == IDENTITY_ASSUMED ? "assumed" : "none";
}

static void put_identity(enum output_format format, const struct definition *definition)
{
	put_word(format, "identity", how_name(definition->how));
	if (definition->how == IDENTITY_NONE)
		return;
	put_pair(format, "device", (int64_t)definition->device);
	put_pair(format, "inode", (int64_t)definition->inode);
}

static void put_process(enum output_format format, const struct definition *definition)
{
	if (format == FORMAT_JSON)
		put_text(",\"strings\":[");
	for (uint32_t at = 0; at < definition->text_length;) {
		size_t length = strnlen(definition->text + at, definition->text_length - at);
		if (format == FORMAT_JSON) {
			put_text(at ? "," : "");
			put_json(definition->text + at, length);
		} else {
			put_char(' ');
			put_quoted(definition->text + at, length);
		}
		at += (uint32_t)length + 1;
	}
	if (format == FORMAT_JSON)
		put_char(']');
}

static void put_definition(enum output_format format, const struct definition *definition)
{
	static const char *const bases[] = {"none", "name", "handle", "unknown"};
	static const char *const origins[] = {"call", "inherited", "duplicate"};
	switch (definition->type) {
	case DEFINE_NAME:
		put_pair(format, "id", definition->id);
		put_string(format, "text", definition->text ? definition->text : "",
			   definition->text_length);
		put_word(format, "base",
			 bases[definition->base_kind < 4 ? definition->base_kind : 3]);
		if (definition->base_kind == BASE_NAME || definition->base_kind == BASE_HANDLE)
			put_pair(format, "of", definition->base);
		break;
	case DEFINE_HANDLE:
		put_pair(format, "id", definition->id);
		put_word(format, "kind", handle_kind_name(definition->kind));
		put_word(format, "origin",
			 definition->origin < 3 ? origins[definition->origin] : "unknown");
		put_pair(format, "fd", definition->fd);
		put_pair(format, "name", definition->name);
		put_pair(format, "other", definition->other);
		put_identity(format, definition);
		break;
	case DEFINE_IDENTITY:
		put_pair(format, definition->kind ? "handle" : "name", definition->id);
		put_identity(format, definition);
		break;
	case DEFINE_PROCESS:
		put_process(format, definition);
		break;
	case DEFINE_THREAD:
		put_pair(format, "id", definition->id);
		put_pair(format, "tid", definition->fd);
		put_pair(format, "creator", definition->other);
		break;
	default:
		break;
	}
}

static void put_line(enum output_format format, const struct block_header *header,
		     const struct definition *definition)
{
	const char *type = type_name(definition->type);
	if (format == FORMAT_TEXT)
		put_format("%u.%u block %" PRIu64 " before %" PRIu64 ": %s", header->process,
			   header->thread, header->sequence, definition->before, type);
	else if (format == FORMAT_JSON)
		put_format("{\"process\":%u,\"thread\":%u,\"block\":%" PRIu64 ",\"before\":%" PRIu64
			   ",\"define\":\"%s\"",
			   header->process, header->thread, header->sequence, definition->before,
			   type);
	else
		put_format("%u,%u,%" PRIu64 ",%" PRIu64 ",%s,\"", header->process, header->thread,
			   header->sequence, definition->before, type);
	output.doubled_quotes = format == FORMAT_CSV;
	put_definition(format, definition);
	output.doubled_quotes = false;
	put_text(format == FORMAT_TEXT ? "\n" : format == FORMAT_JSON ? "}\n" : "\"\r\n");
}

enum status print_definitions(struct trace *trace, const struct trace_filter *filter,
			      enum output_format format, uint64_t limit,
			      struct varve_causes *causes)
{
	if (format == FORMAT_CSV)
		put_text("process,thread,block,before,define,what\r\n");
	for (size_t i = 0; i < trace->block_count && limit; i++) {
		struct trace_block *block = &trace->blocks[i];
		const struct block_header *header = &block->header;
		if ((filter->one_process && header->process != filter->process) ||
		    (filter->one_thread && header->thread != filter->thread) || block->bad)
			continue;
		struct batch batch = {0};
		struct varve_causes found = {0};
		enum status status = decode_block(block->bytes, header, trace->tables.rows,
						  trace->tables.function_count, WANT_DEFINITIONS,
						  &batch, &found);
		if (status == STATUS_NO_MEMORY)
			return cause(causes, status, "no memory to decode a block");
		if (status != STATUS_OK) {
			block->bad = true;
			trace_report(trace, "data.0", block->offset, header->length, "%.200s",
				     found.count ? found.text[0] : status_text(status));
			continue;
		}
		for (size_t k = 0; k < batch.definition_count && limit; k++, limit--)
			put_line(format, header, &batch.definitions[k]);
		batch_clear(&batch);
	}
	return STATUS_OK;
}
