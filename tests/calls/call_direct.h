/* Test programs of calls: of system calls that are made through syscall(). See call.h. */
#ifndef CALL_DIRECT_H
#define CALL_DIRECT_H

#include "call.h"

static long arguments[6];

/* The arguments of the next system call. */
static void with(long a, long b, long c, long d, long e, long f)
{
	const long given[] = {a, b, c, d, e, f};
	memcpy(arguments, given, sizeof arguments);
}
#define GIVEN(...) given((const long[6]){__VA_ARGS__})
static void given(const long *words)
{
	with(words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* Makes it, and expects both records. `varies`: the result is another one in each run, and is not printed. */
static long ask_list(long number, const char *function, bool varies, const char *outcome,
		     const char *format, va_list list)
{
	static const struct variant variant = LINKED(syscall);
	long (*ask_it)(long, ...) = use("syscall", &variant);
	long result = TRY(ask_it(number, arguments[0], arguments[1], arguments[2], arguments[3],
				 arguments[4], arguments[5]));
	if (varies || (outcome && result > 4096)) /* an address is another one, too */
		expect_as(text(" = %ld", result), "number=%ld", number);
	else
		line("number=%ld", number);
	call.function = text("  %s", function);
	call.symbol = "";
	const char *told =
		result < 0 ? text(" = -1 %s", strerrorname_np(call.error)) : text(" = %ld", result);
	line_list(outcome ? outcome : told, format, list);
	memset(arguments, 0, sizeof arguments);
	return result;
}

__attribute__((format(printf, 4, 5))) static long ask(long number, const char *function,
						      const char *outcome, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	long result = ask_list(number, function, false, outcome, format, list);
	va_end(list);
	return result;
}

/* For a call that returns the number of a process or of shared memory. */
__attribute__((format(printf, 3, 4), unused)) static long
ask_number(long number, const char *function, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	long result = ask_list(number, function, true, NULL, format, list);
	va_end(list);
	return result;
}

#endif
