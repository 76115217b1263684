/* Record: which files are left out, by the patterns of --include and --exclude.
 *
 * A pattern is held against a path once for each name; what came of it is kept with the descriptor and in a table by the
 * path's hash. Only asked when there are patterns.
 */
#ifndef RECORD_NAMES_PATH_FILTER_H
#define RECORD_NAMES_PATH_FILTER_H

#include "record/switches.h"

/* Whether a call on these files is not to be recorded: it names files, and all of them are left out. Own work. */
bool path_filter_excludes(struct thread *self, const struct about *about, unsigned count);

#endif
