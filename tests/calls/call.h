/* Test programs of calls: shared code. A program makes calls under every symbol of a row and writes for each call, apart from its
 * output, the line that `varve dump` must print for it. To its output it prints result, errno and effect, which must be the same
 * with and without Varve.
 *
 * Expectations are written by direct system calls: no wrapper sees them. Each line of expectations is THREAD, SYMBOL, LINE, FACTS,
 * with tabs between; FACTS are members that the record must have in JSON. */
#ifndef CALL_H
#define CALL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SENTINEL = 4095, TEXT_ROOM = 16384, TEXTS = 128 };

/* A symbol of a row: bound by the linker, or, if programs can no longer be linked with it, looked up by its name. */
struct variant {
	const char *symbol;
	void (*function)(void);
};
#define LINKED(name)                                                                               \
	{                                                                                          \
#name, (void (*)(void))name                                                        \
	}
#define HIDDEN(name)                                                                               \
	{                                                                                          \
#name, NULL                                                                        \
	}

static struct {
	const char *expectations;
	const char *function;
	const char *symbol;
	long result;
	int error;
	long thread; /* thread of the record, if it is not the calling thread */
	char facts[TEXT_ROOM];
	char folder[4096];
	char texts[TEXTS][TEXT_ROOM];
	unsigned text;
} call;

static long raw(long number, long a, long b, long c, long d)
{
	long result;
	register long fourth __asm__("r10") = d;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

/* The same with a fifth argument. */
__attribute__((unused)) static long raw5(long number, long a, long b, long c, long d, long e)
{
	long result;
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
			 : "rcx", "r11", "memory");
	return result;
}

/* A text that is kept for the next few calls of such functions. */
static char *room(void)
{
	return call.texts[call.text++ % TEXTS];
}

__attribute__((format(printf, 1, 2), unused)) static const char *text(const char *format, ...)
{
	char *made = room();
	va_list list;
	va_start(list, format);
	vsnprintf(made, TEXT_ROOM, format, list);
	va_end(list);
	return made;
}

static void begin(const char *expectations)
{
	call.expectations = expectations;
	raw(SYS_getcwd, (long)call.folder, sizeof call.folder, 0, 0);
}

__attribute__((constructor)) static void begin_from_environment(void)
{
	begin(getenv("CALL_EXPECTATIONS"));
}

/* To the output, at once. */
__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
	static char line[TEXT_ROOM];
	va_list list;
	va_start(list, format);
	int length = vsnprintf(line, sizeof line - 1, format, list);
	va_end(list);
	line[length++] = '\n';
	raw(SYS_write, 1, (long)line, length, 0);
}

static void expect_write(const char *line, size_t length)
{
	if (!call.expectations)
		return;
	long fd = raw(SYS_open, (long)call.expectations, O_WRONLY | O_CREAT | O_APPEND, 0666, 0);
	raw(SYS_write, fd, (long)line, (long)length, 0);
	raw(SYS_close, fd, 0, 0, 0);
}

/* The symbol that is called next, as the caller's `type *`. */
__attribute__((noinline, unused)) static void *use(const char *function,
						   const struct variant *variant)
{
	call.function = function;
	call.symbol = variant->symbol;
	call.facts[0] = 0;
	void *found = (void *)(uintptr_t)variant->function;
	if (!found)
		found = dlsym(RTLD_DEFAULT, variant->symbol);
	if (!found)
		say("%s is not there", variant->symbol);
	return found;
}

static long kept(long result)
{
	call.error = errno;
	return call.result = result;
}

/* Makes the call and stores its outcome. */
#define TRY(expression) (errno = SENTINEL, kept((long)(expression)))
#define TRY_VOID(expression) (errno = SENTINEL, (expression), kept(0))

/* Members of the record in JSON, for the next line. */
__attribute__((format(printf, 1, 2), unused)) static void facts(const char *format, ...)
{
	size_t length = strlen(call.facts);
	va_list list;
	if (length)
		call.facts[length++] = ',';
	va_start(list, format);
	vsnprintf(call.facts + length, sizeof call.facts - length, format, list);
	va_end(list);
}

static void line_list(const char *outcome, const char *format, va_list list)
{
	static char line[4 * TEXT_ROOM];
	size_t room_left = sizeof line;
	long thread = call.thread ? call.thread : raw(SYS_gettid, 0, 0, 0, 0);
	int at = snprintf(line, room_left, "%ld\t%s\t%s(", thread, call.symbol, call.function);
	at += vsnprintf(line + at, room_left - (size_t)at, format, list);
	at += snprintf(line + at, room_left - (size_t)at, ")%s\t{%s}\n", outcome, call.facts);
	expect_write(line, (size_t)at);
	call.facts[0] = 0;
}

