/* Calls: questions about streams, and their locks. These are recorded only on request. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <stdio_ext.h>
#include <wchar.h>

static FILE *file, *memory;

/* One question to a stream of a file and to one in memory. */
static void asking(const struct variant *variant)
{
	const char *name = variant->symbol, *function = name;
	if (strstr(name, "feof"))
		function = "feof";
	else if (strstr(name, "ferror"))
		function = "ferror";
	int (*ask)(FILE *) = use(function, variant);
	FILE *of[] = {file, memory};
	for (int i = 0; i < 2; i++) {
		TRY(ask(of[i]));
		line("stream=%s", stream(of[i]));
		of[i]->_flags |= STREAM_END | STREAM_ERROR;
		TRY(ask(of[i]));
		line("stream=%s", stream(of[i]));
		stream_mend(of[i]);
	}
}

static void measuring(const struct variant *variant)
{
	size_t (*ask)(FILE *) = use(variant->symbol, variant);
	TRY(ask(file));
	line("stream=%s", stream(file));
	TRY(ask(memory));
	line("stream=%s", stream(memory));
}

static void numbering(const struct variant *variant)
{
	int (*ask)(FILE *) = use("fileno", variant);
	TRY(ask(file));
	line("stream=%s", stream(file));
	TRY(ask(memory));
	line("stream=%s", stream(memory));
}

static void clearing(const struct variant *variant)
{
	void (*clear)(FILE *) = use("clearerr", variant);
	file->_flags |= STREAM_ERROR;
	TRY_VOID(clear(file));
	line_as("", "stream=%s", stream(file));
	say("  broken: %d", stream_broken(file));
}

static void orienting(const struct variant *variant)
{
	int (*orient)(FILE *, int) = use("fwide", variant);
	static const int modes[] = {0, -1, 1};
	for (int i = 0; i < 3; i++) {
		TRY(orient(memory, modes[i]));
		line_as(text(" = %ld", call.result), "stream=%s, mode=%d", stream(memory),
			modes[i]);
	}
}

static void locking_how(const struct variant *variant)
{
	int (*set)(FILE *, int) = use("__fsetlocking", variant);
	TRY(set(file, FSETLOCKING_QUERY));
	line("stream=%s, type=FSETLOCKING_QUERY", stream(file));
	TRY(set(file, FSETLOCKING_BYCALLER));
	line("stream=%s, type=FSETLOCKING_BYCALLER", stream(file));
	TRY(set(file, FSETLOCKING_INTERNAL));
	line("stream=%s, type=FSETLOCKING_INTERNAL", stream(file));
}

/* Locked twice, tried, and unlocked three times: in one thread each works. */
static void locking(const struct variant *lock)
{
	static const struct variant unlock[] = {LINKED(funlockfile), HIDDEN(_IO_funlockfile)};
	static const struct variant attempt[] = {LINKED(ftrylockfile), HIDDEN(_IO_ftrylockfile)};
	int which = lock->symbol[0] == '_';
	void (*take)(FILE *) = use("flockfile", lock);
	for (int i = 0; i < 2; i++) {
		TRY_VOID(take(file));
		line_as("", "stream=%s", stream(file));
	}
	int (*try_it)(FILE *) = use("ftrylockfile", &attempt[which]);
	TRY(try_it(file));
	line("stream=%s", stream(file));
	void (*leave)(FILE *) = use("funlockfile", &unlock[which]);
	for (int i = 0; i < 3; i++) {
		TRY_VOID(leave(file));
		line_as("", "stream=%s", stream(file));
	}
}

int main(void)
{
	static char bytes[16] = "memory";
	put_file("data", "abcdef");
	file = open_stream("data", "r+");
	FILE *(*make)(void *, size_t, const char *) =
		use("fmemopen", &(struct variant)LINKED(fmemopen));
	memory = (FILE *)TRY(make(bytes, sizeof bytes, "w"));
	line_handle("size=16, mode=\"w\"");
	int (*put)(int, FILE *) = use("fputc", &(struct variant)LINKED(fputc));
	TRY(put('x', file));
	line("c=120, stream=%s", stream(file));
	RUN(asking, LINKED(feof), HIDDEN(feof_unlocked), HIDDEN(_IO_feof), LINKED(ferror),
	    HIDDEN(ferror_unlocked), HIDDEN(_IO_ferror), LINKED(__flbf), LINKED(__freadable),
	    LINKED(__freading), LINKED(__fwritable), LINKED(__fwriting));
	RUN(measuring, LINKED(__fbufsize), LINKED(__fpending));
	RUN(numbering, LINKED(fileno), LINKED(fileno_unlocked));
	RUN(clearing, LINKED(clearerr), LINKED(clearerr_unlocked));
	RUN(orienting, LINKED(fwide));
	RUN(locking_how, LINKED(__fsetlocking));
	RUN(locking, LINKED(flockfile), HIDDEN(_IO_flockfile));
	return 0;
}
