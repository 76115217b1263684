/* Command line: the three output formats of `varve info`. */
#ifndef CLI_INFO_INFO_H
#define CLI_INFO_INFO_H

#include "cli/verbs.h"

#include <varve/varve.h>

/* Ranks that there are, and those that something was recorded of. */
struct info_ranks {
	bool any;
	uint32_t world; /* 0: not known */
	uint32_t present;
	uint32_t missing;
	char text[160]; /* which */
};

struct info {
	struct varve_trace *trace;
	struct varve_state state;
	struct varve_filter *filter; /* NULL: none */
	const char *where;	     /* its text */
	const char *ranks_asked;     /* --rank, or NULL */
	struct varve_summary summary;
	struct varve_objects objects; /* none when quick */
	struct varve_tree tree;
	struct info_regions *regions;	/* NULL: none, or quick */
	struct varve_file_totals files; /* none unless `by_file` */
	struct info_ranks ranks;
	const struct varve_process *first; /* the first program; NULL: none */
	bool end_derived;		   /* the end in `state` is that of the first programs */
	bool quick;
	bool by_file;
	bool all_processes;
};

/* A value of the run's description, or NULL. */
const char *info_value(const struct info *info, const char *key);

/* Wall time of the run in ns: until it ended where that is known, else until the last record. */
int64_t info_duration(const struct info *info);

/* Words for how a process began and ended, and why a program is not recorded. */
const char *began_text(enum varve_began began);
const char *ended_text(enum varve_ended ended);

/* A command line, quoted where a shell would need it: the values of `key`; false: there are none. */
bool put_words(const char *(*value)(const void *from, const char *key, size_t nth),
	       const void *from, const char *key, size_t most);

/* Values of a key of the run (a trace) or of a process. */
const char *value_of_run(const void *trace, const char *key, size_t nth);
const char *value_of_process(const void *process, const char *key, size_t nth);
/* An argument of a process, without the empty ones behind a title. */
const char *argument_of_process(const void *process, const char *key, size_t nth);

/* Whether calls of a function return when all goes well: exec and exit do not. Such a call without a result is not
 * called unfinished. */
bool info_returns(const struct varve_function *function);

/* A sum of times, and a number, right of a column. */
void info_ns(uint64_t ns, int width);
void info_count(uint64_t value, int width);

void info_processes(const struct info *info);
void info_untraced(const struct info *info);
void info_text(const struct info *info);
void info_json(const struct info *info);
void info_csv(const struct info *info);

/* info_regions.c: regions, phases and functions of the program by name; parts of the forms above. */
enum varve_status info_regions_make(struct info *info, struct varve_causes *causes);
void info_regions_clear(struct info *info);
void info_regions_text(const struct info *info);
void info_regions_json(const struct info *info);
/* info_libraries.c: files that functions of MPI, HDF5 ... were found in. */
void info_libraries_text(const struct info *info);
void info_libraries_json(const struct info *info);
/* info_files.c: what was done with each file, when that is asked for; instead of functions in CSV. */
enum varve_status info_files_make(struct info *info, struct varve_causes *causes);
void info_files_clear(struct info *info);
void info_files_text(const struct info *info);
void info_files_json(const struct info *info);
void info_files_csv(const struct info *info);
/* info_first.c: the programs that the run began with. */
void info_first_find(struct info *info);
/* Hosts and ranks. */
void info_ranks_find(struct info *info);
void info_nodes_text(const struct info *info);
void info_nodes_json(const struct info *info);

/* info_codecs.c: `--codec-stats`, instead of all the rest; an exit status. */
int info_codecs(const struct arguments *arguments, enum output_format format);
/* info_slice.c: what the trace is a part of. True: of something that was not whole. */
bool info_slice_text(const struct info *info, void (*put_label)(const char *label));
void info_slice_json(const struct info *info);

/* What cannot be in the trace; parts of the forms above. */
void info_unseen_text(const struct info *info);
/* What is surely not in it, however much it was: in the first lines. True: there is something. */
bool info_bypassed_text(const struct info *info, void (*put_label)(const char *label));
void info_unseen_json(const struct info *info);
/* info_uncounted.c: bytes that are in no sum; in text above the files when these are asked for. */
void info_uncounted_text(const struct info *info);
void info_uncounted_json(const struct info *info);

#endif
