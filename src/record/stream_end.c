/* Record: messages that end the process: err and its like.
 *
 * Each is a record without a result. What they write and how they end is the C library's: we only hand on the arguments.
 */
#include "record/manual.h"

#include <stdarg.h>

EXPORTED _Noreturn void wrap_err(int status, const char *format, ...) __asm__("err");
EXPORTED _Noreturn void wrap_errx(int status, const char *format, ...) __asm__("errx");
EXPORTED _Noreturn void wrap_verr(int status, const char *format, va_list list) __asm__("verr");
EXPORTED _Noreturn void wrap_verrx(int status, const char *format, va_list list) __asm__("verrx");

INLINE void message_recorded(uint16_t id, int status, const char *format)
{
	struct thread *self = wrap_enter();
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
