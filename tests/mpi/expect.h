/* For programs that print what must be recorded: `expect` before a call says its name and fields, as JSON. The lines of a rank
 * stand in a file of its own, in order.
 */
#ifndef MPI_EXPECT_H
#define MPI_EXPECT_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *expectations;
static int rank, size;

/* {"function": NAME, "args": {FIELDS}}; FIELDS with ' for ". */
static void expect(const char *name, const char *fields, ...)
{
	char text[4096];
	va_list list;
	va_start(list, fields);
	vsnprintf(text, sizeof text, fields, list);
	va_end(list);
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	fprintf(expectations, "{\"function\":\"%s\",\"args\":{%s}}\n", name, text);
}

/* MPI is initialised: from here on every call is expected. */
static void expect_begin(void)
{
	char name[64];
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof name, "expected.%d", rank);
	expectations = fopen(name, "w");
	if (!expectations)
		abort();
	setvbuf(expectations, NULL, _IOLBF, 1 << 20);
	expect("MPI_Comm_rank", "'comm_path':'MPI_COMM_WORLD','rank':%d", rank);
	expect("MPI_Comm_size", "'size':%d", size);
}

static void expect_end(void)
{
	expect("MPI_Finalize", "");
	fclose(expectations);
	MPI_Finalize();
}

static void check(int result)
{
	if (result != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
