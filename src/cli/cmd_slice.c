/* Command line: `varve slice`: writes a part of a trace, or of several traces of one job, as a new trace.
 *
 * Reads the selection like `dump`, reports what is missing in the sources, and passes both to src/slice, which writes. A
 * signal stops it after the current block and leaves nothing behind.
 */
#include "cli/packing.h"
#include "cli/report.h"
#include "cli/selection/running.h"
#include "cli/selection/slice_where.h"
#include "cli/selection/where.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "slice/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slicing {
	const struct arguments *arguments;
	size_t count;
	struct varve_trace **traces;
	struct selection *selections;
	struct slice_source *sources;
	struct anonymizer anonymizer;
	char *keys;
	size_t keys_length;
	bool written; /* the new trace exists */
};

static volatile sig_atomic_t stopped;

static void stop_handler(int signal)
{
	stopped = signal;
}

static void watch_signals(void (*handler)(int signal))
{
	const struct sigaction action = {.sa_handler = handler};
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction before;
		/* a signal that is ignored, for example because of nohup, stays ignored */
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

/* Checks that need no trace. */
static bool options_valid(const struct arguments *arguments)
{
	const char *name = option(arguments, "output");
	if (!name) {
		message("slice: no output given; name the new trace with -o, as in -o part.varve");
		return false;
	}
	if (!packing_names_file("slice", name))
		return false;
	if (arguments->count < 2 && option(arguments, "join")) {
		message("slice: --join needs several traces, and one is given; name the others, or "
			"remove --join");
		return false;
	}
	for (int i = 0; i < arguments->count; i++)
		if (packing_same(arguments->operands[i], name)) {
			message("slice: the new trace %s would replace its source %s; choose "
				"another name with -o",
				name, arguments->operands[i]);
			return false;
		} else if (packing_inside(arguments->operands[i], name)) {
			message("slice: the new trace cannot be inside its source %s; choose "
				"another name with -o",
				arguments->operands[i]);
			return false;
		}
	return true;
}

enum { KEY_MOST = 1 << 16 };

/* Reads the file `name` into `key`; returns its length, or -1 after a message. */
static ssize_t read_key(const char *name, char *key)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;
	/* Reads one byte more than allowed, to detect a longer file. */
	if (fd >= 0)
		got = read(fd, key, KEY_MOST + 1);
	if (got < 0)
		message("slice: cannot read the key %s: %s; name a file with --key, or give the "
			"key itself with --key-text",
			name, strerror(errno));
	if (fd >= 0)
		close(fd);
	return got;
}

static int start_anonymizer(struct slicing *slicing)
{
	struct varve_causes causes = {0};
	const char *name = option(slicing->arguments, "key");
	const char *text = option(slicing->arguments, "key-text");
	static char key[KEY_MOST + 1];
	ssize_t length = 0;
	if (name)
		length = read_key(name, key);
	if (text)
		memcpy(key, text, (size_t)(length = (ssize_t)strnlen(text, sizeof key)));
	if (length < 0)
		return EXIT_USAGE;
	if ((name || text) && (!length || length > KEY_MOST)) {
		message("slice: the key %s; give a secret of 1 to %d bytes",
			length ? "is too long" : "is empty", KEY_MOST);
		return EXIT_USAGE;
	}
	enum varve_status status = anonymizer_start(&slicing->anonymizer, length ? key : NULL,
						    (size_t)length, &causes);
	slicing->anonymizer.keep_system = option(slicing->arguments, "keep-system") != NULL;
	explicit_bzero(key, sizeof key);
	return status == VARVE_OK ? EXIT_YES : failed(status, &causes);
}

