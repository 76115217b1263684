/* Calls: internal functions of streams, which the C library exports and no present header declares. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <locale.h>
#include <wchar.h>

/* Whether the called function reads and writes, for _IO_seekoff and similar ones. */
enum { INPUT = 1, OUTPUT = 2, NO_WRITES = 8, USER_LOCK = 0x8000 };

static FILE *file, *broken, *full, *wide, *wide_out, *memory;
static char memory_room[1024] __attribute__((aligned(64)));
static char data[256];

static void *named(const char *symbol, const char *function)
{
	return use(function, &(struct variant){symbol, NULL});
}

/* The same function under its one name. */
static void *only(const char *symbol)
{
	return named(symbol, symbol);
}

static void whole(const char *symbol, FILE *of)
{
	int (*function)(FILE *) = only(symbol);
	TRY(function(of));
	line("stream=%s", stream(of));
}

static void reading(const char *symbol, FILE *of)
{
	int (*function)(FILE *) = only(symbol);
	TRY(function(of));
	line_stream(of, "");
}

static void nothing(const char *symbol, const char *function, FILE *of)
{
	void (*call_it)(FILE *) = named(symbol, function);
	TRY_VOID(call_it(of));
	line_as("", "stream=%s", stream(of));
}

/* Wide characters are passed like integers. */
static void character(const char *symbol, FILE *of, int c)
{
	int (*function)(FILE *, int) = only(symbol);
	TRY(function(of, c));
	line("stream=%s, c=%d", stream(of), c);
}

static void block(const char *symbol, FILE *of, const void *bytes, size_t size, const char *name)
{
	size_t (*function)(FILE *, const void *, size_t) = only(symbol);
	TRY(function(of, bytes, size));
	line("stream=%s, %s=%zu", stream(of), name, size);
	stream_mend(of);
}

static void seeking(const char *symbol, FILE *of, long offset, int whence, const char *shown)
{
	off64_t (*function)(FILE *, off64_t, int, int) = only(symbol);
	TRY(function(of, offset, whence, INPUT | OUTPUT));
	line("stream=%s, offset=%ld, whence=%s, mode=3", stream(of), offset, shown);
}

static void say_data(void)
{
	say("  %.40s", data);
	memset(data, 0, sizeof data);
}

static void characters(void)
{
	ssize_t (*pad)(FILE *, int, ssize_t) = only("_IO_padn");
	FILE *made = open_stream("made", "w");
	TRY(pad(made, '*', 20));
	line("stream=%s, c=42, count=20", stream(made));
	TRY(pad(broken, '*', 20));
	line("stream=%s, c=42, count=20", stream(broken));
	stream_mend(broken);
	close_stream(made);
	say_file("made");
	block("_IO_sgetn", file, data, 4, "size");
	block("_IO_sgetn", broken, data, 4, "size");
	say_data();
	int end = 7;
	for (int i = 0; i < 2; i++) {
		void *function = named(i ? "_IO_getline_info" : "_IO_getline", "_IO_getline");
		size_t (*get)(FILE *, char *, size_t, int, int) = function;
		size_t (*get_info)(FILE *, char *, size_t, int, int, int *) = function;
		FILE *from[] = {file, broken};
		for (int which = 0; which < 2; which++) {
			TRY(i ? get_info(from[which], data, 9, '\n', 1, &end)
			      : get(from[which], data, 9, '\n', 1));
			line("stream=%s, size=9, delimiter=10, extract=1", stream(from[which]));
		}
		say_data();
		stream_mend(broken);
	}
	character("_IO_sputbackc", file, 'z');
	whole("_IO_sungetc", file);
	character("_IO_sputbackwc", wide, L'€');
	whole("_IO_sungetwc", wide);
}

static void positions(void)
{
	seeking("_IO_seekoff", file, 2, SEEK_SET, "SEEK_SET");
	seeking("_IO_seekoff", file, -20, SEEK_SET, "SEEK_SET");
	off64_t (*seek)(FILE *, off64_t, int) = only("_IO_seekpos");
	TRY(seek(file, 3, INPUT));
	line("stream=%s, offset=3, mode=1", stream(file));
	TRY(seek(file, -3, INPUT));
	line("stream=%s, offset=-3, mode=1", stream(file));
	seeking("_IO_file_seekoff", file, 1, SEEK_SET, "SEEK_SET");
	seeking("_IO_file_seekoff", file, -1, SEEK_SET, "SEEK_SET");
	seeking("_IO_wfile_seekoff", wide, 0, SEEK_SET, "SEEK_SET");
	off64_t (*move)(FILE *, off64_t, int) = only("_IO_file_seek");
	TRY(move(file, 4, SEEK_SET));
	line("stream=%s, offset=4, whence=SEEK_SET", stream(file));
	TRY(move(file, -4, SEEK_SET));
	line("stream=%s, offset=-4, whence=SEEK_SET", stream(file));
}

