/* Sink: the settings of a run: one table of all settings, and how each value is read.
 *
 * `varve record` reads them from options, variables and a file; a library that is preloaded alone reads them from variables.
 * Values mean the same everywhere. Nothing here reads the environment or prints; no allocation.
 */
#ifndef SINK_RUN_SETTINGS_H
#define SINK_RUN_SETTINGS_H

#include "sink/run/run.h"

enum setting_id {
#define SETTING(id, ...) SETTING_##id,
#include "sink/run/settings.def"
#undef SETTING
	SETTING_COUNT
};

enum setting_takes { ONE, LIST };

struct setting {
	const char *name;
	char letter;
	const char *variable;
	const char *value; /* name of its value; "": yes or no */
	enum setting_takes takes;
	const char *otherwise; /* the default */
	const char *help;
};

extern const struct setting settings_table[SETTING_COUNT];

/* What is wrong with a value. */
struct setting_fault {
	enum { FAULT_VALUE, FAULT_NAME, FAULT_ROOM } kind;
	const char *expected; /* FAULT_VALUE: what it should be */
	char word[64];	      /* FAULT_NAME: the word that is neither a function nor a layer */
};

/* Sets a value, or adds one to a list. False: the value is wrong, and nothing has changed. */
bool setting_put(struct run_settings *settings, enum setting_id id, const char *value,
		 struct setting_fault *fault);

/* Sets the switches of the rows, after all values were set. Returns what is contradictory, or NULL. */
const char *settings_complete(struct run_settings *settings);

/* After that: whether rows are selected whose wrappers are in the other preload library. */
bool settings_need_sync_library(const struct run_settings *settings);

/* Whether a name of a function or layer, which may contain stars, matches a call. */
bool setting_names_call(const char *word, size_t length, size_t row);

#endif