/* Makes the description of the new trace: its sources and options, with the names that these have in `dump`. */
static bool make_keys(struct slicing *slicing)
{
	static const char *const names[] = {"rank",  "from",	"to",	  "file", "function",
					    "layer", "process", "stream", "where"};
	const struct arguments *arguments = slicing->arguments;
	bool part = false;
	FILE *to = open_memstream(&slicing->keys, &slicing->keys_length);
	if (!to)
		return false;
	for (int i = 0; i < arguments->count; i++)
		fprintf(to, "slice.of=%s%c", arguments->operands[i], 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = option(arguments, names[i]);
		if (value)
			fprintf(to, "slice.%s=%s%c", names[i], value, 0);
		part |= value != NULL;
	}
	if (part)
		fprintf(to, "slice.part=1%c", 0);
	if (option(arguments, "anonymize"))
		fprintf(to, "slice.anonymized=1%c", 0);
	return !fclose(to);
}

/* Opens the sources. Compares every payload with its checksum, because damage must be known before the first block is
 * written. */
static int open_sources(struct slicing *slicing)
{
	const struct arguments *arguments = slicing->arguments;
	for (size_t i = 0; i < slicing->count; i++) {
		struct varve_causes causes = {0};
		progress_start("reading the trace", "", 0);
		enum varve_status status = varve_open(arguments->operands[i], VARVE_OPEN_CHECK,
						      &slicing->traces[i], &causes);
		progress_end();
		if (status != VARVE_OK)
			return failed_reading(status, &causes);
		report_trouble(slicing->traces[i]);
	}
	if (!ranks_read(arguments, slicing->traces, slicing->count))
		return EXIT_USAGE;
	for (size_t i = 0; i < slicing->count; i++) {
		struct selection *selection = &slicing->selections[i];
		if (!selection_read(arguments, selection))
			return EXIT_USAGE;
		int result = selection_bind(arguments, slicing->traces[i], selection);
		if (result == EXIT_YES)
			result = slice_where(arguments, selection);
		if (result != EXIT_YES)
			return result;
		slicing->sources[i] = (struct slice_source){.trace = slicing->traces[i],
							    .query = &selection->query};
	}
	return EXIT_YES;
}

static void put_result(const char *name, const struct sliced *sliced)
{
	put_json_member("{\"trace\":", name);
	put_format(",\"records\":%llu,\"processes\":%llu,\"blocks\":%llu,\"damages\":%llu}\n",
		   (unsigned long long)sliced->records, (unsigned long long)sliced->processes,
		   (unsigned long long)sliced->blocks, (unsigned long long)sliced->damages);
}

static void report_result(const char *name, const struct sliced *sliced)
{
	if (!sliced->records)
		note("%s: no record matches; the new trace is empty", name);
	else
		note("%s: %s of %s", name, counted(sliced->records, "records").text,
		     counted(sliced->processes, "processes").text);
	if (sliced->damages)
		message("%s was made from a trace that is damaged in %s; `varve info` lists them",
			name, counted(sliced->damages, "places").text);
}

static int write_slice(struct slicing *slicing, enum output_format format)
{
	const struct arguments *arguments = slicing->arguments;
	const char *name = option(arguments, "output");
	bool anonymous = option(arguments, "anonymize") != NULL;
	struct slice_output *target;
	struct varve_causes causes = {0};
	struct sliced sliced;
	uint64_t all = 0;
	const struct slice_request request = {.sources = slicing->sources,
					      .count = slicing->count,
					      .join = option(arguments, "join") != NULL,
					      .keys = slicing->keys,
					      .keys_length = slicing->keys_length,
					      .anonymizer = anonymous ? &slicing->anonymizer : NULL,
					      .stop = &stopped,
					      .step = progress_step};
	for (size_t i = 0; i < slicing->count; i++)
		for (size_t k = 0; k < varve_stream_count(slicing->traces[i]); k++)
			all += varve_stream_at(slicing->traces[i], k)->records;
	enum varve_status status = slice_same_run(&request, &causes);
	if (status == VARVE_OK)
		status = slice_folder(name, option(arguments, "force") != NULL, &target, &causes);
	if (status != VARVE_OK)
		return failed(status, &causes);
	watch_signals(stop_handler);
	progress_start("slice", "records", all);
	status = slice_make(&request, target, &sliced, &causes);
	progress_end();
	target->close(target);
	/* A signal that arrived after the end of slice_make() has no effect. */
	if (stopped && status != VARVE_OK) {
		signal((int)stopped, SIG_DFL);
		raise((int)stopped);
	}
	if (status != VARVE_OK)
		return failed(status, &causes);
	slicing->written = true;
	/* The slice is complete: a signal while it is packed leaves it as a folder. */
	watch_signals(SIG_DFL);
	report_result(name, &sliced);
	for (size_t i = 0; i < slicing->count; i++)
		running_note(arguments, &slicing->selections[i], false);
	if (format == FORMAT_JSON)
		put_result(name, &sliced);
	output_flush();
	return sliced.damages ? EXIT_DAMAGED : EXIT_YES;
}

