/* Test programs of calls: for libraries that return negative error numbers and make calls that are recorded inside. See call.h. */
#ifndef CALL_RETURNED_H
#define CALL_RETURNED_H

#include "call.h"

/* Negative results are error numbers; errno is not changed. */
__attribute__((format(printf, 1, 2), unused)) static void line_returned(const char *format, ...)
{
	va_list list;
	const char *outcome = text(" = %ld", call.result);
	if (call.result < 0)
		outcome = text(" = %ld %s", call.result, strerrorname_np((int)-call.result));
	say("%s%s, errno %s", call.symbol, outcome, said_errno());
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* A record inside the previous one. */
__attribute__((format(printf, 3, 4), unused)) static void
inside(const char *function, const char *outcome, const char *format, ...)
{
	const char *outer = call.function, *symbol = call.symbol;
	va_list list;
	call.function = text("  %s", function);
	call.symbol = "";
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
	call.function = outer;
	call.symbol = symbol;
}

#endif
