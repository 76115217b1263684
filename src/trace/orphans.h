/* Trace: lanes that were not collected: what a dead process recorded and no process has written to the data file. Not for
 * other rooms.
 *
 * Shared by orphans_find.c, which reads the lane folders, and orphans.c, which makes blocks of the lanes of dead
 * processes. The rules that the collector uses too (which head is good, what is empty, what waits in a stash) are in
 * codec/inprocess/lane_dead.h.
 */
#ifndef TRACE_ORPHANS_H
#define TRACE_ORPHANS_H

#include "codec/lane.h"
#include "trace/trace_inside.h"

struct orphan {
	struct lane head;
	bool dead;
	char name[32];
};

/* The lanes of one node. */
struct orphans {
	struct trace_node *node;
	uint32_t place;		 /* index of the node */
	int folder;		 /* the lane folder, or -1 */
	struct lane_clock start; /* clock pair of the run's start */
	uint64_t pid_namespace;	 /* pid namespace of the start of the run */
	struct orphan *list;
	size_t count;
	size_t room;
	struct orphans *next; /* of the next node that has lanes */
};

/* Reads up to `room` bytes of a file; returns the count, or -1 with errno. */
ssize_t lane_file_read(int folder, const char *name, void *bytes, size_t room);

/* Whether both lanes are of one thread: a thread can hand over several full lanes. In the sorted list they are neighbours. */
bool same_thread(const struct orphan *left, const struct orphan *right);

#endif
