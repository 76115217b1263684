/* Fuzzing: the settings file of `varve record`, and its values as in variables and options.
 *
 * Input: the file. The reader is included here: it keeps the text of the file in its own memory, and the command calls it only
 * once. Its messages are formatted but not printed. */
#include "fuzz.h"

#include "cli/record/run_settings.c"

#include "cli/option_rules.c"
#include "cli/option_words.c"

#include <stdarg.h>

void message(const char *format, ...)
{
	char text[8192];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	touch(text, strlen(text));
}

const char *option(const struct arguments *arguments, const char *name)
{
	(void)arguments, (void)name;
	return NULL;
}

static const struct verb record = {
	.name = "record",
	.options = {{"clock", 0, "CLOCK", "of a test", {TAKES_WORD, "tsc monotonic"}},
		    {"time", 0, "HOW", "of a test", {TAKES_WORD, "exact histogram none"}}},
	.rules = {{"window", RULE_NEEDS, "codec=peephole", "of a test"},
		  {"time", RULE_EXCLUDES, "no-pack", "of a test"}}};

/* The command's function looks for a similar word; this one visits every word and returns the last. */
const char *nearest(const char *word, size_t count,
		    const char *(*at)(const void *context, size_t i), const void *context)
{
	const char *last = NULL;
	for (size_t i = 0; i < count; i++)
		last = at(context, i);
	return *word ? last : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct arguments arguments = {.verb = &record};
	static struct run_settings settings;
	char path[80];
	folder_write("settings", bytes ? bytes : (const uint8_t *)"", size);
	snprintf(path, sizeof path, "%s/settings", folder_path());
	setenv("VARVE_SETTINGS", path, 1);
	memset(&settings, 0, sizeof settings);
	memset(file_text, 0, sizeof file_text);
	bound_begin(size, 1);
	if (settings_read(&arguments, &settings)) {
		touch(settings.noted, settings.noted_length);
		touch(&(bool){settings_need_sync_library(&settings)}, sizeof(bool));
		if (!settings.complete || settings.noted_length > sizeof settings.noted)
			abort();
	}
	bound_end();
	return 0;
}
