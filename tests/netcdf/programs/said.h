/* Programs of NetCDF and PnetCDF, which write the outcome of each call and its expected record: see lib/expect.h. Each process
 * writes to said.RANK; its identity is in who.RANK. */
#ifndef NETCDF_SAID_H
#define NETCDF_SAID_H

#include "lib/expect.h"

#include <stdint.h>
#include <unistd.h>

static void say_begin(int rank)
{
	char name[64];
	snprintf(name, sizeof name, "who.%d", rank);
	FILE *who = fopen(name, "w");
	fprintf(who, "%ld\n", (long)getpid());
	fclose(who);
	snprintf(name, sizeof name, "said.%d", rank);
	expect_into(name);
}

/* Bytes that a call left in memory, as one number. */
__attribute__((unused)) static unsigned long sum_of(const void *memory, size_t size)
{
	unsigned long sum = 1469598103934665603ul;
	for (size_t at = 0; at < size; at++)
		sum = (sum ^ ((const unsigned char *)memory)[at]) * 1099511628211ul;
	return sum;
}

#endif
