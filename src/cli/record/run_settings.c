/* Command line: reads the settings of a run from options, variables and a settings file. See run_settings.h.
 *
 * sink/run/settings.c interprets the values; this file finds them, and names in messages the place where a wrong value was
 * set. This happens before the program runs.
 */
#include "cli/record/run_settings.h"

#include "base/key_values.h"
#include "base/parse.h"
#include "codec/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_ROOM = 1 << 16, LINES_MOST = 512 };

/* One line of a settings file. */
struct line {
	enum setting_id id;
	int number;
	const char *value;
};

struct reader {
	const struct arguments *arguments;
	struct run_settings *settings;
	char file[4096]; /* "": none */
	struct line lines[LINES_MOST];
	size_t line_count;
};

/* Settings contain pointers into these. */
static char file_text[FILE_ROOM], variable_text[FILE_ROOM];

static const char *layer_at(const void *context, size_t i)
{
	(void)context;
	return call_names[i].internal ? "" : call_text + call_names[i].layer;
}

/* The name at index i: functions, then layers. */
static const char *call_at(const void *context, size_t i)
{
	if (i >= call_rows_count)
		return layer_at(context, i - call_rows_count);
	return call_names[i].internal ? "" : call_text + call_names[i].name;
}

static const char *setting_at(const void *context, size_t i)
{
	(void)context;
	return settings_table[i].name;
}

/* The words that the option of a setting takes; NULL: any text. */
static const char *setting_words(const struct verb *verb, enum setting_id id)
{
	for (size_t i = 0; i < VERB_OPTIONS_MOST && verb->options[i].name; i++)
		if (!strcmp(verb->options[i].name, settings_table[id].name))
			return verb->options[i].kind.takes == TAKES_WORD
				       ? verb->options[i].kind.words
				       : NULL;
	return NULL;
}

/* Prints what is wrong with a value; `where` is its place. */
static bool fault_report(const struct verb *verb, const char *where, enum setting_id id,
			 const char *value, const struct setting_fault *fault)
{
	const char *words = setting_words(verb, id);
	if (fault->kind == FAULT_VALUE && words) {
		word_message(verb, where, words, value);
	} else if (fault->kind == FAULT_VALUE) {
		message("record: %s must be %s, not '%s'", where, fault->expected, value);
	} else if (fault->kind == FAULT_ROOM) {
		message("record: %s: too many values; use fewer or shorter ones", where);
	} else {
		bool layers = id == SETTING_LAYER;
		bool pattern = strpbrk(fault->word, "*?[") != NULL;
		const char *near =
			pattern	 ? NULL
			: layers ? nearest(fault->word, call_rows_count, layer_at, NULL)
				 : nearest(fault->word, 2 * call_rows_count, call_at, NULL);
		const char *what = layers ? "layer" : "function or layer";
		if (pattern)
			message("record: %s: no %s matches '%s'; docs/calls.md lists all of them",
				where, what, fault->word);
		else if (near && *fault->word)
			message("record: %s: unknown %s '%s'; did you mean '%s'?", where, what,
				fault->word, near);
		else
			message("record: %s: unknown %s '%s'; docs/calls.md lists all of them",
				where, what, fault->word);
	}
	return false;
}

static bool setting_put_from(struct reader *reader, const char *where, enum setting_id id,
			     const char *value)
{
	struct setting_fault fault;
	return setting_put(reader->settings, id, value, &fault) ||
	       fault_report(reader->arguments->verb, where, id, value, &fault);
}

/* Chooses the path of the settings file: the given one, or the user's own if it exists. False: after a message. */
static bool file_choose(struct reader *reader, bool *named)
{
	const char *path = option(reader->arguments, "settings");
	if (!path || !*path)
		path = getenv("VARVE_SETTINGS");
	*named = path && *path;
	int length = 0;
	if (*named) {
		if (!strcmp(path, "none"))
			return true;
		length = snprintf(reader->file, sizeof reader->file, "%s", path);
	} else {
		const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
		if (config && *config == '/')
			length = snprintf(reader->file, sizeof reader->file, "%s/varve/settings",
					  config);
		else if (home && *home == '/')
			length = snprintf(reader->file, sizeof reader->file,
					  "%s/.config/varve/settings", home);
	}
	if (length >= 0 && (size_t)length < sizeof reader->file)
		return true;
	message("record: the path of the settings file is too long; use a shorter one with "
		"--settings");
	return false;
}

/* Reads the whole file into file_text; returns an errno. */
static int file_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno;
	size_t length = 0;
	int error = 0;
	struct stat found;
	if (!fstat(fd, &found) && S_ISDIR(found.st_mode))
		error = EISDIR;
	while (!error && length < sizeof file_text - 1) {
		ssize_t got = read(fd, file_text + length, sizeof file_text - 1 - length);
		if (got < 0 && errno != EINTR)
			error = errno;
		if (got == 0)
			break;
		length += got > 0 ? (size_t)got : 0;
	}
	if (!error && length == sizeof file_text - 1)
		error = EFBIG;
	if (!error && strlen(file_text) != length)
		error = EINVAL;
	close(fd);
	return error;
}

static char *trim(char *text)
{
	text += strspn(text, " \t\r");
	size_t length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = 0;
	return text;
}

