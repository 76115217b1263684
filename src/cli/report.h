/* Command line: what is missing, said first and on stderr. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "trace/trace.h"
#include "trace/tree.h"

#define VANISHED_TEXT                                                                              \
	"programs that a traced one became: the trace was out of reach, or the end came before"

/* One line for each reason for which something was not recorded. */
void report_losses(const uint64_t loss[LOSS_ROOM]);
const char *loss_text(size_t reason); /* NULL: one that this Varve does not know */

/* Damages from the `from`-th on. */
void report_damage(const struct trace *trace, size_t from);

/* Losses, damage, and who still runs. */
void report_trouble(const struct trace *trace);

/* report_programs.c: programs of which nothing was recorded; with `names`: which, and why. */
void report_programs(struct trace *trace, bool names);
const char *untraced_text(const struct trace *trace, uint64_t why);

#endif
