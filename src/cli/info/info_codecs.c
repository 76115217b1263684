/* Command line: `varve info --codec-stats`: the size of each codec, and how much the encoding of Recorder 2.0 compresses,
 * with the same counts as in the tables of its paper. The library counts, this file prints. See info.h. */
#include "cli/info/info.h"
#include "cli/report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"

#include "base/parse.h"

#include <inttypes.h>

static double percentage(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double bytes_per_record(uint64_t bytes, uint64_t records)
{
	return records ? (double)bytes / (double)records : 0;
}

static void put_share(const char *what, uint64_t part, uint64_t whole)
{
	put_format("  %-28s%14" PRIu64 "  %6.2f%%\n", what, part, percentage(part, whole));
}

static void put_size(const char *what, uint64_t bytes, uint64_t records)
{
	put_format("  %-28s%14" PRIu64 "  %7.2f per record\n", what, bytes,
		   bytes_per_record(bytes, records));
}

static void put_peephole(const struct varve_peephole *sum)
{
	put_format("  %-28s%14" PRIu64 "\n", "records", sum->records);
	put_share("compressed", sum->compressed, sum->records);
	put_format("  %-28s%14" PRIu64 "\n", "arguments of these", sum->compressed_arguments);
	put_share("not stored", sum->saved, sum->compressed_arguments);
	put_format("  %-28s%14" PRIu64 "\n", "arguments of all records", sum->arguments);
	put_share("not stored", sum->saved, sum->arguments);
	put_text("  compressed records by number of different arguments\n");
	for (unsigned i = 0; i < VARVE_DIFFERING; i++)
		if (sum->differing[i])
			put_format("    %-26u%14" PRIu64 "  %6.2f%%\n", i, sum->differing[i],
				   percentage(sum->differing[i], sum->compressed));
	put_text("  bytes\n");
	put_size("  binary, not compressed", sum->plain_bytes, sum->records);
	put_size("  peephole", sum->bytes, sum->records);
	put_size("  other data", sum->rest_bytes, sum->records);
	put_size("  binary and other data", sum->plain_bytes + sum->rest_bytes, sum->records);
	put_size("  peephole and other data", sum->bytes + sum->rest_bytes, sum->records);
}

static void put_count(const char *what, uint64_t count)
{
	put_format("  %-28s%14" PRIu64 "\n", what, count);
}

/* The sections of a packed trace, and statistics of its folding. */
static void packed_text(const struct varve_packed *packed, uint64_t records)
{
	put_text("\npacked\n");
	put_size("structure", packed->structure_bytes, records);
	if (packed->other_bytes)
		put_size("processes without a rank", packed->other_bytes, records);
	put_size("runtime, definitions, sums", packed->rest_bytes, records);
	put_size("times and raw columns", packed->data_bytes, records);
	put_size("lists and tables", packed->list_bytes, records);
	put_count("streams with calls", packed->members);
	put_count("different structures", packed->classes);
	put_count("branches in them", packed->nodes);
	put_count("loops", packed->loops);
	put_count("columns of values", packed->columns);
	put_share("raw columns", packed->raw_columns, packed->columns);
	put_count("branches outside the window", packed->overruns);
	put_count("searches with too many hits", packed->candidates);
}

static void codecs_text(const struct varve_codecs *codecs, unsigned window)
{
	put_text("codec        blocks       records         bytes per record       headers   "
		 "definitions\n");
	for (unsigned i = 1; i < VARVE_CODECS; i++) {
		const struct varve_codec_blocks *sum = &codecs->blocks[i];
		if (sum->blocks)
			put_format("%-10s%9" PRIu64 "%14" PRIu64 "%14" PRIu64 "%10.2f%14" PRIu64
				   "%14" PRIu64 "\n",
				   varve_codec_name((enum varve_codec)i), sum->blocks, sum->records,
				   sum->bytes, bytes_per_record(sum->bytes, sum->records),
				   sum->header_bytes, sum->definition_bytes);
	}
	if (codecs->packed.structure_bytes)
		packed_text(&codecs->packed, codecs->blocks[VARVE_CODEC_LOOP].records);
	if (codecs->stored.blocks) {
		put_format("\npeephole as stored, window %u", codecs->window_least);
		if (codecs->window_most != codecs->window_least)
			put_format(" to %u", codecs->window_most);
		put_char('\n');
		put_peephole(&codecs->stored);
	}
	if (codecs->made.blocks) {
		put_format(
			"\npeephole as it would be with window %u (records of %s, encoded again)\n",
			window, counted(codecs->made.blocks, "blocks").text);
		put_peephole(&codecs->made);
	}
}

static void peephole_json(const char *key, const struct varve_peephole *sum, unsigned least,
			  unsigned most)
{
	put_format(",\"%s\":", key);
	if (!sum->blocks) {
		put_text("null");
		return;
	}
	put_format("{\"window\":%u,\"window_most\":%u,\"blocks\":%" PRIu64 ",\"records\":%" PRIu64
		   ",\"compressed\":%" PRIu64 ",\"arguments\":%" PRIu64,
		   least, most, sum->blocks, sum->records, sum->compressed, sum->arguments);
	put_format(",\"compressed_arguments\":%" PRIu64 ",\"saved\":%" PRIu64 ",\"differing\":[",
		   sum->compressed_arguments, sum->saved);
	for (unsigned i = 0; i < VARVE_DIFFERING; i++)
		put_format("%s%" PRIu64, i ? "," : "", sum->differing[i]);
	put_format("],\"binary_bytes\":%" PRIu64 ",\"peephole_bytes\":%" PRIu64
		   ",\"rest_bytes\":%" PRIu64 "}",
		   sum->plain_bytes, sum->bytes, sum->rest_bytes);
}

static void packed_json(const struct varve_packed *packed)
{
	if (!packed->structure_bytes) {
		put_text(",\"packed\":null");
		return;
	}
	put_format(",\"packed\":{\"structure_bytes\":%" PRIu64 ",\"other_bytes\":%" PRIu64
		   ",\"rest_bytes\":%" PRIu64 ",\"data_bytes\":%" PRIu64 ",\"list_bytes\":%" PRIu64,
		   packed->structure_bytes, packed->other_bytes, packed->rest_bytes,
		   packed->data_bytes, packed->list_bytes);
	put_format(",\"members\":%" PRIu64 ",\"classes\":%" PRIu64 ",\"nodes\":%" PRIu64
		   ",\"loops\":%" PRIu64 ",\"columns\":%" PRIu64 ",\"raw_columns\":%" PRIu64
		   ",\"overruns\":%" PRIu64 ",\"candidates\":%" PRIu64 "}",
		   packed->members, packed->classes, packed->nodes, packed->loops, packed->columns,
		   packed->raw_columns, packed->overruns, packed->candidates);
}

static void codecs_json(const struct varve_codecs *codecs, unsigned window)
{
	put_text("{\"codecs\":[");
	bool first = true;
	for (unsigned i = 1; i < VARVE_CODECS; i++) {
		const struct varve_codec_blocks *sum = &codecs->blocks[i];
		if (!sum->blocks)
			continue;
		put_format("%s{\"codec\":\"%s\",\"blocks\":%" PRIu64 ",\"records\":%" PRIu64
			   ",\"bytes\":%" PRIu64 ",\"header_bytes\":%" PRIu64
			   ",\"definition_bytes\":%" PRIu64 "}",
			   first ? "" : ",", varve_codec_name((enum varve_codec)i), sum->blocks,
			   sum->records, sum->bytes, sum->header_bytes, sum->definition_bytes);
		first = false;
	}
	put_char(']');
	packed_json(&codecs->packed);
	peephole_json("stored", &codecs->stored, codecs->window_least, codecs->window_most);
	peephole_json("would_be", &codecs->made, window, window);
	put_text("}\n");
}

int info_codecs(const struct arguments *arguments, enum output_format format)
{
	uint64_t window = VARVE_WINDOW_USUAL;
	const char *asked = option(arguments, "window");
	if (asked && !parse_number(asked, VARVE_WINDOW_MOST, &window)) {
		message("info: --window must be a number from 0 to %d, not '%s'", VARVE_WINDOW_MOST,
			asked);
		return EXIT_USAGE;
	}
	struct varve_trace *trace;
	struct varve_codecs codecs;
	struct varve_causes causes = {0};
	progress_start("reading the trace", "", 0);
	enum varve_status status =
		varve_open(arguments->operands[0], VARVE_OPEN_CHECK, &trace, &causes);
	if (status != VARVE_OK)
		return failed_reading(status, &causes);
	status = varve_codecs_make(trace, (unsigned)window, asked ? VARVE_CODECS_ALL : 0, &codecs,
				   &causes);
	if (status != VARVE_OK) {
		varve_close(trace);
		return failed_reading(status, &causes);
	}
	progress_end();
	report_trouble(trace);
	if (format == FORMAT_JSON)
		codecs_json(&codecs, (unsigned)window);
	else
		codecs_text(&codecs, (unsigned)window);
	output_flush();
	int result = varve_damage_count(trace) ? EXIT_DAMAGED : EXIT_YES;
	varve_close(trace);
	return result;
}
