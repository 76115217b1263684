/* Command line: what is missing, said first and on stderr. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "trace/trace.h"

/* One line for each reason for which something was not recorded. */
void report_losses(const uint64_t loss[LOSS_ROOM]);
const char *loss_text(size_t reason); /* NULL: one that this Varve does not know */

/* Damages from the `from`-th on. */
void report_damage(const struct trace *trace, size_t from);

/* Losses, damage, and who still runs. */
void report_trouble(const struct trace *trace);

#endif
