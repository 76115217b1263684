/* Command line: packing a trace, at the end of `varve record` and by `varve pack`. */
#ifndef CLI_PACKING_H
#define CLI_PACKING_H

#include "cli/verbs.h"
#include "pack/pack.h"

/* The meaning of "exact", "histogram" or "none". */
enum packed_time packing_time(const char *word);

/* Whether a new trace can have this name, which an option gave; otherwise prints a message. */
bool packing_names_file(const char *verb, const char *name);

/* Whether a new trace with this name would be inside its source, or replace it. */
bool packing_inside(const char *source, const char *name);

/* Whether both are the same file or folder. */
bool packing_same(const char *source, const char *name);

/* Whether the trace can be opened; otherwise prints the reason, and `*result` is the exit status. */
bool packing_opens(const char *name, int *result);

/* EXIT_YES if no process writes to the trace any more, on any host; otherwise prints which process does, and what to do. */
int packing_ready(const char *name);

/* Locks the trace until pack_unlock(). EXIT_NO: another command is packing it; prints which one. */
int packing_lock(const char *name, int *lock);

/* Packs a locked trace: EXIT_YES, or prints what went wrong. If it was packed in place, its folder is removed. */
int packing_do(const struct pack_settings *settings, struct pack_result *result);

/* Searches a whole packed trace for damage, and prints the result: EXIT_NO if it was repaired in memory, EXIT_DAMAGED if
 * something is lost. */
int packing_verify(const char *name, enum output_format format);
/* Writes a sound copy as `target`; if it is the same pointer as `name`: in place. Of a trace that lost something, writes
 * the readable part. */
int packing_repair(const char *name, const char *target, enum output_format format);

/* Whether the settings of the run request packing at its end, and no process writes to the trace any more, on any host.
 * Prints nothing. */
bool packing_requested(const char *name);

/* The same, except that nodes of other hosts are not complete, whose lanes cannot be reached from here; commands on these
 * hosts complete them. */
bool packing_awaits(const char *name);
/* Packs a locked trace at the end of its run, according to the settings. If packing fails, the records stay in the folder. */
void packing_at_end(const char *name);

/* Prints that a packed trace was made from a damaged one: EXIT_DAMAGED; EXIT_YES if it was not damaged. */
int packing_damage(const char *target, const struct pack_result *result);

#endif
