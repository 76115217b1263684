/* Calls: position, flushing and buffers of streams. See tests/calls/call.h. */
#include "../../calls/call.h"

static FILE *file, *joined;

static void seeking(const struct variant *variant)
{
	int (*seek)(FILE *, long, int) = use(variant->symbol[5] ? "fseeko" : "fseek", variant);
	TRY(seek(file, 3, SEEK_SET));
	line("stream=%s, offset=3, whence=SEEK_SET", stream(file));
	TRY(seek(file, -1, SEEK_CUR));
	line("stream=%s, offset=-1, whence=SEEK_CUR", stream(file));
	TRY(seek(file, -100, SEEK_END));
	line("stream=%s, offset=-100, whence=SEEK_END", stream(file));
	TRY(seek(file, 0, 77));
	line("stream=%s, offset=0, whence=77", stream(file));
	TRY(seek(joined, 1, SEEK_SET));
	line("stream=%s, offset=1, whence=SEEK_SET", stream(joined));
}

static void telling(const struct variant *variant)
{
	long (*tell)(FILE *) = use(strstr(variant->symbol, "ello") ? "ftello" : "ftell", variant);
	TRY(tell(file));
	line("stream=%s", stream(file));
	TRY(tell(joined));
	line("stream=%s", stream(joined));
}

static void rewinding(const struct variant *variant)
{
	void (*start)(FILE *) = use("rewind", variant);
	TRY_VOID(start(file));
	line_as("", "stream=%s", stream(file));
	say("  %ld", raw(SYS_lseek, stream_number(file), 0, SEEK_CUR, 0));
}

/* Anything but 0 is a failure. */
static void line_nonzero(FILE *of)
{
	line_as(call.result ? text(" = %ld %s", call.result, strerrorname_np(call.error)) : " = 0",
		"stream=%s", stream(of));
}

static void getting(const struct variant *variant)
{
	static fpos_t place;
	int (*get)(FILE *, fpos_t *) = use("fgetpos", variant);
	TRY(get(file, &place));
	line_nonzero(file);
	TRY(get(joined, &place));
	line_nonzero(joined);
}

static void setting(const struct variant *variant)
{
	static const fpos_t place;
	int (*set)(FILE *, const fpos_t *) = use("fsetpos", variant);
	TRY(set(file, &place));
	line_nonzero(file);
	TRY(set(joined, &place));
	line_nonzero(joined);
}

static void flushing(const struct variant *variant)
{
	int (*flush)(FILE *) = use("fflush", variant);
	TRY(flush(file));
	line("stream=%s", stream(file));
	TRY(flush(NULL));
	line("stream=#0");
	FILE *full = fopen("/dev/full", "w");
	use("fopen", &(struct variant)LINKED(fopen));
	line_as(" = #", "path=\"/dev/full\", mode=\"w\"");
	int (*put)(int, FILE *) = use("fputc", &(struct variant)LINKED(fputc));
	TRY(put('x', full));
	line("c=120, stream=%s", stream(full));
	use("fflush", variant);
	TRY(flush(full));
	line("stream=%s", stream(full));
}

/* A wrong mode is refused without setting errno: the record has the previous value. */
static void buffering(const struct variant *variant)
{
	static char room_of[64];
	int (*set)(FILE *, char *, int, size_t) = use("setvbuf", variant);
	static const char *const names[] = {"_IOFBF", "_IOLBF", "_IONBF"};
	for (int mode = 0; mode < 3; mode++) {
		TRY(set(file, room_of, mode, sizeof room_of));
		line("stream=%s, buf=NULL, mode=%s, size=64", stream(file), names[mode]);
	}
	TRY(set(file, room_of, 9, 0));
	line_as(text(" = -1 %d", SENTINEL), "stream=%s, buf=NULL, mode=9, size=0", stream(file));
}

static void buffering_simply(const struct variant *variant)
{
	static char room_of[BUFSIZ];
	void (*set)(FILE *, char *) = use("setbuf", variant);
	TRY_VOID(set(file, room_of));
	line_as("", "stream=%s, buf=NULL", stream(file));
	TRY_VOID(set(file, NULL));
	line_as("", "stream=%s, buf=NULL", stream(file));
}

static void buffering_sized(const struct variant *variant)
{
	static char room_of[100];
	void (*set)(FILE *, char *, size_t) = use("setbuffer", variant);
	TRY_VOID(set(file, room_of, sizeof room_of));
	line_as("", "stream=%s, buf=NULL, size=100", stream(file));
}

static void buffering_lines(const struct variant *variant)
{
	void (*set)(FILE *) = use("setlinebuf", variant);
	TRY_VOID(set(file));
	line_as("", "stream=%s", stream(file));
}

int main(void)
{
	int ends[2];
	put_file("data", "0123456789");
	FILE *(*open_it)(const char *, const char *) = use("fopen", &(struct variant)LINKED(fopen));
	file = (FILE *)TRY(open_it("data", "r+"));
	line_handle("path=\"data\", mode=\"r+\"");
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	FILE *(*open_fd_it)(int, const char *) = use("fdopen", &(struct variant)LINKED(fdopen));
	joined = (FILE *)TRY(open_fd_it(ends[0], "r"));
	facts("\"kind\":\"pipe\"");
	line_handle("fd=%s, mode=\"r\"", fd(ends[0]));
	RUN(seeking, LINKED(fseek), LINKED(fseeko), LINKED(fseeko64));
	RUN(telling, LINKED(ftell), HIDDEN(_IO_ftell), LINKED(ftello), LINKED(ftello64));
	RUN(rewinding, LINKED(rewind));
	RUN(getting, LINKED(fgetpos), LINKED(fgetpos64), HIDDEN(_IO_fgetpos),
	    HIDDEN(_IO_fgetpos64));
	RUN(setting, LINKED(fsetpos), LINKED(fsetpos64), HIDDEN(_IO_fsetpos),
	    HIDDEN(_IO_fsetpos64));
	RUN(flushing, LINKED(fflush), LINKED(fflush_unlocked), HIDDEN(_IO_fflush));
	RUN(buffering, LINKED(setvbuf), HIDDEN(_IO_setvbuf));
	RUN(buffering_simply, LINKED(setbuf));
	RUN(buffering_sized, LINKED(setbuffer), HIDDEN(_IO_setbuffer));
	RUN(buffering_lines, LINKED(setlinebuf));
	return 0;
}
