/* Sink: the settings of a run: one table of what there is, and how each value is read.
 *
 * `varve record` reads them from options, variables and a file, a library that was preloaded alone from variables. Values mean
 * the same everywhere. Nothing here reads the environment or prints; no allocation.
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
	const char *value; /* what it takes; "": yes or no */
	enum setting_takes takes;
	const char *otherwise; /* when it is not set */
	const char *help;
};

extern const struct setting settings_table[SETTING_COUNT];

/* What is wrong with a value. */
struct setting_fault {
	enum { FAULT_VALUE, FAULT_NAME, FAULT_ROOM } kind;
	const char *expected; /* FAULT_VALUE: what it should be */
	char word[64];	      /* FAULT_NAME: what is no function and no layer */
};

/* Takes over one value; of a list, one more. False: it is no good, and nothing has changed. */
bool setting_put(struct run_settings *settings, enum setting_id id, const char *value,
		 struct setting_fault *fault);

/* When all are in: makes the switches of the rows. What is contradictory, or NULL. */
const char *settings_complete(struct run_settings *settings);

/* After that: whether rows are asked for whose wrappers are in the other preload library. */
bool settings_need_sync_library(const struct run_settings *settings);

/* Whether a name of a function or layer, with stars, fits a call. */
bool setting_names_call(const char *word, size_t length, size_t row);

#endif
