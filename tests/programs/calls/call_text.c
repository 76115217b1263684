/* Calls: blocks, characters and lines of streams. See tests/calls/call.h. */
#include "../../calls/call.h"

static FILE *file, *broken, *read_only;
static char data[64];

static void say_data(void)
{
	say("  %s", data);
	memset(data, 0, sizeof data);
}

static void again(void)
{
	fseek(file, 0, SEEK_SET);
	const char *function = call.function, *symbol = call.symbol;
	use("fseek", &(struct variant)LINKED(fseek));
	call.result = 0;
	call.error = SENTINEL;
	line("stream=%s, offset=0, whence=SEEK_SET", stream(file));
	call.function = function;
	call.symbol = symbol;
}

static void reading(const struct variant *variant)
{
	bool checked = strstr(variant->symbol, "_chk") != NULL;
	void *function = use("fread", variant);
	size_t (*plain)(void *, size_t, size_t, FILE *) = function;
	size_t (*bounded)(void *, size_t, size_t, size_t, FILE *) = function;
	again();
	TRY(checked ? bounded(data, 64, 3, 2, file) : plain(data, 3, 2, file));
	line("size=3, nmemb=2, stream=%s", stream(file));
	say_data();
	TRY(checked ? bounded(data, 64, 1, 60, file) : plain(data, 1, 60, file));
	line("size=1, nmemb=60, stream=%s", stream(file));
	say_data();
	TRY(checked ? bounded(data, 64, 4, 1, broken) : plain(data, 4, 1, broken));
	line_as(text(" = 0 %s", strerrorname_np(call.error)), "size=4, nmemb=1, stream=%s",
		stream(broken));
	stream_mend(broken);
}

static void writing(const struct variant *variant)
{
	size_t (*write_it)(const void *, size_t, size_t, FILE *) = use("fwrite", variant);
	TRY(write_it("abcdef", 2, 3, stdout));
	line("size=2, nmemb=3, stream=%s", stream(stdout));
	TRY(write_it("abcdef", 0, 3, stdout));
	line("size=0, nmemb=3, stream=%s", stream(stdout));
	TRY(write_it("abcdef", 2, 3, read_only));
	line_as(text(" = 0 %s", strerrorname_np(call.error)), "size=2, nmemb=3, stream=%s",
		stream(read_only));
}

static void getting(const struct variant *variant)
{
	int (*get)(FILE *) = use(strstr(variant->symbol, "fgetc") ? "fgetc" : "getc", variant);
	again();
	TRY(get(file));
	line_stream(file, "");
	TRY(get(broken));
	line_stream(broken, "");
}

static void getting_from_input(const struct variant *variant)
{
	int (*get)(void) = use("getchar", variant);
	TRY(get());
	line_stream(stdin, "");
}

static void putting(const struct variant *variant)
{
	int (*put)(int, FILE *) = use(strstr(variant->symbol, "fputc") ? "fputc" : "putc", variant);
	TRY(put('x', stdout));
	line("c=120, stream=%s", stream(stdout));
	TRY(put('y', read_only));
	line("c=121, stream=%s", stream(read_only));
}

static void putting_to_output(const struct variant *variant)
{
	int (*put)(int) = use("putchar", variant);
	TRY(put('\n'));
	line("stream=%s, c=10", stream(stdout));
}

static void getting_line(const struct variant *variant)
{
	bool checked = strstr(variant->symbol, "_chk") != NULL;
	void *function = use("fgets", variant);
	char *(*plain)(char *, int, FILE *) = function;
	char *(*bounded)(char *, size_t, int, FILE *) = function;
	again();
	TRY(checked ? bounded(data, 64, 40, file) : plain(data, 40, file));
	line_as(" = set", "length=%zu, size=40, stream=%s", strlen(data), stream(file));
	say_data();
	int (*get)(FILE *) = use("fgetc", &(struct variant)LINKED(fgetc));
	TRY(get(file));
	line_as(" = 100", "stream=%s", stream(file));
	TRY(get(file));
	line_as(" = -1", "stream=%s", stream(file));
	use("fgets", variant);
	TRY(checked ? bounded(data, 64, 40, file) : plain(data, 40, file));
	line_as(" = NULL", "length=0, size=40, stream=%s", stream(file));
	TRY(checked ? bounded(data, 64, 40, broken) : plain(data, 40, broken));
	line_as(text(" = NULL %s", strerrorname_np(call.error)), "size=40, stream=%s",
		stream(broken));
	stream_mend(broken);
}

static void getting_any_line(const struct variant *variant)
{
	char *(*get)(char *, size_t) = use("gets", variant);
	TRY(get(data, sizeof data));
	line_as(call.result ? " = set" : " = NULL", "stream=%s, length=%zu", stream(stdin),
		call.result ? strlen(data) + 1 : 0);
	say_data();
}

