/* Command line: the settings of a run from options, variables and a settings file, in this order. */
#ifndef CLI_RECORD_RUN_SETTINGS_H
#define CLI_RECORD_RUN_SETTINGS_H

#include "cli/verbs.h"
#include "sink/run/settings.h"

/* Reads and checks all settings. Prints what is wrong and returns false. */
bool settings_read(const struct arguments *arguments, struct run_settings *settings);

#endif
