/* Command line: reports losses and damage on stderr, before the output. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/verbs.h"
#include "codec/control.h"

#include <varve/varve.h>

#define UNSEEN_END_TEXT                                                                            \
	"processes that exited with a direct system call; direct system calls, also exec, are "    \
	"not "                                                                                     \
	"recorded"

/* For the format "%s%s%s"; the argument is the text of a count, of times or of objects. */
#define DEEP_TEXT(times)                                                                           \
	"all calls of libraries loaded with RTLD_DEEPBIND (", times,                               \
		"): these libraries bypass every preloaded library"
#define NAMESPACE_TEXT(objects)                                                                    \
	"all calls of ", objects,                                                                  \
		" in another namespace (dlmopen), which bypass every preloaded library"

/* One message for each reason why something was not recorded in a run that has just ended; `programs`: also for programs, which
 * report_programs() can name. */
void report_losses(const struct control *control, bool programs);

/* The file of a damage, and the offset in it if that is known. A trace that is one file has the name that the user gave. */
struct damage_place {
	char text[4352];
};
struct damage_place damage_place(const struct varve_trace *trace,
				 const struct varve_damage *damage);

/* Whether an entry is about a truncated file, or about a part of the data that cannot be read because of this. */
bool damage_is_cut(const struct varve_damage *damage);
bool damage_of_cut(const struct varve_trace *trace, const struct varve_damage *damage);

/* What the entries from number `from` on add up to: how many parts were cut off, or that no record can be read; "": neither. */
struct damage_sum {
	char text[448];
	bool total; /* no record can be read */
};
struct damage_sum damage_sum(struct varve_trace *trace, size_t from);

/* The list of damage, from entry number `from` on. */
void report_damage(struct varve_trace *trace, size_t from);

/* Wrong bytes of a packed trace that were repaired in memory, without the first `from`. */
void report_repairs(const struct varve_trace *trace, uint64_t from);

/* Text about programs started by exec that left no records. */
struct counted vanished_text(uint64_t count);

/* Losses, damage, and processes that still run. */
void report_trouble(struct varve_trace *trace);

/* report_programs.c: programs that were not recorded; with `names`: also which, and why; with `rest`: also how many others. */
void report_programs(struct varve_trace *trace, bool names, bool rest);
/* The number of lost programs that the tree names, and of those that it does not. */
uint64_t untraced_named(const struct varve_tree *tree);
uint64_t untraced_rest(const struct varve_trace *trace, const struct varve_tree *tree);
/* Objects that bypass every preloaded library. */
void report_objects(struct varve_trace *trace);
size_t objects_in_namespaces(const struct varve_objects *objects);
/* The reason, as named in the tables of the trace. */
const char *untraced_text(const struct varve_trace *trace, uint64_t why);
/* Number of processes that ended or continued without the recorder, except those of a runtime that always does so. */
uint64_t unseen_ends(const struct varve_trace *trace, const struct varve_tree *tree);
/* Text for a program with an unknown path. */
const char *untraced_unnamed(const struct varve_untraced *untraced);
/* Text for the reason. */
const char *untraced_words(const struct varve_trace *trace, uint64_t why);

#endif