static void writing(void)
{
	FILE *made = open_stream("made", "w");
	int (*put)(FILE *, const void *, size_t) = only("_IO_do_write");
	TRY(put(made, "straight", 8));
	line("stream=%s, size=8", stream(made));
	TRY(put(full, "straight", 8));
	line("stream=%s, size=8", stream(full));
	say_file("made");
	put = only("_IO_wdo_write");
	TRY(put(wide_out, L"größe", 5));
	line("stream=%s, count=5", stream(wide_out));
	say_file("wide");
	ssize_t (*put_plain)(FILE *, const void *, ssize_t) = only("_IO_file_write");
	TRY(put_plain(made, " and", 4));
	line("stream=%s, size=4", stream(made));
	TRY(put_plain(full, " and", 4));
	line("stream=%s, size=4", stream(full));
	character("_IO_file_overflow", made, 'o');
	character("_IO_file_overflow", broken, 'o');
	block("_IO_file_xsputn", made, " the rest", 9, "size");
	block("_IO_file_xsputn", broken, " the rest", 9, "size");
	block("_IO_default_xsputn", made, " later", 6, "size");
	whole("_IO_file_sync", made);
	say_file("made");
	character("_IO_wfile_overflow", wide_out, L'€');
	block("_IO_wfile_xsputn", wide_out, L"two", 3, "count");
	block("_IO_wdefault_xsputn", wide_out, L"more", 4, "count");
	whole("_IO_wfile_sync", wide_out);
	say_file("wide");
	whole("_IO_switch_to_get_mode", made);
	int (*get_mode)(FILE *) = named("_IO_switch_to_wget_mode", "_IO_switch_to_get_mode");
	TRY(get_mode(wide_out));
	line("stream=%s", stream(wide_out));
	close_stream(made);
}

static void reading_all(void)
{
	struct stat found;
	FILE *from = open_stream("data", "r");
	ssize_t (*get)(FILE *, void *, ssize_t) = only("_IO_file_read");
	TRY(get(from, data, 3));
	line("stream=%s, size=3", stream(from));
	TRY(get(broken, data, 3));
	line("stream=%s, size=3", stream(broken));
	say_data();
	int (*tell)(FILE *, void *) = only("_IO_file_stat");
	TRY(tell(from, &found));
	line("stream=%s", stream(from));
	say("  %ld bytes", (long)found.st_size);
	reading("_IO_file_underflow", from);
	reading("_IO_file_underflow", broken);
	reading("_IO_default_uflow", from);
	block("_IO_default_xsgetn", from, data, 5, "size");
	block("_IO_default_xsgetn", broken, data, 5, "size");
	say_data();
	character("_IO_default_pbackfail", from, 'p');
	nothing("_IO_free_backup_area", "_IO_free_backup_area", from);
	close_stream(from);
	reading("_IO_wfile_underflow", wide);
	reading("_IO_wdefault_uflow", wide);
	block("_IO_wdefault_xsgetn", wide, data, 3, "count");
	say("  %ls", (wchar_t *)data);
	character("_IO_wdefault_pbackfail", wide, L'p');
	nothing("_IO_switch_to_main_wget_area", "_IO_switch_to_main_wget_area", wide);
	nothing("_IO_switch_to_wbackup_area", "_IO_switch_to_wbackup_area", wide);
	nothing("_IO_free_wbackup_area", "_IO_free_backup_area", wide);
}

