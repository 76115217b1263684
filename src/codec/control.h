/* Codec: the control page of a run, shared by every traced process, `varve record` and recovery.
 *
 * One file `control` in the run's lane folder, mapped MAP_SHARED by all. It holds what must be agreed between
 * processes (space in the data file, process numbers), what must survive a kill (losses), and the settings.
 * Layout only: nothing here maps or writes.
 */
#ifndef CODEC_CONTROL_H
#define CODEC_CONTROL_H

#include <stdint.h>

enum {
#define LOSS(name, text) LOSS_##name,
#include "codec/loss.def"
#undef LOSS
	LOSS_COUNT,
	LOSS_ROOM = 32
};

#define CONTROL_MAGIC 0x314c525443455256ull /* "VRECTRL1" as bytes */
enum { CONTROL_VERSION = 1, CONTROL_SIZE = 16384, CONTROL_PATH = 4096 };

enum clock_kind { CLOCK_KIND_TSC = 1, CLOCK_KIND_MONOTONIC = 2 };

struct control {
	uint64_t magic;
	uint32_t version;
	uint32_t size;
	uint8_t run_id[16];
	uint8_t boot_id[16];
	char host[64];
	int64_t start_monotonic; /* ns, CLOCK_MONOTONIC at the run's start: tick 0 of the trace */
	int64_t start_realtime;	 /* ns, CLOCK_REALTIME at the same moment */
	/* the time stamp counter then (0 when the clock is CLOCK_MONOTONIC) */
	uint64_t start_counter;
	uint32_t clock_kind;	/* enum clock_kind */
	uint32_t resolution;	/* ns per tick */
	uint64_t lane_size;	/* bytes of a lane's file, header included */
	uint64_t limit;		/* bytes of data after which recording stops; 0: none */
	uint32_t pointers;	/* record buffer addresses too */
	uint32_t no_follow;	/* do not put the preload back into a cleaned environment */
	uint32_t disabled;	/* recording is off */
	uint32_t collector_pid; /* `varve record`, which drains lanes of the dead; 0: none */
	uint64_t collector_start;
	/* from here on written by many */
	_Alignas(64) uint64_t data_tail;    /* bytes of data.0 that are claimed */
	_Alignas(64) uint32_t next_process; /* last process number given */
	/* forks, spawns and execs that were begun: each becomes a process of the run */
	uint32_t children;
	uint32_t quiet;		/* a process makes no system calls of ours any more */
	uint32_t lanes_made;	/* lanes that became somebody's to read */
	uint32_t lanes_removed; /* of these: taken by a consumer, or given up */
	uint32_t lanes_full;	/* lanes handed to the collector and not yet taken */
	_Alignas(64) uint64_t loss[LOSS_ROOM];
	char trace[CONTROL_PATH];   /* absolute path of the trace folder */
	char library[CONTROL_PATH]; /* absolute path of the preload library */
};

#endif
