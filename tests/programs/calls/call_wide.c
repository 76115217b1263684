/* Calls: wide characters, lines and formats. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <locale.h>
#include <sys/mman.h>
#include <wchar.h>

static FILE *file, *broken, *read_only, *strange;
static wchar_t data[64];

static void say_data(void)
{
	say("  %ls", data);
	wmemset(data, 0, 64);
}

static void again(void)
{
	close_stream(file);
	file = open_stream("data", "r");
}

static void getting(const struct variant *variant)
{
	wint_t (*get)(FILE *) =
		use(strstr(variant->symbol, "fgetwc") ? "fgetwc" : "getwc", variant);
	again();
	for (int i = 0; i < 3; i++) {
		TRY((int)get(file));
		line_stream(file, "");
	}
	TRY((int)get(broken));
	line_stream(broken, "");
	TRY((int)get(strange));
	line_stream(strange, "");
}

static void getting_from_input(const struct variant *variant)
{
	wint_t (*get)(void) = use("getwchar", variant);
	TRY((int)get());
	line_stream(stdin, "");
}

static void putting(const struct variant *variant)
{
	wint_t (*put)(wchar_t, FILE *) =
		use(strstr(variant->symbol, "fputwc") ? "fputwc" : "putwc", variant);
	TRY((int)put(L'€', stdout));
	line("c=8364, stream=%s", stream(stdout));
	TRY((int)put(L'x', read_only));
	line("c=120, stream=%s", stream(read_only));
	TRY((int)put((wchar_t)0xdc00, stdout));
	line("c=56320, stream=%s", stream(stdout));
}

static void putting_to_output(const struct variant *variant)
{
	wint_t (*put)(wchar_t) = use("putwchar", variant);
	TRY((int)put(L'\n'));
	line("stream=%s, c=10", stream(stdout));
}

static void getting_line(const struct variant *variant)
{
	bool checked = strstr(variant->symbol, "_chk") != NULL;
	void *function = use("fgetws", variant);
	wchar_t *(*plain)(wchar_t *, int, FILE *) = function;
	wchar_t *(*bounded)(wchar_t *, size_t, int, FILE *) = function;
	again();
	TRY(checked ? bounded(data, 64, 40, file) : plain(data, 40, file));
	line_as(" = set", "count=40, stream=%s", stream(file));
	say_data();
	TRY(checked ? bounded(data, 64, 40, file) : plain(data, 40, file));
	line_as(" = set", "count=40, stream=%s", stream(file));
	say_data();
	TRY(checked ? bounded(data, 64, 40, file) : plain(data, 40, file));
	line_as(" = NULL", "count=40, stream=%s", stream(file));
	TRY(checked ? bounded(data, 64, 40, broken) : plain(data, 40, broken));
	line_as(text(" = NULL %s", strerrorname_np(call.error)), "count=40, stream=%s",
		stream(broken));
	stream_mend(broken);
}

static void putting_line(const struct variant *variant)
{
	int (*put)(const wchar_t *, FILE *) = use("fputws", variant);
	TRY(put(L"some größe\n", stdout));
	line("stream=%s", stream(stdout));
	TRY(put(L"some größe\n", read_only));
	line("stream=%s", stream(read_only));
}

static void pushing(const struct variant *variant)
{
	wint_t (*push)(wint_t, FILE *) = use("ungetwc", variant);
	again();
	TRY((int)push(L'€', file));
	line("c=8364, stream=%s", stream(file));
	TRY((int)push(WEOF, file));
	line_as(call.error == SENTINEL ? " = -1 4095"
				       : text(" = -1 %s", strerrorname_np(call.error)),
		"c=-1, stream=%s", stream(file));
}

/* The functions with an argument list are called by one that has arguments. */
static int with_list(int (*function)(const wchar_t *, va_list), const wchar_t *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(format, list);
	va_end(list);
	return result;
}

static int with_flag_list(int (*function)(int, const wchar_t *, va_list), const wchar_t *format,
			  ...)
{
	va_list list;
	va_start(list, format);
	int result = function(1, format, list);
	va_end(list);
	return result;
}

static int stream_list(int (*function)(FILE *, const wchar_t *, va_list), FILE *to,
		       const wchar_t *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = function(to, format, list);
	va_end(list);
	return result;
}

static int stream_flag_list(int (*function)(FILE *, int, const wchar_t *, va_list), FILE *to,
			    const wchar_t *format, ...)
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

#define SOME L"%s größe %d, %.1f € \U0001f4be\n"
#define SHOWN "\"%s größe %d, %.1f € \U0001f4be\\n\""
#define VALUES "a thing", 12, 2.5

