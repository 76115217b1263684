/* Command line: the three output formats of `varve info`. */
#ifndef CLI_INFO_INFO_H
#define CLI_INFO_INFO_H

#include "cli/verbs.h"

#include <varve/varve.h>

/* The ranks of the program, and the ranks with records. */
struct info_ranks {
	bool any;
	uint32_t world; /* 0: not known */
	uint32_t present;
	uint32_t missing;
	char text[160]; /* the missing ranks */
};

struct info {
	struct varve_trace *trace;
	struct varve_state state;
	struct varve_filter *filter; /* NULL: none */
	const char *where;	     /* text of the filter */
	const char *ranks_asked;     /* --rank, or NULL */
	struct varve_summary summary;
	struct varve_objects objects; /* empty if quick */
	struct varve_tree tree;
	struct info_regions *regions;	/* NULL: none, or quick */
	struct varve_file_totals files; /* empty unless `by_file` */
	struct info_ranks ranks;
	const struct varve_process *first; /* the first program; NULL: none */
	bool end_derived; /* the end in `state` was derived from the first programs */
	bool quick;
	bool by_file;
	bool all_processes;
};

/* A value in the description of the run, or NULL. */
const char *info_value(const struct info *info, const char *key);

/* Duration of the run in ns: to its end if that is known, else to the last record. */
int64_t info_duration(const struct info *info);

/* The text of how a process began and ended. */
const char *began_text(enum varve_began began);
const char *ended_text(enum varve_ended ended);

/* Prints a command line, quoted as for a shell: the values of `key`; false: there are none. */
bool put_words(const char *(*value)(const void *from, const char *key, size_t nth),
	       const void *from, const char *key, size_t most);

/* Values of a key of the run (`trace`) or of a process. */
const char *value_of_run(const void *trace, const char *key, size_t nth);
const char *value_of_process(const void *process, const char *key, size_t nth);
/* An argument of a process, without the empty ones that a process title leaves. */
const char *argument_of_process(const void *process, const char *key, size_t nth);

/* Whether a successful call of the function returns: exec and exit do not. Such a call without a result is not called
 * unfinished. */
bool info_returns(const struct varve_function *function);

/* Prints a sum of times, or a number, right-aligned in a column. */
void info_ns(uint64_t ns, int width);
void info_count(uint64_t value, int width);

void info_processes(const struct info *info);
void info_untraced(const struct info *info);
/* Whether the program of `varve record` was not recorded; its line is one of the first. */
bool info_own_program_lost(const struct info *info);
void info_text(const struct info *info);
void info_json(const struct info *info);
void info_csv(const struct info *info);

/* info_regions.c: regions, phases and functions of the program by name. */
enum varve_status info_regions_make(struct info *info, struct varve_causes *causes);
void info_regions_clear(struct info *info);
void info_regions_text(const struct info *info);
void info_regions_json(const struct info *info);
/* info_libraries.c: files that contain the functions of MPI, HDF5 ... */
void info_libraries_text(const struct info *info);
void info_libraries_json(const struct info *info);
/* info_files.c: calls and bytes of each file, if --files was given; in CSV instead of functions. */
enum varve_status info_files_make(struct info *info, struct varve_causes *causes);
void info_files_clear(struct info *info);
void info_files_text(const struct info *info);
void info_files_json(const struct info *info);
void info_files_csv(const struct info *info);
/* info_first.c: the first programs of the run. */
void info_first_find(struct info *info);
/* info_nodes.c: hosts and ranks. */
void info_ranks_find(struct info *info);
void info_nodes_text(const struct info *info);
void info_nodes_json(const struct info *info);

/* info_codecs.c: --codec-stats, which replaces all other output; returns an exit status. */
int info_codecs(const struct arguments *arguments, enum output_format format);
/* info_slice.c: the source and options of a slice. True: its source was damaged or still running. */
bool info_slice_text(const struct info *info, void (*put_label)(const char *label));
void info_slice_json(const struct info *info);

/* info_unseen.c: I/O that cannot be in the trace. */
void info_unseen_text(const struct info *info);
/* Calls that certainly bypassed the recorder: for the first lines of the text. True: there are some. */
bool info_bypassed_text(const struct info *info, void (*put_label)(const char *label));
void info_unseen_json(const struct info *info);
/* info_uncounted.c: bytes that are not counted; in the text before the files if these are requested. */
void info_uncounted_text(const struct info *info);
void info_uncounted_json(const struct info *info);

#endif
