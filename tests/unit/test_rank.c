/* Facts from MPI about a process: its rank is stored in all lanes, and other facts in the trace. The recorder around it is replaced
 * here. */
#include "record/mpi/rank.c"

#include "sink/run/run.h"
#include "trace/trace.h"
#include "unit/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct recorder recorder;
static int32_t lanes_have = -1;

void lanes_rank(int32_t rank)
{
	lanes_have = rank;
}

void detached_blocking(void (*work)(void *), void *given)
{
	work(given);
}

static struct run run;
static char path[] = "/tmp/varve-rank-XXXXXX/t.varve";

static void run_begin(void)
{
	static struct run_settings settings;
	memcpy(path, "/tmp/varve-rank-XXXXXX", 22);
	path[22] = 0;
	CHECK(mkdtemp(path) != NULL);
	path[22] = '/';
	settings = (struct run_settings){.trace = path, .library = "/none"};
	CHECK_EQ(run_create(&settings, &run, NULL), VARVE_OK);
	recorder = (struct recorder){.control = run.control, .rank = -1};
	lanes_have = -1;
}

static void run_end_here(void)
{
	run_undo(&run);
	path[22] = 0;
	CHECK_EQ(rmdir(path), 0);
	path[22] = '/';
}

CASE(a_rank_is_confirmed)
{
	run_begin();
	rank_confirm(3, 8);
	CHECK_EQ(recorder.rank, 3);
	CHECK_EQ(lanes_have, 3);
	CHECK_EQ(run.control->world, 8);
	uint64_t told = run.control->data_tail;
	/* Another process reports the same: once is enough. */
	rank_confirm(4, 8);
	CHECK_EQ(run.control->data_tail, told);
	struct varve_trace *trace;
	CHECK_EQ(trace_open(path, 0, &trace, NULL), VARVE_OK);
	CHECK_EQ(trace->world, 8);
	CHECK_EQ(trace->damage_count, 0);
	trace_close(trace);
	run_end_here();
}

CASE(what_cannot_be_is_no_rank)
{
	run_begin();
	rank_confirm(-1, 8);
	rank_confirm(8, 8);
	CHECK_EQ(recorder.rank, -1);
	CHECK_EQ(lanes_have, -1);
	CHECK_EQ(run.control->world, 0);
	run_end_here();
	recorder = (struct recorder){0};
	rank_confirm(0, 1);
	clock_confirm(0, 1, 1);
	CHECK_EQ(node_number(), 0);
}

CASE(a_clock_is_stored)
{
	run_begin();
	clock_confirm(5, -123456789012345, 77);
	struct varve_trace *trace;
	CHECK_EQ(trace_open(path, 0, &trace, NULL), VARVE_OK);
	CHECK_EQ(trace->damage_count, 0);
	static const char expected[] =
		"clock.reference=5\0clock.offset=-123456789012345\0clock.error=77";
	CHECK(trace->nodes->clock && trace->nodes->clock_length >= sizeof expected &&
	      !memcmp(trace->nodes->clock, expected, sizeof expected));
	trace_close(trace);
	run_end_here();
}

RUN(ENTRY(a_rank_is_confirmed), ENTRY(what_cannot_be_is_no_rank), ENTRY(a_clock_is_stored))
