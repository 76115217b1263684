/* Sink, private to the collector: the state of one collection, and writing the content of a single lane.
 *
 * Shared by collect.c, which decides what happens to each lane, and collect_lane.c, which writes its blocks. Not for other
 * files.
 */
#ifndef SINK_COLLECT_LANE_H
#define SINK_COLLECT_LANE_H

#include "codec/inprocess/lane_dead.h"
#include "sink/collect.h"

/* THREADS_ROOM: a power of two; at most half of it is used. */
enum { LANES_MOST = 1 << 20, THREADS_ROOM = 2 * LANES_MOST, LIVING_MOST = 1024 };

/* A lane file that was found. */
struct seen {
	uint32_t process; /* from the file name */
	uint32_t number;
	/* image that fills it; its process is the one in the name, except for lanes in reserve; 0: not signed */
	struct lane_image image;
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
	size_t room; /* size of the largest lane that the workspace is made for */
	bool final;
	bool deserted; /* no living process of the run could take a lane in reserve */
	bool cut;      /* there are more lanes than fit into the list */
	bool kept;     /* lanes in reserve were left for processes that may be alive */
	/* path of the lane that is being collected, if its process has ended; NULL: a living process has handed it over */
	const char *dead;
	uint64_t *threads; /* table of the counted threads: process << 32 | thread; 0: free */
	size_t living_count;
	int living[LIVING_MOST];
};

/* Writes the whole content of a lane. If one part fails, the others are written all the same. */
enum varve_status lane_drain(struct collect *collect, struct lane *lane,
			     struct varve_causes *causes) MUST_CHECK;

#endif
