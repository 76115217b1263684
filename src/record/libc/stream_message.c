/* Record: messages on stderr that may end the process: err, error and similar functions.
 *
 * If the process ends, the record has no result. The C library writes the message and ends the process; the recorder only passes
 * the arguments on. Those of error and argp_error go through variadic.S, because the C library has no versions that take a va_list.
 */
#include "record/manual.h"

#include <stdarg.h>
#include <string.h>

EXPORTED _Noreturn void wrap_err(int status, const char *format, ...) __asm__("err");
EXPORTED _Noreturn void wrap_errx(int status, const char *format, ...) __asm__("errx");
EXPORTED _Noreturn void wrap_verr(int status, const char *format, va_list list) __asm__("verr");
EXPORTED _Noreturn void wrap_verrx(int status, const char *format, va_list list) __asm__("verrx");

EXPORTED void wrap_error(int status, int number, const char *format, ...) __asm__("error");
EXPORTED void wrap_error_at_line(int status, int number, const char *file, unsigned line,
				 const char *format, ...) __asm__("error_at_line");
EXPORTED void wrap_argp_error(const struct argp_state *state, const char *format,
			      ...) __asm__("argp_error");
EXPORTED void wrap_argp_failure(const struct argp_state *state, int status, int number,
				const char *format, ...) __asm__("argp_failure");

/* variadic.S */
void variadic_call(void (*function)(void), const uint64_t *registers, const void *vectors,
		   const uint64_t *stack, size_t words);

INLINE void message_recorded(uint16_t id, int status, const char *format)
{
	struct thread *self = checked_enter();
	struct call call;
	if (!self)
		return;
	uint64_t words[] = {word_stream(self, stderr), (uint64_t)status, word_string(self, format)};
	_Static_assert(WORDS_err == 3 && WORDS_errx == 3 && WORDS_verr == 3 && WORDS_verrx == 3,
		       "a stream, a status and a format");
	manual_begin(self, &call, id, words, 3);
}

void wrap_err(int status, const char *format, ...)
{
	va_list list;
	message_recorded(CALL_err, status, format);
	va_start(list, format);
	real.verr(status, format, list);
	va_end(list);
	__builtin_unreachable();
}

void wrap_errx(int status, const char *format, ...)
{
	va_list list;
	message_recorded(CALL_errx, status, format);
	va_start(list, format);
	real.verrx(status, format, list);
	va_end(list);
	__builtin_unreachable();
}

void wrap_verr(int status, const char *format, va_list list)
{
	message_recorded(CALL_verr, status, format);
	real.verr(status, format, list);
	__builtin_unreachable();
}

void wrap_verrx(int status, const char *format, va_list list)
{
	message_recorded(CALL_verrx, status, format);
	real.verrx(status, format, list);
	__builtin_unreachable();
}

enum { REGISTERS = 6, WORDS_MOST = 1024 };

/* The most words that the arguments of a format take: two for each conversion (a long double), one for each `*`; if arguments are
 * numbered, two for each number up to the highest. */
static size_t format_words(const char *format)
{
	size_t words = 0, last = 0, number = 0;
	for (; format && *format; format++) {
		bool digit = *format >= '0' && *format <= '9';
		if (*format == '$' && number > last)
			last = number;
		number = digit && number < WORDS_MOST ? number * 10 + (size_t)(*format - '0') : 0;
		words += *format == '%' ? 2 : *format == '*' ? 1 : 0;
	}
	if (words < 2 * last)
		words = 2 * last;
	return words < WORDS_MOST ? words : WORDS_MOST;
}

/* Passes the first `count` arguments from `given` and the others from the list; the function ignores those that the format does not
 * use. */
static __attribute__((noinline)) void message_pass(void (*function)(void), const uint64_t *given,
						   size_t count, const char *format, va_list list)
{
	uint64_t registers[REGISTERS];
	const char *saved = list->reg_save_area;
	memcpy(registers, saved, sizeof registers);
	memcpy(registers, given, count * sizeof *given);
	variadic_call(function, registers, saved + sizeof registers, list->overflow_arg_area,
		      format_words(format));
}

void wrap_error(int status, int number, const char *format, ...)
{
	const uint64_t given[] = {(uint64_t)status, (uint64_t)number, (uint64_t)(uintptr_t)format};
	struct thread *self = checked_enter();
	struct call call;
	va_list list;
	if (self) {
		uint64_t words[] = {word_stream(self, stderr), given[0], given[1],
				    word_string(self, format)};
		_Static_assert(WORDS_error == 4, "a stream, a status, an error and a format");
		manual_begin(self, &call, CALL_error, words, WORDS_error);
	}
	va_start(list, format);
	message_pass((void (*)(void))real.error, given, 3, format, list);
	va_end(list);
	if (self)
		manual_end(self, &call, 0, false, 0);
}

void wrap_error_at_line(int status, int number, const char *file, unsigned line, const char *format,
			...)
{
	const uint64_t given[] = {(uint64_t)status, (uint64_t)number, (uint64_t)(uintptr_t)file,
				  line, (uint64_t)(uintptr_t)format};
	struct thread *self = checked_enter();
	struct call call;
	va_list list;
	if (self) {
		uint64_t words[] = {word_stream(self, stderr), given[0], given[1],
				    word_string(self, file),   line,	 word_string(self, format)};
		_Static_assert(WORDS_error_at_line == 6, "as error, a file and a line");
		manual_begin(self, &call, CALL_error_at_line, words, WORDS_error_at_line);
	}
	va_start(list, format);
	message_pass((void (*)(void))real.error_at_line, given, 5, format, list);
	va_end(list);
	if (self)
		manual_end(self, &call, 0, false, 0);
}

void wrap_argp_error(const struct argp_state *state, const char *format, ...)
{
	const uint64_t given[] = {(uint64_t)(uintptr_t)state, (uint64_t)(uintptr_t)format};
	struct thread *self = checked_enter();
	struct call call;
	va_list list;
	if (self) {
		uint64_t word = word_string(self, format);
		_Static_assert(WORDS_argp_error == 1, "a format");
		manual_begin(self, &call, CALL_argp_error, &word, WORDS_argp_error);
	}
	va_start(list, format);
	message_pass((void (*)(void))real.argp_error, given, 2, format, list);
	va_end(list);
	if (self)
		manual_end(self, &call, 0, false, 0);
}

void wrap_argp_failure(const struct argp_state *state, int status, int number, const char *format,
		       ...)
{
	const uint64_t given[] = {(uint64_t)(uintptr_t)state, (uint64_t)status, (uint64_t)number,
				  (uint64_t)(uintptr_t)format};
	struct thread *self = checked_enter();
	struct call call;
	va_list list;
	if (self) {
		uint64_t words[] = {given[1], given[2], word_string(self, format)};
		_Static_assert(WORDS_argp_failure == 3, "a status, an error and a format");
		manual_begin(self, &call, CALL_argp_failure, words, WORDS_argp_failure);
	}
	va_start(list, format);
	message_pass((void (*)(void))real.argp_failure, given, 4, format, list);
	va_end(list);
	if (self)
		manual_end(self, &call, 0, false, 0);
}