/* One stream is closed and opened again in each possible way. */
static void opening(void)
{
	struct stat found;
	FILE *made = open_stream("data", "r");
	const char *shown = stream(made);
	int (*close_it)(FILE *) = only("_IO_file_close_it");
	TRY(close_it(made));
	line("stream=%s", shown);
	TRY(close_it(made));
	line("stream=%s", stream(made));
	int (*tell)(FILE *, void *) = only("_IO_file_stat");
	TRY(tell(made, &found));
	line("stream=%s", stream(made));
	FILE *(*open_it)(FILE *, const char *, const char *, int) = only("_IO_file_fopen");
	TRY(open_it(made, "missing", "r", 1));
	line_handle("stream=%s, path=\"missing\", mode=\"r\"", stream(made));
	TRY(open_it(made, "data", "r+", 1));
	line_handle("stream=#, path=\"data\", mode=\"r+\"");
	say("  %d %s", (FILE *)call.result == made, stream(made) + 1);
	shown = stream(made);
	close_it = only("_IO_file_close");
	TRY(close_it(made));
	line("stream=%s", shown);
	made->_fileno = -1;
	FILE *(*open_plain)(FILE *, const char *, int, int, int, int) = only("_IO_file_open");
	TRY(open_plain(made, "missing", O_RDONLY, 0600, NO_WRITES, 1));
	line_handle("stream=%s, path=\"missing\", flags=O_RDONLY, mode=0600, state=8",
		    stream(made));
	TRY(open_plain(made, "data", O_RDONLY, 0600, NO_WRITES, 1));
	line_handle("stream=#, path=\"data\", flags=O_RDONLY, mode=0600, state=8");
	block("_IO_sgetn", made, data, 4, "size");
	say_data();
	int number = open_fd("data", O_RDONLY, "O_RDONLY");
	FILE *(*attach)(FILE *, int) = only("_IO_file_attach");
	TRY(attach(made, number));
	line_handle("stream=%s, fd=%s", stream(made), fd(number));
	void (*finish)(FILE *, int) = only("_IO_file_finish");
	shown = stream(made);
	TRY_VOID(finish(made, 0));
	line_as("", "stream=%s", shown);
	made->_IO_read_base = made->_IO_read_ptr = made->_IO_read_end = NULL;
	nothing("_IO_file_init", "_IO_file_init", made);
	attach = only("_IO_file_attach");
	TRY(attach(made, number));
	line_handle("stream=#, fd=%s", fd(number));
	block("_IO_sgetn", made, data, 4, "size");
	say_data();
	close_stream(made);
}

static void processes(void)
{
	FILE *(*start)(const char *, const char *) = use("popen", &(struct variant)LINKED(popen));
	FILE *made = (FILE *)TRY(start("exit 5", "r"));
	line_handle("command=\"exit 5\", mode=\"r\"");
	int (*finish)(FILE *) = only("_IO_proc_close");
	const char *shown = stream(made);
	TRY(finish(made));
	line("stream=%s", shown);
	made->_fileno = -1;
	FILE *(*open_it)(FILE *, const char *, const char *) = only("_IO_proc_open");
	TRY(open_it(made, "exit 6", "q"));
	line_handle("stream=#, command=\"exit 6\", mode=\"q\"");
	TRY(open_it(made, "exit 6", "r"));
	line_handle("stream=#, command=\"exit 6\", mode=\"r\"");
	finish = use("pclose", &(struct variant)LINKED(pclose));
	shown = stream(made);
	TRY(finish(made));
	line("stream=%s", shown);
}

static void buffers(void)
{
	static char own[64];
	static wchar_t wide_own[64];
	FILE *made = open_stream("data", "r");
	nothing("_IO_doallocbuf", "_IO_doallocbuf", made);
	nothing("_IO_wdoallocbuf", "_IO_doallocbuf", made);
	FILE *(*set)(FILE *, char *, ssize_t) = only("_IO_file_setbuf");
	TRY(set(made, own, sizeof own));
	line_as(" = set", "stream=%s, buf=NULL, size=64", stream(made));
	for (int i = 0; i < 2; i++) {
		void (*set_both)(FILE *, void *, void *, int) =
			named(i ? "_IO_wsetb" : "_IO_setb", "_IO_setb");
		TRY_VOID(i ? set_both(made, wide_own, wide_own + 64, 0)
			   : set_both(made, own, own + 64, 0));
		line_as("", "stream=%s, start=NULL, end=NULL, owned=0", stream(made));
	}
	nothing("_IO_un_link", "_IO_un_link", made);
	nothing("_IO_link_in", "_IO_link_in", made);
	for (int i = 0; i < 2; i++) {
		void (*finish)(FILE *, int) = named(
			i ? "_IO_wdefault_finish" : "_IO_default_finish", "_IO_default_finish");
		TRY_VOID(finish(made, 0));
		line_as("", "stream=%s", stream(made));
	}
	made = open_stream("data", "r");
	whole("_IO_file_doallocate", made);
	close_stream(made);
	made = open_stream("data", "r");
	whole("_IO_default_doallocate", made);
	int (*allocate)(FILE *) = named("_IO_wdefault_doallocate", "_IO_default_doallocate");
	TRY(allocate(made));
	line("stream=%s", stream(made));
	close_stream(made);
}

