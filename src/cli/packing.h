/* Command line: packing a trace, at the end of `varve record` and by `varve pack`. */
#ifndef CLI_PACKING_H
#define CLI_PACKING_H

#include "cli/verbs.h"
#include "pack/pack.h"

/* "exact", "histogram" or "none"; false: none of these. */
bool packing_time(const char *word, enum packed_time *time);

/* Whether a trace can be made under this name, which an option gave; false: after a message. */
bool packing_names_file(const char *verb, const char *name);

/* Whether a new trace of this name would lie in its source, or be it. */
bool packing_inside(const char *source, const char *name);

/* Whether the trace can be read; else says why not, and `*result` is the exit status. */
bool packing_opens(const char *name, int *result);

/* EXIT_YES when nothing writes to the trace any more, on any host; else says what does, and what to do. */
int packing_ready(const char *name);

/* Locks the trace until pack_unlock(): EXIT_YES, or names the command that packs it, and is EXIT_NO. */
int packing_lock(const char *name, int *lock);

/* Packs a locked trace: EXIT_YES, or says what went wrong. The folder of a trace that was packed in its place is removed. */
int packing_do(const struct pack_settings *settings, struct pack_result *result);

/* Looks for damage in all of a packed trace, and says what it found: EXIT_NO when it was repaired in memory, EXIT_DAMAGED when
 * something is lost. */
int packing_verify(const char *name, enum output_format format);
/* Writes a sound trace of it as `target`; the same pointer: in its place. Of one that lost something what is left. */
int packing_repair(const char *name, const char *target, enum output_format format);

/* Whether the run of a trace was asked to be packed at its end, and nothing writes to it any more, on any host. Says nothing. */
bool packing_requested(const char *name);

/* The same, but for nodes of other hosts, whose lanes cannot be reached from here: these complete them. */
bool packing_awaits(const char *name);
/* Packs a locked trace at the end of its run, as its settings say. Whatever becomes of it, what was recorded stays. */
void packing_at_end(const char *name);

/* Says of a packed trace that it was made of a damaged one: EXIT_DAMAGED; EXIT_YES when it was not. */
int packing_damage(const char *target, const struct pack_result *result);

#endif
