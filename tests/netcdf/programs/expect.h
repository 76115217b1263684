/* Test programs of NetCDF and PnetCDF: what each shares. A program makes calls and says of each what came of it and what must
 * be recorded of it; the same must be said with and without Varve.
 *
 * A line is FUNCTION, RESULT, FACTS with tabs between; FACTS are members of the record, as JSON. Other lines are of what the
 * calls did. Each process says into a file of its own, said.RANK; who it was stands in who.RANK.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *said;

static void say_begin(int rank)
{
	char name[64];
	snprintf(name, sizeof name, "who.%d", rank);
	FILE *who = fopen(name, "w");
	fprintf(who, "%ld\n", (long)getpid());
	fclose(who);
	snprintf(name, sizeof name, "said.%d", rank);
	said = fopen(name, "w");
}

/* What a call was, and facts of its record: pairs of JSON without the braces. */
__attribute__((format(printf, 3, 4), unused)) static void expect(const char *function, int result,
								 const char *facts, ...)
{
	va_list list;
	fprintf(said, "%s\t%d\t{", function, result);
	va_start(list, facts);
	vfprintf(said, facts, list);
	va_end(list);
	fprintf(said, "}\n");
}

/* The same of a call as it is written, without facts. */
__attribute__((unused)) static void done(const char *call, int result)
{
	fprintf(said, "%.*s\t%d\t{}\n", (int)strcspn(call, "("), call, result);
}

/* Something else that must be the same. */
__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
	va_list list;
	fprintf(said, "# ");
	va_start(list, format);
	vfprintf(said, format, list);
	va_end(list);
	fprintf(said, "\n");
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
