/* Programs that write what must be recorded of them: a line of JSON for each call, its function, its result and facts of its
 * record, in a file of each process. A line that begins with # describes an effect; it must be the same with and without Varve. A
 * script compares the lines with the trace.
 *
 * The programs of tests/calls write whole lines of `varve dump`, by system calls that are not recorded: see calls/call.h. */
#ifndef LIB_EXPECT_H
#define LIB_EXPECT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *expectations;

__attribute__((unused)) static void stop(const char *why)
{
	fprintf(stderr, "the program itself failed: %s\n", why);
	exit(3);
}

/* Lines are appended; a process without a file writes nothing. */
__attribute__((unused)) static void expect_into(const char *name)
{
	expectations = fopen(name ? name : "/dev/null", "a");
	if (!expectations)
		stop(name);
	setvbuf(expectations, NULL, _IOLBF, 1 << 16);
}

/* `facts` are members of an object, which may have ' for ". */
__attribute__((format(printf, 3, 4), unused)) static void
expect(const char *function, long long result, const char *facts, ...)
{
	char text[4096];
	va_list list;
	if (!expectations)
		expect_into(getenv("EXPECTATIONS"));
	va_start(list, facts);
	vsnprintf(text, sizeof text, facts, list);
	va_end(list);
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	fprintf(expectations, "{\"function\": \"%s\", \"result\": %lld, \"args\": {%s}}\n",
		function, result, text);
}

/* The same for a call in the source, without facts. */
__attribute__((unused)) static void done(const char *call, long long result)
{
	char function[128];
	snprintf(function, sizeof function, "%.*s", (int)strcspn(call, "("), call);
	expect(function, result, "%s", "");
}

/* Another fact that must be the same. */
__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
	va_list list;
	fprintf(expectations, "# ");
	va_start(list, format);
	vfprintf(expectations, format, list);
	va_end(list);
	fprintf(expectations, "\n");
}

/* Makes the call, which must not fail, and writes its expected record. */
#define WORKS(result, call, function, ...)                                                         \
	do {                                                                                       \
		(result) = (call);                                                                 \
		if ((result) < 0)                                                                  \
			stop(#call);                                                               \
		expect(function, 0, __VA_ARGS__);                                                  \
	} while (0)

#endif
