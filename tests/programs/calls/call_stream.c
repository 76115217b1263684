/* Calls: streams are opened and closed. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <wchar.h>

/* The descriptor of a stream leads to the same file. */
static void say_stream(FILE *file, const char *path)
{
	int (*sync_it)(int) = use("fsync", &(struct variant)LINKED(fsync));
	TRY(sync_it(stream_number(file)));
	facts("\"absolute\":\"%s\",\"kind\":\"file\"", path);
	line("fd=%d <%s>", stream_number(file), path);
}

static void opening(const struct variant *variant)
{
	FILE *(*open_it)(const char *, const char *) = use("fopen", variant);
	FILE *file = (FILE *)TRY(open_it("data", "w+"));
	facts("\"absolute\":\"%s\"", under("data"));
	line_handle("path=\"data\", mode=\"w+\"");
	say_name("data");
	say_stream(file, under("data"));
	close_stream(file);
	use("fopen", variant);
	TRY(open_it("missing", "r"));
	line_handle("path=\"missing\", mode=\"r\"");
	TRY(open_it("data", "?"));
	line_handle("path=\"data\", mode=\"?\"");
	file = (FILE *)TRY(open_it(under("data"), "rbe"));
	line_handle("path=\"%s\", mode=\"rbe\"", under("data"));
	close_stream(file);
}

static void opening_by_fd(const struct variant *variant)
{
	FILE *(*open_it)(int, const char *) = use("fdopen", variant);
	int number = open_fd("data", O_RDWR, "O_RDWR");
	TRY(open_it(-1, "r"));
	line_handle("fd=-1, mode=\"r\"");
	TRY(open_it(number, "bad"));
	line_handle("fd=%s, mode=\"bad\"", fd(number));
	FILE *file = (FILE *)TRY(open_it(number, "r+"));
	facts("\"absolute\":\"%s\"", under("data"));
	line_handle("fd=%s, mode=\"r+\"", fd(number));
	say_stream(file, under("data"));
	close_stream(file);
}

static void opening_again(const struct variant *variant)
{
	FILE *(*open_it)(const char *, const char *, FILE *) = use("freopen", variant);
	FILE *file = fopen("data", "r");
	use("fopen", &(struct variant)LINKED(fopen));
	call.result = 1;
	line_as(" = #", "path=\"data\", mode=\"r\"");
	use("freopen", variant);
	const char *shown = stream(file);
	TRY(open_it("other", "w", file));
	line_handle("path=\"other\", mode=\"w\", stream=%s", shown);
	say("  %d", (FILE *)call.result == file);
	say_stream(file, under("other"));
	use("freopen", variant);
	shown = stream(file);
	TRY(open_it("missing/x", "r", file));
	line_handle("path=\"missing/x\", mode=\"r\", stream=%s", shown);
}

static void closing(const struct variant *variant)
{
	int (*close_it)(FILE *) = use("fclose", variant);
	FILE *full = fopen("/dev/full", "w");
	use("fopen", &(struct variant)LINKED(fopen));
	line_as(" = #", "path=\"/dev/full\", mode=\"w\"");
	int (*put)(int, FILE *) = use("fputc", &(struct variant)LINKED(fputc));
	TRY(put('x', full));
	line("c=120, stream=%s", stream(full));
	FILE *good = fopen("data", "r");
	use("fopen", &(struct variant)LINKED(fopen));
	line_as(" = #", "path=\"data\", mode=\"r\"");
	use("fclose", variant);
	const char *shown = stream(good);
	TRY(close_it(good));
	line("stream=%s", shown);
	shown = stream(full);
	TRY(close_it(full));
	line("stream=%s", shown);
}

static void temporary(const struct variant *variant)
{
	FILE *(*make)(void) = use("tmpfile", variant);
	FILE *file = (FILE *)TRY(make());
	line_handle("%s", "");
	int (*put)(int, FILE *) = use("fputc", &(struct variant)LINKED(fputc));
	TRY(put('x', file));
	line("c=120, stream=%s", stream(file));
	close_stream(file);
}

static void in_memory(const struct variant *variant)
{
	static char memory[16] = "memory";
	FILE *(*make)(void *, size_t, const char *) = use("fmemopen", variant);
	FILE *file = (FILE *)TRY(make(memory, sizeof memory, "r"));
	line_handle("size=16, mode=\"r\"");
	close_stream(file);
	use("fmemopen", variant);
	TRY(make(memory, sizeof memory, "x"));
	line_handle("size=16, mode=\"x\"");
}

static void growing(const struct variant *variant)
{
	char *made = NULL;
	size_t size = 0;
	FILE *(*make)(char **, size_t *) = use(variant->symbol, variant);
	FILE *file = (FILE *)TRY(make(&made, &size));
	line_handle("%s", "");
	close_stream(file);
	say("  %zu", size);
}

static ssize_t cookie_write(void *cookie, const char *data, size_t size)
{
	say("  cookie %s gets %.*s", (char *)cookie, (int)size, data);
	return (ssize_t)size;
}

static void baked(const struct variant *variant)
{
	static char name[] = "monster";
	FILE *(*make)(void *, const char *, cookie_io_functions_t) = use("fopencookie", variant);
	FILE *file = (FILE *)TRY(make(name, "w", (cookie_io_functions_t){.write = cookie_write}));
	line_handle("mode=\"w\"");
	int (*put)(int, FILE *) = use("fputc", &(struct variant)LINKED(fputc));
	TRY(put('x', file));
	line("c=120, stream=#");
	close_stream(file);
	use("fopencookie", variant);
	TRY(make(name, "zz", (cookie_io_functions_t){0}));
	line_handle("mode=\"zz\"");
}

static void to_program(const struct variant *variant)
{
	char got[16] = "";
	FILE *(*start)(const char *, const char *) = use("popen", variant);
	int (*finish)(FILE *) = pclose;
	FILE *file = (FILE *)TRY(start("echo out; exit 3", "r"));
	line_handle("command=\"echo out; exit 3\", mode=\"r\"");
	char *(*get)(char *, int, FILE *) = use("fgets", &(struct variant)LINKED(fgets));
	TRY(get(got, 16, file));
	facts("\"kind\":\"stream\"");
	line_as(" = set", "length=%zu, size=16, stream=%s", strlen(got), stream(file));
	say("  %s", got);
	use("pclose", &(struct variant)LINKED(pclose));
	const char *shown = stream(file);
	TRY(finish(file));
	line("stream=%s", shown);
	use("popen", variant);
	TRY(start("true", "q"));
	line_handle("command=\"true\", mode=\"q\"");
}

static void all(const struct variant *variant)
{
	int (*close_them)(void) = use("fcloseall", variant);
	TRY(close_them());
	line("%s", "");
}

int main(void)
{
	RUN(opening, LINKED(fopen), LINKED(fopen64), HIDDEN(_IO_fopen));
	RUN(opening_by_fd, LINKED(fdopen), HIDDEN(_IO_fdopen));
	RUN(opening_again, LINKED(freopen), LINKED(freopen64));
	RUN(closing, LINKED(fclose), HIDDEN(_IO_fclose));
	RUN(temporary, LINKED(tmpfile), LINKED(tmpfile64));
	RUN(in_memory, LINKED(fmemopen));
	RUN(growing, LINKED(open_memstream), LINKED(open_wmemstream));
	RUN(baked, LINKED(fopencookie));
	RUN(to_program, LINKED(popen), HIDDEN(_IO_popen));
	RUN(all, LINKED(fcloseall));
	return 0;
}
