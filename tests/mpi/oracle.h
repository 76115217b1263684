/* Programs with MPI that write what must be recorded: see lib/expect.h. The lines of a rank are in expected.RANK. */
#ifndef MPI_ORACLE_H
#define MPI_ORACLE_H

#include "lib/expect.h"

#include <mpi.h>

static int rank, size;

/* MPI is initialised: from here on every call is expected. */
static void expect_begin(void)
{
	char name[64];
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof name, "expected.%d", rank);
	expect_into(name);
	expect("MPI_Comm_rank", 0, "'comm_path':'MPI_COMM_WORLD','rank':%d", rank);
	expect("MPI_Comm_size", 0, "'size':%d", size);
}

static void expect_end(void)
{
	expect("MPI_Finalize", 0, "%s", "");
	fclose(expectations);
	MPI_Finalize();
}

static void check(int result)
{
	if (result != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