/* Reads `key = value`. An empty line and a line that begins with # have no effect. */
static bool line_read(struct reader *reader, char *text, int number)
{
	text = trim(text);
	if (!*text || *text == '#')
		return true;
	char *equals = strchr(text, '=');
	if (!equals) {
		message("record: %s:%d: not a setting; write `name = value`, or # before a comment",
			reader->file, number);
		return false;
	}
	*equals = 0;
	const char *key = trim(text);
	for (size_t id = 0; id < SETTING_COUNT; id++) {
		if (strcmp(key, settings_table[id].name))
			continue;
		if (reader->line_count == LINES_MOST) {
			message("record: %s: more than %d settings; write lists on one line, "
				"separated by commas",
				reader->file, LINES_MOST);
			return false;
		}
		reader->lines[reader->line_count++] =
			(struct line){(enum setting_id)id, number, trim(equals + 1)};
		return true;
	}
	const char *near = nearest(key, SETTING_COUNT, setting_at, NULL);
	message("record: %s:%d: unknown setting '%s'; %s%s%s", reader->file, number, key,
		near ? "did you mean '" : "see `varve record --help`", near ? near : "",
		near ? "'?" : "");
	return false;
}

static bool file_read_lines(struct reader *reader)
{
	bool named;
	if (!file_choose(reader, &named))
		return false;
	if (!*reader->file)
		return true;
	int error = file_load(reader->file);
	/* the default file may belong to another user, if HOME was kept (sudo) */
	if (error && !named && (error == ENOENT || error == ENOTDIR || error == EACCES)) {
		*reader->file = 0;
		return true;
	}
	if (error) {
		message("record: cannot read the settings file %s: %s; correct it, or use "
			"--settings none",
			reader->file, error == EINVAL ? "not a text file" : strerror(error));
		return false;
	}
	int number = 0;
	for (char *text = file_text; text;) {
		char *end = strchr(text, '\n');
		if (end)
			*end++ = 0;
		if (!line_read(reader, text, ++number))
			return false;
		text = end;
	}
	return true;
}

/* Takes a setting from the command line; `*found`: it is there. */
static bool put_options(struct reader *reader, enum setting_id id, bool *found)
{
	const struct arguments *arguments = reader->arguments;
	const struct setting *setting = &settings_table[id];
	char where[64];
	snprintf(where, sizeof where, "--%s", setting->name);
	for (int i = 0; i < arguments->given_count; i++) {
		const struct given *given = &arguments->given[i];
		if (strcmp(given->option->name, setting->name))
			continue;
		*found = true;
		/* only the last value counts, except for lists */
		if (setting->takes == ONE && given->value != option(arguments, setting->name))
			continue;
		if (!setting_put_from(reader, where, id, *setting->value ? given->value : "yes"))
			return false;
	}
	return true;
}

/* Takes a setting from a variable. Patterns are separated by colons, like paths in other variables; other lists use
 * commas. */
static bool put_variable(struct reader *reader, enum setting_id id, size_t *used, bool *found)
{
	const struct setting *setting = &settings_table[id];
	const char *value = getenv(setting->variable);
	if (!value || !*value)
		return true;
	*found = true;
	if (id != SETTING_INCLUDE && id != SETTING_EXCLUDE)
		return setting_put_from(reader, setting->variable, id, value);
	while (*value) {
		size_t length = strcspn(value, ":");
		char *copy = variable_text + *used;
		if (*used + length + 1 > sizeof variable_text) {
			message("record: %s is too long; use fewer or shorter patterns",
				setting->variable);
			return false;
		}
		memcpy(copy, value, length);
		copy[length] = 0;
		*used += length + 1;
		if (length && !setting_put_from(reader, setting->variable, id, copy))
			return false;
		value += length + (value[length] == ':');
	}
	return true;
}

static bool put_lines(struct reader *reader, enum setting_id id)
{
	const struct line *last = NULL;
	char where[4200];
	for (size_t i = 0; i < reader->line_count; i++) {
		const struct line *line = &reader->lines[i];
		if (line->id != id)
			continue;
		snprintf(where, sizeof where, "%s:%d: %s", reader->file, line->number,
			 settings_table[id].name);
		if (last && settings_table[id].takes == ONE) {
			message("record: %s is already set in line %d; remove one of the two",
				where, last->number);
			return false;
		}
		last = line;
		if (!setting_put_from(reader, where, id, line->value))
			return false;
	}
	return true;
}

static bool folder_check(const struct run_settings *settings)
{
	struct stat found;
	if (!settings->lane_folder)
		return true;
	int error = stat(settings->lane_folder, &found) ? errno : 0;
	if (!error && S_ISDIR(found.st_mode))
		return true;
	message("record: --lanes must be the absolute path of a folder, not '%s': %s",
		settings->lane_folder, strerror(error ? error : ENOTDIR));
	return false;
}

/* The value of a setting, wherever it was set; NULL: it is not set, or its value is no. */
static const char *setting_value(const void *settings, const char *name)
{
	const struct run_settings *all = settings;
	const char *value = NULL, *found;
	char key[64];
	size_t id = 0, at = 0;
	snprintf(key, sizeof key, "setting.%s", name);
	while ((found = key_values_find(all->noted, all->noted_length, key, &at)))
		value = found;
	while (id < SETTING_COUNT && strcmp(settings_table[id].name, name))
		id++;
	bool yes = true;
	if (value && id < SETTING_COUNT && !*settings_table[id].value)
		parse_truth(value, &yes);
	return yes ? value : NULL;
}

bool settings_read(const struct arguments *arguments, struct run_settings *settings)
{
	static struct reader reader;
	size_t used = 0;
	reader = (struct reader){.arguments = arguments, .settings = settings};
	if (!file_read_lines(&reader))
		return false;
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		enum setting_id id = (enum setting_id)i;
		bool found = false;
		if (!put_options(&reader, id, &found) ||
		    (!found && !put_variable(&reader, id, &used, &found)) ||
		    (!found && !put_lines(&reader, id)))
			return false;
	}
	const char *wrong = settings_complete(settings);
	if (wrong)
		message("record: %s", wrong);
	return !wrong && options_agree(arguments, setting_value, settings) &&
	       folder_check(settings);
}
