/* Record: which files the patterns of --include and --exclude exclude.
 *
 * Patterns are compared with a path once for each name; the answer is kept with the descriptor, and in a table by the path's hash.
 * Used only when there are patterns.
 */
#ifndef RECORD_NAMES_PATH_FILTER_H
#define RECORD_NAMES_PATH_FILTER_H

#include "record/switches.h"

/* Whether a call on these files is not to be recorded: it names files, and all of them are excluded. The thread is busy. */
bool path_filter_excludes(struct thread *self, const struct about *about, unsigned count);

#endif
