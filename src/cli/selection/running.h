/* Command line: calls that --from leaves out although they were running at this time.
 *
 * --from selects calls by their start, so a long call around the window is not in the output, and a process can look idle.
 * See running.c.
 */
#ifndef CLI_SELECTION_RUNNING_H
#define CLI_SELECTION_RUNNING_H

#include "cli/selection/selection.h"

/* Prints a note with the number of calls that match all options but --from, started before --from and ended after it, and
 * the filter that selects them. `hides_recorder`: without records of layer varve. */
void running_note(const struct arguments *arguments, const struct selection *selection,
		  bool hides_recorder);

#endif