static const char *said_errno(void)
{
	return call.error == SENTINEL ? "-" : text("%d", call.error);
}

/* The error as the dump shows it: one without a name as its number. */
__attribute__((unused)) static const char *error_name(void)
{
	const char *name = strerrorname_np(call.error);
	return name ? name : text("%d", call.error);
}

/* The line of a call with this outcome, as " = 3" or nothing. */
__attribute__((format(printf, 2, 3), unused)) static void line_as(const char *outcome,
								  const char *format, ...)
{
	va_list list;
	say("%s%s, errno %s", call.symbol, outcome, said_errno());
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* The same, without output. */
__attribute__((format(printf, 2, 3), unused)) static void expect_as(const char *outcome,
								    const char *format, ...)
{
	va_list list;
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* For a call with a negative result as failure, with errno. */
__attribute__((format(printf, 1, 2), unused)) static void line(const char *format, ...)
{
	va_list list;
	const char *outcome = text(" = %ld", call.result);
	if (call.result < 0)
		outcome = text(" = %ld %s", call.result, error_name());
	say("%s%s, errno %s", call.symbol, outcome, said_errno());
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* For a call that returns an error number. */
__attribute__((format(printf, 1, 2), unused)) static void line_errno(const char *format, ...)
{
	va_list list;
	const char *outcome = text(" = %ld", call.result);
	if (call.result)
		outcome = text(" = %ld %s", call.result, strerrorname_np((int)call.result));
	say("%s%s, errno %s", call.symbol, outcome, said_errno());
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* For a call that returns a pointer: prints only whether there is one. */
__attribute__((format(printf, 1, 2), unused)) static void line_set(const char *format, ...)
{
	va_list list;
	const char *outcome =
		call.result ? " = set" : text(" = NULL %s", strerrorname_np(call.error));
	say("%s%s, errno %s", call.symbol, outcome, said_errno());
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* For a call with another result in each run: the number is not printed. */
__attribute__((format(printf, 1, 2), unused)) static void line_number(const char *format, ...)
{
	va_list list;
	say("%s %s, errno %s", call.symbol, call.result < 0 ? "failed" : "succeeded", said_errno());
	va_start(list, format);
	line_list(call.result < 0 ? text(" = -1 %s", strerrorname_np(call.error))
				  : text(" = %ld", call.result),
		  format, list);
	va_end(list);
}

/* For a call that makes a stream or a folder; the driver ignores the numbers of handles. */
__attribute__((format(printf, 1, 2), unused)) static void line_handle(const char *format, ...)
{
	va_list list;
	const char *outcome = call.result ? " = #" : text(" = NULL %s", error_name());
	say("%s%s, errno %s", call.symbol, outcome, said_errno());
	va_start(list, format);
	line_list(outcome, format, list);
	va_end(list);
}

/* A descriptor as the dump shows it: with the name that the kernel reports. */
__attribute__((unused)) static const char *fd(int number)
{
	char *made = room();
	int at = snprintf(made, 64, "%d", number);
	char *name = made + at + 2;
	long length =
		raw(SYS_readlink, (long)text("/proc/self/fd/%d", number), (long)name, 4096, 0);
	if (number < 0 || length < 0)
		return made;
	memcpy(made + at, " <", 2);
	strcpy(name + length, ">");
	return made;
}

/* A stream as the dump shows it, or a folder with its descriptor. */
__attribute__((unused)) static const char *stream_of(int number)
{
	const char *known = number < 0 ? "" : strchr(fd(number), ' ');
	return text("#%s", known ? known : "");
}

/* Like fileno, ferror and clearerr, which are calls themselves. */
enum { STREAM_END = 0x10, STREAM_ERROR = 0x20, STREAM_OF_FILE = 0x2000 };

__attribute__((unused)) static int stream_number(const FILE *file)
{
	return file && file->_flags & STREAM_OF_FILE ? file->_fileno : -1;
}

__attribute__((unused)) static bool stream_broken(const FILE *file)
{
	return file->_flags & STREAM_ERROR;
}

__attribute__((unused)) static void stream_mend(FILE *file)
{
	file->_flags &= ~(STREAM_END | STREAM_ERROR);
}

__attribute__((unused)) static const char *stream(FILE *file)
{
	return stream_of(stream_number(file));
}

/* A result of -1 is a failure only if the stream's error flag is set. */
__attribute__((unused)) static void line_stream(FILE *of, const char *arguments)
{
	line_as(call.result < 0 && stream_broken(of) ? text(" = %ld %s", call.result, error_name())
						     : text(" = %ld", call.result),
		"%sstream=%s", arguments, stream(of));
	stream_mend(of);
}

/* A stream that is opened with a recorded call, and one that is closed with one. */
__attribute__((unused)) static FILE *open_stream(const char *path, const char *mode)
{
	const char *function = call.function, *symbol = call.symbol;
	FILE *(*open_it)(const char *, const char *) = use("fopen", &(struct variant)LINKED(fopen));
	FILE *made = (FILE *)TRY(open_it(path, mode));
	line_handle("path=\"%s\", mode=\"%s\"", path, mode);
	call.function = function;
	call.symbol = symbol;
	return made;
}

__attribute__((unused)) static void close_stream(FILE *file)
{
	const char *function = call.function, *symbol = call.symbol, *shown = stream(file);
	int (*close_it)(FILE *) = use("fclose", &(struct variant)LINKED(fclose));
	TRY(close_it(file));
	line("stream=%s", shown);
	call.function = function;
	call.symbol = symbol;
}

/* A path under the folder in which the program was started. */
__attribute__((unused)) static const char *under(const char *path)
{
	return text("%s/%s", call.folder, path);
}

/* Effects, without any wrapper: make a file with this content, read a file, describe a name. */
__attribute__((unused)) static void put_file(const char *path, const char *content)
{
	long number = raw(SYS_open, (long)path, O_WRONLY | O_CREAT | O_TRUNC, 0644, 0);
	raw(SYS_write, number, (long)content, (long)strlen(content), 0);
	raw(SYS_close, number, 0, 0, 0);
}

__attribute__((unused)) static void say_file(const char *path)
{
	char *content = room();
	long number = raw(SYS_open, (long)path, O_RDONLY, 0, 0);
	long length = raw(SYS_read, number, (long)content, 1000, 0);
	content[length < 0 ? 0 : length] = 0;
	if (number >= 0)
		raw(SYS_close, number, 0, 0, 0);
	say("  %s holds %ld bytes: %s", path, length, content);
}

__attribute__((unused)) static void say_name(const char *path)
{
	struct stat found;
	long result = raw(SYS_newfstatat, AT_FDCWD, (long)path, (long)&found, AT_SYMLINK_NOFOLLOW);
	if (result)
		say("  %s: %s", path, strerrorname_np((int)-result));
	else
		say("  %s: mode %o, %ld links, %ld bytes", path, found.st_mode,
		    (long)found.st_nlink, S_ISDIR(found.st_mode) ? 0 : (long)found.st_size);
}

__attribute__((unused)) static void remove_name(const char *path)
{
	raw(SYS_unlink, (long)path, 0, 0, 0);
	raw(SYS_rmdir, (long)path, 0, 0, 0);
}

/* Opens and closes descriptors with recorded calls, so that Varve has their names; each is a call of its own. */
__attribute__((unused)) static int open_fd(const char *path, int flags, const char *shown)
{
	const char *function = call.function, *symbol = call.symbol;
	int (*open_it)(const char *, int, ...) = use("open", &(struct variant)LINKED(open));
	int number = (int)TRY(open_it(path, flags));
	line("path=\"%s\", flags=%s", path, shown);
	call.function = function;
	call.symbol = symbol;
	return number;
}

__attribute__((unused)) static void close_fd(long number)
{
	const char *function = call.function, *symbol = call.symbol, *shown = fd((int)number);
	int (*close_it)(int) = use("close", &(struct variant)LINKED(close));
	TRY(close_it((int)number));
	line("fd=%s", shown);
	call.function = function;
	call.symbol = symbol;
}

/* The number of a child is not printed: it is another one in each run. */
__attribute__((unused)) static long fork_child(void)
{
	pid_t (*fork_it)(void) = use("fork", &(struct variant)LINKED(fork));
	long child = TRY(fork_it());
	if (child)
		expect_as(text(" = %ld", child), "%s", "");
	return child;
}

__attribute__((unused)) static void wait_child(long child)
{
	int status = -1;
	raw(SYS_wait4, child, (long)&status, 0, 0);
	say("  ended with %#x", (unsigned)status);
}

/* Runs a scenario for each symbol of a row. */
__attribute__((unused)) static void run(const struct variant *variants, size_t count,
					void (*scenario)(const struct variant *))
{
	for (size_t i = 0; i < count; i++)
		scenario(&variants[i]);
}
#define RUN(scenario, ...)                                                                         \
	run((const struct variant[]){__VA_ARGS__},                                                 \
	    sizeof((const struct variant[]){__VA_ARGS__}) / sizeof(struct variant), scenario)

#endif
