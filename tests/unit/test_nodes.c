/* Nodes of a trace: which clock counts, numbers of processes, invalid files. Without a traced program: the data files are written
 * here, block by block. */
#include "codec/block.h"
#include "codec/rows.h"
#include "trace/trace.h"
#include "unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t run_id[16] = {1, 2, 3};
static char folder[] = "/tmp/varve-nodes-XXXXXX";

static void append(unsigned node, enum block_type type, const void *payload, size_t length)
{
	char path[64];
	uint8_t *block = aligned_alloc(8, (block_plain_size(length) + 7) / 8 * 8);
	snprintf(path, sizeof path, "%s/data.%u", folder, node);
	size_t size = block_plain(block, type, run_id, 0, payload, length);
	int fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
	CHECK_EQ(write(fd, block, size), size);
	close(fd);
	free(block);
}

/* Strings are written with | for the zero byte at their end. */
static void describe(unsigned node, const char *strings)
{
	char text[512];
	size_t length = strlen(strings);
	memcpy(text, strings, length + 1);
	for (size_t i = 0; i < length; i++)
		if (text[i] == '|')
			text[i] = 0;
	append(node, BLOCK_RUN, text, length + 1);
}

static void begin(unsigned node, const char *strings)
{
	if (!node) {
		memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
		CHECK(mkdtemp(folder) != NULL);
	}
	describe(node, strings);
	append(node, BLOCK_TABLES, tables_blob, tables_blob_size);
}

static struct varve_trace *opened(void)
{
	struct varve_trace *trace = NULL;
	CHECK_EQ(trace_open(folder, 0, &trace, NULL), VARVE_OK);
	return trace;
}

static void closed(struct varve_trace *trace)
{
	char path[64];
	for (size_t i = 0; i < trace->node_count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, trace->nodes[i].data_name);
		unlink(path);
	}
	trace_close(trace);
	CHECK_EQ(rmdir(folder), 0);
}

static void is_aligned(const struct varve_trace *trace, size_t at, enum varve_aligned how,
		       int64_t shift, int64_t error)
{
	CHECK_EQ(trace->nodes[at].aligned, how);
	CHECK_EQ(trace->nodes[at].shift_ns, shift);
	CHECK_EQ(trace->nodes[at].error_ns, error);
}

#define NODE(boot, host, monotonic, realtime)                                                      \
	"boot=" boot "|host=" host "|start_monotonic=" monotonic "|start_realtime=" realtime

CASE(by_the_time_of_day)
{
	begin(0, NODE("a", "one", "1000", "500000"));
	begin(1, NODE("b", "two", "77", "499000"));
	struct varve_trace *trace = opened();
	CHECK_EQ(trace->node_count, 2);
	is_aligned(trace, 0, VARVE_ALIGNED_FIRST, 0, 0);
	is_aligned(trace, 1, VARVE_ALIGNED_REALTIME, -1000, 0);
	CHECK_EQ(trace->nodes[1].host, 1);
	closed(trace);
}

CASE(by_the_same_clock)
{
	begin(0, NODE("a", "one", "1000", "500000"));
	begin(3, NODE("a", "one", "4000", "999999"));
	struct varve_trace *trace = opened();
	CHECK_EQ(trace->nodes[1].number, 3);
	is_aligned(trace, 1, VARVE_ALIGNED_BOOT, 3000, 0);
	CHECK_EQ(trace->nodes[1].host, 0);
	closed(trace);
}

CASE(a_boot_that_is_not_known_is_no_clock)
{
	begin(0, NODE("00000000000000000000000000000000", "one", "1000", "500000"));
	begin(1, NODE("00000000000000000000000000000000", "one", "4000", "500007"));
	struct varve_trace *trace = opened();
	is_aligned(trace, 1, VARVE_ALIGNED_REALTIME, 7, 0);
	closed(trace);
}