static void putting_line(const struct variant *variant)
{
	int (*put)(const char *, FILE *) = use("fputs", variant);
	TRY(put("some text\n", stdout));
	facts("\"size\":10");
	line("length=10, stream=%s", stream(stdout));
	TRY(put("some text\n", read_only));
	line("stream=%s", stream(read_only));
}

static void putting_line_to_output(const struct variant *variant)
{
	int (*put)(const char *) = use("puts", variant);
	TRY(put("a line"));
	facts("\"size\":7");
	line("stream=%s, length=7", stream(stdout));
}

static void pushing(const struct variant *variant)
{
	int (*push)(int, FILE *) = use("ungetc", variant);
	again();
	TRY(push('Q', file));
	line("c=81, stream=%s", stream(file));
	TRY(push(EOF, file));
	line_as(call.error == SENTINEL ? " = -1 4095"
				       : text(" = -1 %s", strerrorname_np(call.error)),
		"c=-1, stream=%s", stream(file));
}

static void getting_whole_line(const struct variant *variant)
{
	char *made = NULL;
	size_t size = 0;
	ssize_t (*get)(char **, size_t *, FILE *) = use("getline", variant);
	again();
	TRY(get(&made, &size, file));
	line_stream(file, "");
	say("  %s", made);
	TRY(get(&made, &size, broken));
	line_stream(broken, "");
	free(made);
}

static void getting_part(const struct variant *variant)
{
	char *made = NULL;
	size_t size = 0;
	ssize_t (*get)(char **, size_t *, int, FILE *) = use("getdelim", variant);
	again();
	TRY(get(&made, &size, 'c', file));
	line_stream(file, "delimiter=99, ");
	say("  %s", made);
	TRY(get(&made, &size, 'c', broken));
	line_stream(broken, "delimiter=99, ");
	free(made);
}

static void words(const struct variant *variant)
{
	int (*get)(FILE *) = use("getw", variant);
	again();
	TRY(get(file));
	line_stream(file, "");
	TRY(get(broken));
	line_stream(broken, "");
	int (*put)(int, FILE *) = use("putw", &(struct variant)LINKED(putw));
	TRY(put(0x41424344, stdout));
	line("value=1094861636, stream=%s", stream(stdout));
	TRY(put(-5, read_only));
	line_as(text(" = -1 %s", strerrorname_np(call.error)), "value=-5, stream=%s",
		stream(read_only));
}

static void complaining(const struct variant *variant)
{
	void (*complain)(const char *) = use("perror", variant);
	TRY_VOID((errno = ENOENT, complain("what failed")));
	line_as("", "stream=%s, text=\"what failed\"", stream(stderr));
	TRY_VOID((errno = EIO, complain(NULL)));
	line_as("", "stream=%s, text=NULL", stream(stderr));
}

int main(void)
{
	put_file("data", "abcdefg\nd");
	file = open_stream("data", "r");
	read_only = open_stream("data", "r");
	broken = open_stream(".", "r");
	RUN(reading, LINKED(fread), LINKED(fread_unlocked), HIDDEN(__fread_chk),
	    HIDDEN(__fread_unlocked_chk), HIDDEN(_IO_fread));
	RUN(writing, LINKED(fwrite), LINKED(fwrite_unlocked), HIDDEN(_IO_fwrite));
	RUN(getting, LINKED(fgetc), LINKED(fgetc_unlocked), LINKED(getc), LINKED(getc_unlocked),
	    HIDDEN(_IO_getc));
	RUN(getting_from_input, LINKED(getchar), LINKED(getchar_unlocked));
	RUN(putting, LINKED(fputc), LINKED(fputc_unlocked), LINKED(putc), LINKED(putc_unlocked),
	    HIDDEN(_IO_putc));
	RUN(putting_to_output, LINKED(putchar), LINKED(putchar_unlocked));
	RUN(getting_line, LINKED(fgets), LINKED(fgets_unlocked), HIDDEN(__fgets_chk),
	    HIDDEN(__fgets_unlocked_chk), HIDDEN(_IO_fgets));
	RUN(getting_any_line, HIDDEN(gets), HIDDEN(_IO_gets), HIDDEN(__gets_chk), HIDDEN(gets));
	RUN(putting_line, LINKED(fputs), LINKED(fputs_unlocked), HIDDEN(_IO_fputs));
	RUN(putting_line_to_output, LINKED(puts), HIDDEN(_IO_puts));
	RUN(pushing, LINKED(ungetc), HIDDEN(_IO_ungetc));
	RUN(getting_whole_line, LINKED(getline));
	RUN(getting_part, LINKED(getdelim), HIDDEN(__getdelim));
	RUN(words, LINKED(getw));
	RUN(complaining, LINKED(perror));
	return 0;
}