static void slicing_clear(struct slicing *slicing)
{
	for (size_t i = 0; i < slicing->count; i++) {
		if (slicing->selections)
			selection_clear(&slicing->selections[i]);
		if (slicing->traces)
			varve_close(slicing->traces[i]);
	}
	free(slicing->selections);
	free(slicing->sources);
	free(slicing->traces);
	free(slicing->keys);
	anonymizer_clear(&slicing->anonymizer);
}

/* The means of histograms must not become exact times of a new trace. */
static bool times_exact(const struct slicing *slicing)
{
	for (size_t i = 0; i < slicing->count; i++) {
		if (varve_time_kind_of(slicing->traces[i]) == VARVE_TIME_EXACT)
			continue;
		message("slice: %s was packed with --time and has no exact times; slice the trace "
			"before it is packed like this",
			slicing->arguments->operands[i]);
		return false;
	}
	return true;
}

/* Packs the slice if all sources are packed, unless an option says otherwise. */
static bool packs_slice(const struct arguments *arguments)
{
	bool packed = !option(arguments, "no-pack");
	for (int i = 0; packed && !option(arguments, "packed") && i < arguments->count; i++)
		packed = pack_is_packed(arguments->operands[i]);
	return packed;
}

static int pack_slice(const struct arguments *arguments)
{
	const char *name = option(arguments, "output");
	struct pack_settings settings = {.source = name, .target = name};
	struct pack_result result;
	int lock, packed = packing_lock(name, &lock);
	if (packed == EXIT_YES) {
		packed = packing_do(&settings, &result);
		pack_unlock(lock);
	}
	return packed;
}

int cmd_slice(const struct arguments *arguments)
{
	struct slicing slicing = {.arguments = arguments, .count = (size_t)arguments->count};
	struct selection selection;
	enum output_format format = option_format(arguments);
	if (!options_valid(arguments) || !selection_read(arguments, &selection))
		return EXIT_USAGE;
	slicing.traces = calloc(slicing.count, sizeof *slicing.traces);
	slicing.selections = calloc(slicing.count, sizeof *slicing.selections);
	slicing.sources = calloc(slicing.count, sizeof *slicing.sources);
	int result = EXIT_YES;
	if (!slicing.traces || !slicing.selections || !slicing.sources || !make_keys(&slicing)) {
		message("slice: out of memory; free some memory, or raise the limit (`ulimit -v`)");
		result = EXIT_SYSTEM;
	}
	if (result == EXIT_YES && option(arguments, "anonymize"))
		result = start_anonymizer(&slicing);
	if (result == EXIT_YES)
		result = open_sources(&slicing);
	if (result == EXIT_YES && !times_exact(&slicing))
		result = EXIT_USAGE;
	if (result == EXIT_YES)
		result = write_slice(&slicing, format);
	int packed = EXIT_YES;
	if (slicing.written && packs_slice(arguments))
		packed = pack_slice(arguments);
	slicing_clear(&slicing);
	return packed == EXIT_YES ? result : packed;
}