CASE(by_a_measure_against_the_first)
{
	begin(0, NODE("a", "one", "1000", "500000"));
	begin(1, NODE("b", "two", "9000", "1"));
	/* Its clock is ahead by 6000: it began at 3000 of the other. The last measurement counts. */
	describe(1, "clock.reference=0|clock.offset=5|clock.error=1");
	describe(1, "clock.reference=0|clock.offset=6000|clock.error=40");
	struct varve_trace *trace = opened();
	is_aligned(trace, 1, VARVE_ALIGNED_MEASURED, 2000, 40);
	closed(trace);
}

CASE(by_measures_against_a_third)
{
	begin(0, NODE("a", "one", "1000", "500000"));
	begin(1, NODE("b", "two", "9000", "1"));
	begin(2, NODE("c", "three", "100", "2"));
	describe(0, "clock.reference=2|clock.offset=-50|clock.error=3");
	describe(1, "clock.reference=2|clock.offset=8000|clock.error=4");
	describe(2, "clock.reference=2|clock.offset=0|clock.error=0");
	struct varve_trace *trace = opened();
	is_aligned(trace, 1, VARVE_ALIGNED_MEASURED, 9000 - 1000 - 8000 - 50, 7);
	is_aligned(trace, 2, VARVE_ALIGNED_MEASURED, 100 - 1000 - 0 - 50, 3);
	closed(trace);
}

CASE(over_a_node_that_is_known_by_the_time_of_day)
{
	/* No rank is on the first host. */
	begin(0, NODE("a", "one", "1000", "500000"));
	begin(1, NODE("b", "two", "9000", "500100"));
	begin(2, NODE("c", "three", "100", "7"));
	describe(1, "clock.reference=1|clock.offset=0|clock.error=0");
	describe(2, "clock.reference=1|clock.offset=-9100|clock.error=5");
	struct varve_trace *trace = opened();
	is_aligned(trace, 1, VARVE_ALIGNED_REALTIME, 100, 0);
	is_aligned(trace, 2, VARVE_ALIGNED_MEASURED, 100 + (100 - 9000 + 9100), 5);
	closed(trace);
}

CASE(numbers_that_are_none)
{
	begin(0, NODE("a", "one", "1000", "500000"));
	begin(1, NODE("b", "two", "many", "-9223372036854775808"));
	describe(1, "clock.reference=0|clock.offset=9999999999999999999|clock.error=x");
	struct varve_trace *trace = opened();
	is_aligned(trace, 1, VARVE_ALIGNED_NOT, 0, 0);
	closed(trace);
}

CASE(files_that_are_no_nodes)
{
	static const char *const names[] = {"data.01", "data.", "data.x", "data.1048576",
					    "data.-1"};
	char path[64];
	begin(0, NODE("a", "one", "1000", "500000"));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	snprintf(path, sizeof path, "%s/data.7", folder);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	struct varve_trace *trace = opened();
	CHECK_EQ(trace->node_count, 2);
	CHECK_EQ(trace->nodes[1].number, 7);
	/* An empty node misses nothing; the first one has no index. */
	CHECK_EQ(trace->damage_count, 1);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	closed(trace);
}

CASE(the_number_of_ranks)
{
	begin(0, NODE("a", "one", "1000", "500000") "|world=3");
	begin(1, NODE("b", "two", "1", "500000"));
	describe(1, "world=64");
	struct varve_trace *trace = opened();
	CHECK_EQ(trace->world, 64);
	closed(trace);
}

RUN(ENTRY(by_the_time_of_day), ENTRY(by_the_same_clock),
    ENTRY(a_boot_that_is_not_known_is_no_clock), ENTRY(by_a_measure_against_the_first),
    ENTRY(by_measures_against_a_third), ENTRY(over_a_node_that_is_known_by_the_time_of_day),
    ENTRY(numbers_that_are_none), ENTRY(files_that_are_no_nodes), ENTRY(the_number_of_ranks))
