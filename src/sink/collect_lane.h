/* Sink, inside the collector: the state of one look at the lanes, and writing what a single lane holds.
 *
 * Shared by collect.c, which decides what becomes of each lane, and collect_lane.c, which writes its blocks. Not for others.
 */
#ifndef SINK_COLLECT_LANE_H
#define SINK_COLLECT_LANE_H

#include "sink/collect.h"

/* THREADS_ROOM: a power of two; half of it is used at most. */
enum { LANES_MOST = 1 << 20, THREADS_ROOM = 2 * LANES_MOST, LIVING_MOST = 1024 };

/* One lane file that was seen. */
struct seen {
	uint32_t process; /* in the name */
	uint32_t number;
	/* process that fills it: that of the name, but for lanes of a reserve; 0: none has signed it */
	uint32_t owner;
	int32_t pid;
	uint64_t start;
	uint64_t pid_namespace;
};

struct collect {
	struct run *run;
	struct collected *collected;
	struct data_file data;
	struct seen *seen;
	size_t count;
	void *workspace;
	uint8_t *output;
	size_t workspace_size;
	size_t output_size;
	size_t room; /* size of the largest lane that the workspace is for */
	bool final;
	bool deserted; /* no process of the run lives that could take a lane in reserve */
	bool cut;      /* there are more lanes than the list holds */
	bool kept;     /* lanes in reserve were left for those that may live */
	/* path of the lane at hand, whose process is gone; NULL: it was handed over by one that lives */
	const char *dead;
	uint64_t *threads; /* a table of those that are counted: process << 32 | thread; 0: free */
	size_t living_count;
	int living[LIVING_MOST];
};

/* Writes all that a lane holds. What can be written is, whatever else cannot. */
enum varve_status lane_drain(struct collect *collect, struct lane *lane,
			     struct varve_causes *causes) MUST_CHECK;

#endif