static void marks(void)
{
	static long mark[8], wide_mark[8];
	FILE *made = open_stream("data", "r");
	block("_IO_sgetn", made, data, 2, "size");
	say_data();
	for (int i = 0; i < 2; i++) {
		FILE *of = i ? wide : made;
		void *place = i ? wide_mark : mark;
		void (*init)(void *, FILE *) =
			named(i ? "_IO_init_wmarker" : "_IO_init_marker", "_IO_init_marker");
		TRY_VOID(init(place, of));
		line_as("", "stream=%s", stream(of));
		int (*seek)(FILE *, void *, int) =
			named(i ? "_IO_seekwmark" : "_IO_seekmark", "_IO_seekmark");
		TRY(seek(of, place, 0));
		line("stream=%s, delta=0", stream(of));
		TRY(seek(broken, place, 0));
		line("stream=%s, delta=0", stream(broken));
	}
	ssize_t (*least)(FILE *, wchar_t *) = only("_IO_least_wmarker");
	TRY(least(wide, wide->_wide_data ? *(wchar_t **)wide->_wide_data : NULL));
	line_as(text(" = %ld", call.result), "stream=%s, end=NULL", stream(wide));
	nothing("_IO_unsave_markers", "_IO_unsave_markers", made);
	nothing("_IO_unsave_wmarkers", "_IO_unsave_markers", wide);
	close_stream(made);
}

static void in_memory(void)
{
	void (*init)(FILE *, int) = only("_IO_init");
	memory = (FILE *)memory_room;
	TRY_VOID(init(memory, USER_LOCK));
	line_as("", "stream=#, state=32768");
	void (*set)(FILE *, char *, size_t, char *) = only("_IO_str_init_static");
	TRY_VOID(set(memory, data, 4, data));
	line_as("", "stream=#, size=4, start=NULL");
	for (int i = 0; i < 5; i++)
		character("_IO_str_overflow", memory, 'a' + i);
	seeking("_IO_str_seekoff", memory, 1, SEEK_SET, "SEEK_SET");
	seeking("_IO_str_seekoff", memory, -1, SEEK_SET, "SEEK_SET");
	reading("_IO_str_underflow", memory);
	memset(memory_room, 0, sizeof memory_room);
	init = only("_IO_init");
	TRY_VOID(init(memory, USER_LOCK));
	line_as("", "stream=#, state=32768");
	void (*set_read)(FILE *, const char *, int) = only("_IO_str_init_readonly");
	TRY_VOID(set_read(memory, "fixed", 5));
	line_as("", "stream=#, size=5");
	reading("_IO_str_underflow", memory);
	for (int i = 0; i < 2; i++) {
		int (*push)(FILE *, int) = named("_IO_str_pbackfail", "_IO_default_pbackfail");
		TRY(push(memory, i ? 'x' : EOF));
		line("stream=#, c=%d", i ? 'x' : EOF);
	}
	say_data();
}

/* All existing streams: as many with Varve as without. */
static void list(void)
{
	FILE *(*begin_list)(void) = named("_IO_iter_begin", "_IO_iter_begin");
	FILE *at = (FILE *)TRY(begin_list());
	line_as(" = set", "%s", "");
	FILE *(*end_list)(void) = named("_IO_iter_end", "_IO_iter_begin");
	TRY(end_list());
	line_as(" = NULL", "%s", "");
	while (at) {
		FILE *(*get)(FILE *) = named("_IO_iter_file", "_IO_iter_next");
		TRY(get(at));
		line_as(" = set", "stream=%s", stream(at));
		say("  %s", stream(at));
		FILE *(*next)(FILE *) = named("_IO_iter_next", "_IO_iter_next");
		FILE *from = at;
		at = (FILE *)TRY(next(at));
		line_as(at ? " = set" : " = NULL", "stream=%s", stream(from));
	}
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	put_file("data", "first line\nsecond line\nthird line\n");
	put_file("letters", "a€öß \U0001f4be and more\n");
	file = open_stream("data", "r");
	broken = open_stream(".", "r");
	full = open_stream("/dev/full", "w");
	wide = open_stream("letters", "r");
	wide_out = open_stream("wide", "w");
	wint_t (*get)(FILE *) = use("fgetwc", &(struct variant)LINKED(fgetwc));
	TRY((int)get(wide));
	line("stream=%s", stream(wide));
	wint_t (*put)(wchar_t, FILE *) = use("fputwc", &(struct variant)LINKED(fputwc));
	TRY((int)put(L'x', wide_out));
	line("c=120, stream=%s", stream(wide_out));
	characters();
	positions();
	writing();
	reading_all();
	opening();
	processes();
	buffers();
	marks();
	in_memory();
	list();
	return 0;
}
