/* Calls: buffers of streams that are filled, emptied and discarded. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <locale.h>
#include <stdio_ext.h>
#include <wchar.h>

/* Writable, not writable, and one with a full device. */
static void overflowing(const struct variant *variant)
{
	int (*put)(FILE *, int) = use("__overflow", variant);
	FILE *file = open_stream("made", "w"), *full = open_stream("/dev/full", "w");
	FILE *read_only = open_stream("data", "r");
	TRY(put(file, 'x'));
	line("stream=%s, c=120", stream(file));
	TRY(put(file, EOF));
	line("stream=%s, c=-1", stream(file));
	say_file("made");
	TRY(put(read_only, 'x'));
	line("stream=%s, c=120", stream(read_only));
	TRY(put(full, 'x'));
	line("stream=%s, c=120", stream(full));
	TRY(put(full, EOF));
	line("stream=%s, c=-1", stream(full));
	close_stream(file);
	close_stream(read_only);
	close_stream(full);
}

static void overflowing_wide(const struct variant *variant)
{
	wint_t (*put)(FILE *, wint_t) = use("__woverflow", variant);
	FILE *file = open_stream("made", "w"), *read_only = open_stream("data", "r");
	TRY((int)put(file, L'€'));
	line("stream=%s, c=8364", stream(file));
	TRY((int)put(read_only, L'x'));
	line("stream=%s, c=120", stream(read_only));
	close_stream(file);
	say_file("made");
	close_stream(read_only);
}

/* A character, again, the end after the last, and a stream that cannot be read. */
static void underflowing(const struct variant *variant)
{
	bool wide = variant->symbol[2] == 'w';
	void *function = use(variant->symbol, variant);
	int (*get)(FILE *) = function;
	wint_t (*get_wide)(FILE *) = function;
	FILE *of[] = {open_stream("data", "r"), open_stream("empty", "r"), open_stream(".", "r")};
	for (int i = 0; i < 3; i++) {
		for (int times = 0; times < 2; times++) {
			TRY(wide ? (int)get_wide(of[i]) : get(of[i]));
			line_stream(of[i], "");
		}
		close_stream(of[i]);
	}
}

static FILE *half_written(const char *path, int mode, const char *shown)
{
	FILE *file = open_stream(path, "w");
	int (*buffer)(FILE *, char *, int, size_t) =
		use("setvbuf", &(struct variant)LINKED(setvbuf));
	TRY(buffer(file, NULL, mode, 512));
	line("stream=%s, buf=NULL, mode=%s, size=512", stream(file), shown);
	int (*put)(const char *, FILE *) = use("fputs", &(struct variant)LINKED(fputs));
	TRY(put("half a line", file));
	line("length=11, stream=%s", stream(file));
	say_file(path);
	return file;
}

static void purging(const struct variant *variant)
{
	FILE *file = half_written("made", _IOFBF, "_IOFBF");
	void (*purge)(FILE *) = use("__fpurge", variant);
	TRY_VOID(purge(file));
	line_as("", "stream=%s", stream(file));
	close_stream(file);
	say_file("made");
}

static void flushing_lines(const struct variant *variant)
{
	FILE *lines = half_written("made", _IOLBF, "_IOLBF");
	FILE *whole = half_written("other", _IOFBF, "_IOFBF");
	void (*flush)(void) = use("_flushlbf", variant);
	TRY_VOID(flush());
	line_as("", "%s", "");
	say_file("made");
	say_file("other");
	close_stream(lines);
	close_stream(whole);
}

static void flushing_all(const struct variant *variant)
{
	FILE *whole = half_written("other", _IOFBF, "_IOFBF");
	FILE *full = half_written("/dev/full", _IOFBF, "_IOFBF");
	int (*flush)(void) = use("_IO_flush_all", variant);
	TRY(flush());
	line("%s", "");
	say_file("other");
	close_stream(full);
	use("_IO_flush_all", variant);
	TRY(flush());
	line("%s", "");
	close_stream(whole);
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	put_file("data", "€uro");
	put_file("empty", "");
	RUN(overflowing, LINKED(__overflow));
	RUN(overflowing_wide, HIDDEN(__woverflow));
	RUN(underflowing, LINKED(__uflow), HIDDEN(__underflow), HIDDEN(__wuflow),
	    HIDDEN(__wunderflow), HIDDEN(_IO_peekc_locked));
	RUN(purging, LINKED(__fpurge));
	RUN(flushing_lines, LINKED(_flushlbf), HIDDEN(_IO_flush_all_linebuffered));
	RUN(flushing_all, HIDDEN(_IO_flush_all));
	return 0;
}