static void to_output(const struct variant *variant)
{
	void *function = use("wprintf", variant);
	int (*plain)(const wchar_t *, ...) = function;
	int (*flagged)(int, const wchar_t *, ...) = function;
	TRY(checked(variant) ? flagged(1, SOME, VALUES) : plain(SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
}

static void to_stream(const struct variant *variant)
{
	void *function = use("fwprintf", variant);
	int (*plain)(FILE *, const wchar_t *, ...) = function;
	int (*flagged)(FILE *, int, const wchar_t *, ...) = function;
	TRY(checked(variant) ? flagged(stdout, 1, SOME, VALUES) : plain(stdout, SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
	TRY(checked(variant) ? flagged(read_only, 1, SOME, VALUES)
			     : plain(read_only, SOME, VALUES));
	line("stream=%s, format=%s", stream(read_only), SHOWN);
}

static void list_to_output(const struct variant *variant)
{
	void *function = use("vwprintf", variant);
	TRY(checked(variant) ? with_flag_list(function, SOME, VALUES)
			     : with_list(function, SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
}

static void list_to_stream(const struct variant *variant)
{
	void *function = use("vfwprintf", variant);
	TRY(checked(variant) ? stream_flag_list(function, stdout, SOME, VALUES)
			     : stream_list(function, stdout, SOME, VALUES));
	line("stream=%s, format=%s", stream(stdout), SHOWN);
	TRY(checked(variant) ? stream_flag_list(function, read_only, SOME, VALUES)
			     : stream_list(function, read_only, SOME, VALUES));
	line("stream=%s, format=%s", stream(read_only), SHOWN);
}

static void from_input(const struct variant *variant)
{
	int (*scan)(const wchar_t *, ...) = use("wscanf", variant);
	TRY(scan(L"%31ls", data));
	line("stream=%s, format=\"%%31ls\"", stream(stdin));
	say_data();
}

static void list_from_input(const struct variant *variant)
{
	void *scan = use("vwscanf", variant);
	TRY(with_list(scan, L"%31ls", data));
	line("stream=%s, format=\"%%31ls\"", stream(stdin));
	say_data();
}

/* A conversion, none, and a failure. */
static void from_stream(const struct variant *variant)
{
	int number = 0, (*scan)(FILE *, const wchar_t *, ...) = use("fwscanf", variant);
	again();
	TRY(scan(file, L"%31ls", data));
	line("stream=%s, format=\"%%31ls\"", stream(file));
	say_data();
	TRY(scan(file, L"%d", &number));
	line("stream=%s, format=\"%%d\"", stream(file));
	TRY(scan(broken, L"%d", &number));
	line("stream=%s, format=\"%%d\"", stream(broken));
	stream_mend(broken);
}

static void list_from_stream(const struct variant *variant)
{
	int number = 0;
	void *scan = use("vfwscanf", variant);
	again();
	TRY(stream_list(scan, file, L"%31ls", data));
	line("stream=%s, format=\"%%31ls\"", stream(file));
	say_data();
	TRY(stream_list(scan, broken, L"%d", &number));
	line("stream=%s, format=\"%%d\"", stream(broken));
	stream_mend(broken);
}

/* A format that ends where the memory ends, and invalid characters. */
static void at_the_edge(const struct variant *variant)
{
	enum { PAGE = 4096 };
	static char pages[2 * PAGE] __attribute__((aligned(PAGE)));
	wchar_t *format = (wchar_t *)(pages + PAGE) - 6;
	int (*print)(const wchar_t *, ...) = use("wprintf", variant);
	wcscpy(format, L"edge\n");
	raw(SYS_mprotect, (long)(pages + PAGE), PAGE, PROT_NONE, 0);
	TRY(print(format));
	line("stream=%s, format=\"edge\\n\"", stream(stdout));
	wcscpy(format, L"\xdc00-\x110000\n");
	TRY(print(format));
	line("stream=%s, format=\"\ufffd-\ufffd\\n\"", stream(stdout));
	stream_mend(stdout);
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	put_file("data", "a€\U0001f4be word\nlast");
	put_file("strange", "\xff\xfe");
	file = open_stream("data", "r");
	read_only = open_stream("data", "r");
	strange = open_stream("strange", "r");
	broken = open_stream(".", "r");
	RUN(getting, LINKED(fgetwc), LINKED(fgetwc_unlocked), LINKED(getwc),
	    LINKED(getwc_unlocked));
	RUN(getting_from_input, LINKED(getwchar), LINKED(getwchar_unlocked));
	RUN(putting, LINKED(fputwc), LINKED(fputwc_unlocked), LINKED(putwc),
	    LINKED(putwc_unlocked));
	RUN(putting_to_output, LINKED(putwchar), LINKED(putwchar_unlocked));
	RUN(getting_line, LINKED(fgetws), LINKED(fgetws_unlocked), HIDDEN(__fgetws_chk),
	    HIDDEN(__fgetws_unlocked_chk));
	RUN(putting_line, LINKED(fputws), LINKED(fputws_unlocked));
	RUN(pushing, LINKED(ungetwc));
	RUN(to_output, LINKED(wprintf), HIDDEN(__wprintf_chk));
	RUN(to_stream, LINKED(fwprintf), HIDDEN(__fwprintf_chk));
	RUN(list_to_output, LINKED(vwprintf), HIDDEN(__vwprintf_chk));
	RUN(list_to_stream, LINKED(vfwprintf), HIDDEN(__vfwprintf_chk));
	RUN(from_input, HIDDEN(wscanf), HIDDEN(__isoc99_wscanf));
	RUN(list_from_input, HIDDEN(vwscanf), HIDDEN(__isoc99_vwscanf));
	RUN(from_stream, HIDDEN(fwscanf), HIDDEN(__isoc99_fwscanf));
	RUN(list_from_stream, HIDDEN(vfwscanf), HIDDEN(__isoc99_vfwscanf));
	RUN(at_the_edge, LINKED(wprintf));
	return 0;
}
