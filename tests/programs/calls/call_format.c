/* Calls: formatted output and input. See tests/calls/call.h. */
#include "../../calls/call.h"

static FILE *file, *read_only;
static int number;

/* The functions with an argument list are called by one that has arguments. */
static int with_list(int (*function)(const char *, va_list), const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(format, list);
	va_end(list);
	return result;
}

static int with_flag_list(int (*function)(int, const char *, va_list), const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(1, format, list);
	va_end(list);
	return result;
}

static int stream_list(int (*function)(FILE *, const char *, va_list), FILE *to, const char *format,
		       ...)
{
	va_list list;
	va_start(list, format);
	int result = function(to, format, list);
	va_end(list);
	return result;
}

static int stream_flag_list(int (*function)(FILE *, int, const char *, va_list), FILE *to,
			    const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(to, 1, format, list);
	va_end(list);
	return result;
}

static int fd_list(int (*function)(int, const char *, va_list), int to, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(to, format, list);
	va_end(list);
	return result;
}

static int fd_flag_list(int (*function)(int, int, const char *, va_list), int to,
			const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(to, 1, format, list);
	va_end(list);
	return result;
}

static bool checked(const struct variant *variant)
{
	return strstr(variant->symbol, "_chk") != NULL;
}

#define SOME "%s has %d of %.1f\n"
#define SHOWN "\"%s has %d of %.1f\\n\""
#define VALUES "a thing", 12, 2.5

static void to_output(const struct variant *variant)
{
	void *function = use("printf", variant);
	int (*plain)(const char *, ...) = function;
	int (*flagged)(int, const char *, ...) = function;
	TRY(checked(variant) ? flagged(1, SOME, VALUES) : plain(SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
}

static void to_stream(const struct variant *variant)
{
	void *function = use("fprintf", variant);
	int (*plain)(FILE *, const char *, ...) = function;
	int (*flagged)(FILE *, int, const char *, ...) = function;
	TRY(checked(variant) ? flagged(stdout, 1, SOME, VALUES) : plain(stdout, SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
	TRY(checked(variant) ? flagged(read_only, 1, SOME, VALUES)
			     : plain(read_only, SOME, VALUES));
	line("stream=%s, format=%s", stream(read_only), SHOWN);
}

static void list_to_output(const struct variant *variant)
{
	void *function = use("vprintf", variant);
	TRY(checked(variant) ? with_flag_list(function, SOME, VALUES)
			     : with_list(function, SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
}

static void list_to_stream(const struct variant *variant)
{
	void *function = use("vfprintf", variant);
	TRY(checked(variant) ? stream_flag_list(function, stdout, SOME, VALUES)
			     : stream_list(function, stdout, SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
	TRY(checked(variant) ? stream_flag_list(function, read_only, SOME, VALUES)
			     : stream_list(function, read_only, SOME, VALUES));
	line("stream=%s, format=%s", stream(read_only), SHOWN);
}

static void to_fd(const struct variant *variant)
{
	void *function = use("dprintf", variant);
	int (*plain)(int, const char *, ...) = function;
	int (*flagged)(int, int, const char *, ...) = function;
	TRY(checked(variant) ? flagged(number, 1, SOME, VALUES) : plain(number, SOME, VALUES));
	line("fd=%s, format=%s", fd(number), SHOWN);
	say_file("made");
	TRY(checked(variant) ? flagged(-1, 1, "x") : plain(-1, "x"));
	line("fd=-1, format=\"x\"");
}

static void list_to_fd(const struct variant *variant)
{
	void *function = use("vdprintf", variant);
	TRY(checked(variant) ? fd_flag_list(function, number, SOME, VALUES)
			     : fd_list(function, number, SOME, VALUES));
	line("fd=%s, format=%s", fd(number), SHOWN);
	TRY(checked(variant) ? fd_flag_list(function, 94, "x") : fd_list(function, 94, "x"));
	line("fd=94, format=\"x\"");
}

static int first;
static char word[32];

static void say_scanned(void)
{
	say("  %d %s", first, word);
	first = 0;
	word[0] = 0;
}

static void from_input(const struct variant *variant)
{
	int (*scan)(const char *, ...) = use("scanf", variant);
	TRY(scan("%31s", word));
	line("stream=%s, format=\"%%31s\"", stream(stdin));
	say_scanned();
}

static void list_from_input(const struct variant *variant)
{
	void *scan = use("vscanf", variant);
	TRY(with_list(scan, "%31s", word));
	line("stream=%s, format=\"%%31s\"", stream(stdin));
	say_scanned();
}

/* Two conversions, none, and the end, which is no failure. */
static void from_stream(const struct variant *variant)
{
	int (*scan)(FILE *, const char *, ...) = use("fscanf", variant);
	TRY(scan(file, "%d %31s", &first, word));
	line("stream=%s, format=\"%%d %%31s\"", stream(file));
	say_scanned();
	TRY(scan(file, "%d", &first));
	line("stream=%s, format=\"%%d\"", stream(file));
}

static void list_from_stream(const struct variant *variant)
{
	void *scan = use("vfscanf", variant);
	TRY(stream_list(scan, file, "%31s", word));
	line_as(text(" = %ld", call.result), "stream=%s, format=\"%%31s\"", stream(file));
	say_scanned();
	FILE *folder = (FILE *)TRY(fopen(".", "r"));
	use("fopen", &(struct variant)LINKED(fopen));
	line_handle("path=\".\", mode=\"r\"");
	use("vfscanf", variant);
	TRY(stream_list(scan, folder, "%31s", word));
	line("stream=%s, format=\"%%31s\"", stream(folder));
}

int main(void)
{
	put_file("data", "17 words here");
	put_file("made", "");
	read_only = open_stream("data", "r");
	file = open_stream("data", "r");
	number = open_fd("made", O_WRONLY, "O_WRONLY");
	RUN(to_output, LINKED(printf), HIDDEN(__printf_chk), HIDDEN(_IO_printf));
	RUN(to_stream, LINKED(fprintf), HIDDEN(__fprintf_chk), HIDDEN(_IO_fprintf));
	RUN(list_to_output, LINKED(vprintf), HIDDEN(__vprintf_chk));
	RUN(list_to_stream, LINKED(vfprintf), HIDDEN(__vfprintf_chk), HIDDEN(_IO_vfprintf));
	RUN(to_fd, LINKED(dprintf), HIDDEN(__dprintf_chk));
	RUN(list_to_fd, LINKED(vdprintf), HIDDEN(__vdprintf_chk));
	RUN(from_input, HIDDEN(scanf), HIDDEN(__isoc99_scanf));
	RUN(list_from_input, HIDDEN(vscanf), HIDDEN(__isoc99_vscanf));
	RUN(from_stream, HIDDEN(fscanf));
	rewind(file);
	use("rewind", &(struct variant)LINKED(rewind));
	line_as("", "stream=%s", stream(file));
	RUN(from_stream, HIDDEN(__isoc99_fscanf));
	RUN(list_from_stream, HIDDEN(vfscanf));
	rewind(file);
	use("rewind", &(struct variant)LINKED(rewind));
	line_as("", "stream=%s", stream(file));
	RUN(list_from_stream, HIDDEN(__isoc99_vfscanf));
	rewind(file);
	use("rewind", &(struct variant)LINKED(rewind));
	line_as("", "stream=%s", stream(file));
	RUN(list_from_stream, HIDDEN(__vfscanf));
	return 0;
}
