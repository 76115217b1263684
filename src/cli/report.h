/* Command line: what is missing, said first and on stderr. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "codec/control.h"

#include <varve/varve.h>

#define VANISHED_TEXT                                                                              \
	"programs that a traced one became: the trace was out of reach, or the end came before"

#define UNSEEN_END_TEXT                                                                            \
	"processes that exited by a direct system call; direct system calls, including exec, are " \
	"not recorded"

/* For "%s%s%s": with how many times; with how many objects. */
#define DEEP_TEXT(times)                                                                           \
	"all calls of libraries that were loaded with RTLD_DEEPBIND (", times,                     \
		"): no preloaded library sees them"
#define APART_TEXT(objects)                                                                        \
	"all calls of ", objects, " in another namespace (dlmopen): no preloaded library sees them"

/* One line for each reason for which something was not recorded in a run that has just ended. */
void report_losses(const struct control *control);

/* Damages from the `from`-th on. */
void report_damage(const struct varve_trace *trace, size_t from);

/* Bytes of a packed trace that were wrong and are repaired in memory, beyond `from`. */
void report_repairs(const struct varve_trace *trace, uint64_t from);

/* Losses, damage, and who still runs. */
void report_trouble(const struct varve_trace *trace);

/* report_programs.c: programs of which nothing was recorded; with `names`: which, and why. */
void report_programs(struct varve_trace *trace, bool names);
/* Loaded where no preloaded library sees them. */
void report_objects(struct varve_trace *trace);
size_t objects_apart(const struct varve_objects *objects);
/* Why, as it is called in the tables of the trace, and for people. */
const char *untraced_text(const struct varve_trace *trace, uint64_t why);
/* Processes that went on or ended where the recorder sees nothing, beside those with a runtime that always does so. */
uint64_t unseen_ends(const struct varve_trace *trace, const struct varve_tree *tree);
/* One whose path is not known. */
const char *untraced_unnamed(const struct varve_untraced *untraced);
const char *untraced_words(const struct varve_trace *trace, uint64_t why);

#endif
