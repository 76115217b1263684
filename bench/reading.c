/* Bench: reads a trace with the public library in one of several ways and prints the cost as JSON.
 *
 * usage: reading TRACE HOW [FILTER | FROM_NS TO_NS]
 *
 * HOW is count (from headers), window (between two times), filter, or merge (by time); with -calls record by record, with
 * -files with the file of each record.
 */
#include <varve/varve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int fail(const struct varve_causes *causes)
{
	fprintf(stderr, "reading: %s\n", causes->count ? causes->text[0] : "failed");
	return 1;
}

/* Reads all batches; the sum keeps the compiler from removing code. */
static enum varve_status batches(struct varve_cursor *cursor, uint64_t *records, uint64_t *sum,
				 struct varve_causes *causes)
{
	const struct varve_batch *batch;
	enum varve_status status;
	while ((status = varve_cursor_batch(cursor, &batch, causes)) == VARVE_OK) {
		*records += batch->count;
		for (size_t i = 0; batch->start && i < batch->count; i++)
			*sum += (uint64_t)(batch->end[i] - batch->start[i]);
		for (size_t i = 0; batch->words && i < batch->count; i++)
			*sum += batch->words[batch->word_at[i]];
	}
	return status;
}

static enum varve_status calls(struct varve_cursor *cursor, uint64_t *records, uint64_t *sum,
			       struct varve_causes *causes)
{
	const struct varve_call *call;
	enum varve_status status;
	while ((status = varve_cursor_next(cursor, &call, causes)) == VARVE_OK) {
		*records += 1;
		*sum += (uint64_t)(call->end - call->start) + call->words[0];
	}
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return fprintf(stderr, "usage: reading TRACE HOW [FILTER | FROM_NS TO_NS]\n"), 2;
	const char *how = argv[2];
	struct varve_causes causes = {0};
	struct varve_trace *trace;
	struct varve_filter *filter = NULL;
	struct varve_cursor *cursor = NULL;
	struct varve_summary summary = {0};
	struct varve_query query = VARVE_QUERY_ALL;
	uint64_t records = 0, sum = 0;
	double start = now();
	if (varve_open(argv[1], 0, &trace, &causes) != VARVE_OK)
		return fail(&causes);
	double opened = now();
	bool merge = !strncmp(how, "merge", 5), by_calls = strstr(how, "calls") != NULL;
	query.order = merge ? VARVE_ORDER_TIME : VARVE_ORDER_STREAM;
	query.columns = VARVE_TIMES | VARVE_RESULTS | VARVE_ARGUMENTS;
	if (strstr(how, "files"))
		query.columns = VARVE_COLUMNS_ALL;
	if (!strncmp(how, "window", 6) && argc > 4) {
		query.from_ns = strtoll(argv[3], NULL, 10);
		query.to_ns = strtoll(argv[4], NULL, 10);
	} else if (argc > 3 && varve_filter_make(trace, argv[3], &filter, NULL, &causes)) {
		return fail(&causes);
	}
	query.filter = filter;
	enum varve_status status = VARVE_END;
	if (!strcmp(how, "count")) {
		if (varve_summary_make(trace, filter, 0, &summary, &causes) != VARVE_OK)
			return fail(&causes);
		records = summary.records;
		sum = summary.decoded;
		varve_summary_clear(&summary);
	} else {
		if (varve_cursor_open(trace, &query, &cursor, &causes) != VARVE_OK)
			return fail(&causes);
		status = by_calls ? calls(cursor, &records, &sum, &causes)
				  : batches(cursor, &records, &sum, &causes);
	}
	double end = now();
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	if (status != VARVE_END)
		return fail(&causes);
	printf("{\"how\":\"%s\",\"records\":%llu,\"sum\":%llu,\"open_s\":%.6f,\"read_s\":%.6f,"
	       "\"cpu_s\":%.6f,\"peak_kib\":%ld,\"damage\":%zu}\n",
	       how, (unsigned long long)records, (unsigned long long)sum, opened - start,
	       end - opened, cpu, usage.ru_maxrss, varve_damage_count(trace));
	varve_cursor_close(cursor);
	varve_filter_free(filter);
	varve_close(trace);
	return 0;
}
