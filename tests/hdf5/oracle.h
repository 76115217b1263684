/* Test programs of HDF5: a program makes calls and says of each what its record must hold, as a line of JSON in the file that
 * HDF5_EXPECTATIONS names: function, whether it fails, arguments (those that are named must be so), and what it does inside.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *expectations;

/* `arguments` are members of an object, with ' for ". */
__attribute__((format(printf, 3, 4))) static void expect(const char *function, long long result,
							 const char *arguments, ...)
{
	char text[4096];
	va_list list;
	if (!expectations) {
		const char *name = getenv("HDF5_EXPECTATIONS");
		expectations = fopen(name ? name : "/dev/null", "a");
	}
	va_start(list, arguments);
	vsnprintf(text, sizeof text, arguments, list);
	va_end(list);
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	fprintf(expectations, "{\"function\": \"%s\", \"failed\": %s, \"args\": {%s}}\n", function,
		result < 0 ? "true" : "false", text);
	fflush(expectations);
}

static void stop(const char *why)
{
	fprintf(stderr, "the program itself failed: %s\n", why);
	exit(3);
}

/* Makes the call, which must not fail, and says what it must be recorded as. */
#define WORKS(result, call, function, ...)                                                         \
	do {                                                                                       \
		(result) = (call);                                                                 \
		if ((result) < 0)                                                                  \
			stop(#call);                                                               \
		expect(function, 0, __VA_ARGS__);                                                  \
	} while (0)

#endif
