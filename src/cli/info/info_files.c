/* Command line: `varve info --files`: calls and bytes of each file, by layer. <varve/summary.h> computes the sums. */
#include "cli/info/info.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"

#include <inttypes.h>
#include <string.h>

enum varve_status info_files_make(struct info *info, struct varve_causes *causes)
{
	return info->by_file
		       ? varve_file_totals_make(info->trace, info->filter, &info->files, causes)
		       : VARVE_OK;
}

void info_files_clear(struct info *info)
{
	varve_file_totals_clear(&info->files);
}

void info_files_text(const struct info *info)
{
	const struct varve_file_totals *files = &info->files;
	if (!info->by_file)
		return;
	if (!files->count) {
		put_text("\nno calls on files\n\n");
		return;
	}
	put_char('\n');
	put_heading("layer    processes      calls   failures       bytes read    bytes written    "
		    "  time  file");
	for (size_t i = 0; i < files->count; i++) {
		const struct varve_file_total *total = &files->totals[i];
		put_padded(varve_layer_at(info->trace, total->layer), -9);
		info_count(total->processes, 9);
		info_count(total->counters.calls, 11);
		info_count(total->counters.failures, 11);
		info_count(total->bytes_read, 17);
		info_count(total->bytes_written, 17);
		put_text("  ");
		info_ns(total->counters.ns, 8);
		put_text("  ");
		put_escaped(total->path.bytes, total->path.length, 0x7f);
		put_char('\n');
	}
	put_char('\n');
}

void info_files_json(const struct info *info)
{
	const struct varve_file_totals *files = &info->files;
	if (!info->by_file)
		return;
	put_text(",\"files\":[");
	for (size_t i = 0; i < files->count; i++) {
		const struct varve_file_total *total = &files->totals[i];
		const char *layer = varve_layer_at(info->trace, total->layer);
		put_text(i ? ",{\"layer\":" : "{\"layer\":");
		put_json(layer, strlen(layer));
		put_text(",\"file\":");
		put_json(total->path.bytes, total->path.length);
		put_format(",\"processes\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"failures\":%" PRIu64
			   ",\"unfinished\":%" PRIu64 ",\"bytes_read\":%" PRIu64
			   ",\"bytes_written\":%" PRIu64 ",\"ns\":%" PRIu64 "}",
			   total->processes, total->counters.calls, total->counters.failures,
			   total->counters.unfinished, total->bytes_read, total->bytes_written,
			   total->counters.ns);
	}
	put_char(']');
}

void info_files_csv(const struct info *info)
{
	const struct varve_file_totals *files = &info->files;
	put_text("layer,file,processes,calls,failures,unfinished,bytes_read,bytes_written,ns\r\n");
	for (size_t i = 0; i < files->count; i++) {
		const struct varve_file_total *total = &files->totals[i];
		const char *layer = varve_layer_at(info->trace, total->layer);
		put_csv(layer, strlen(layer));
		put_char(',');
		put_csv(total->path.bytes, total->path.length);
		put_format(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			   ",%" PRIu64 "\r\n",
			   total->processes, total->counters.calls, total->counters.failures,
			   total->counters.unfinished, total->bytes_read, total->bytes_written,
			   total->counters.ns);
	}
}
