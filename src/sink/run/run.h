/* Sink: making a run: the trace folder with its first blocks, the lane folder with its control page.
 *
 * Used by `varve record`, and inside a program that was preloaded without it. Raw system calls only; no allocation.
 */
#ifndef SINK_RUN_RUN_H
#define SINK_RUN_RUN_H

#include "base/status.h"
#include "base/trace_files.h"
#include "codec/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUN_PATH = CONTROL_PATH };

/* Of the lane folder. With the sticky bit, an admitted user (record/process/users.h) can only remove own lanes. */
enum { LANES_MODE = 01700 };

/* What was requested for a row, before settings_complete(); after it, `asked` contains switches. */
enum { ASKED_ONLY = 1, ASKED_ALSO = 2, ASKED_SKIP = 4 };

struct run_settings {
	const char *trace_name;	 /* as it was given, with its %; NULL: none */
	const char *trace;	 /* absolute path of the trace folder; must not exist */
	const char *lane_folder; /* where the lane folder is created; NULL: /dev/shm, else /tmp */
	const char *library;	 /* absolute path of the preload library */
	uint32_t resolution;	 /* ns per tick, 0: 100 */
	uint64_t lane_size;	 /* 0: 1 MiB */
	uint64_t limit;		 /* 0: none */
	uint32_t pointers;
	uint32_t no_follow;
	uint32_t no_keeper;
	uint32_t no_clocks;
	uint32_t no_pack;    /* for the process that completes the trace */
	const char *time;    /* likewise: how times are stored; NULL: exactly */
	uint32_t codec;	     /* enum block_codec, CODEC_NONE: columns */
	bool uncompressed;   /* of codec peephole: the window is 0, whatever `window` says */
	uint32_t window;     /* the requested window, + 1; 0: the default */
	uint32_t clock_kind; /* enum clock_kind, 0: the best of the machine */
	const char *job;     /* struct job's key, shared by the programs of a trace; NULL: none */
	uint32_t expected;   /* programs of it that are started on this host; 0: unknown */
	const char
		*lanes; /* join.c: name of the lane folder on all hosts of a run; NULL: a new one */
	bool only;	/* only requested rows are recorded */
	bool complete;	/* `asked` contains switches; else each row is as in its table */
	uint8_t asked[SWITCHES];
	struct choice choice;
	/* what was set, for the description: setting.NAME=VALUE, each with a zero byte at its end */
	char noted[8192];
	size_t noted_length;
	/* more key=value strings for BLOCK_RUN, each with a zero byte at its end */
	const char *description;
	size_t description_length;
};

struct run {
	struct control *control; /* mapped */
	bool made;		 /* created by us, not joined */
	char lanes[RUN_PATH];	 /* absolute path of this run's lane folder */
	char trace[RUN_PATH];
};

/* Makes the folders, data.0 with BLOCK_RUN and BLOCK_TABLES, and `lanes`, a file with the path of the lane folder. If the trace
 * of the job exists, makes data.1 or the next free number, as another node of its run. */
enum varve_status run_create(const struct run_settings *settings, struct run *run,
			     struct varve_causes *causes) MUST_CHECK;

/* Internal: the parts of it, in an existing lane folder. */
enum varve_status run_fill(const struct run_settings *settings, struct run *run,
			   struct varve_causes *causes) MUST_CHECK;
void lanes_remove(struct run *run);

/* The path of a file of a node in a trace folder. */
void node_path(char *path, const char *end, const char *trace, enum trace_file file, uint32_t node);

/* Maps the control page of a run with a known lane folder. */
enum varve_status run_attach(const char *lanes, struct run *run,
			     struct varve_causes *causes) MUST_CHECK;
void run_detach(struct run *run);

/* Removes everything, because nothing was run. */
void run_undo(struct run *run);

/* Removes the control page, the lane folder and the file with its path, because the run is complete. */
void run_remove_lanes(struct run *run);

#endif
