/* Calls: those of a program that was compiled with checks of its buffers: the headers choose the names. See tests/calls/call.h.
 *
 * flags: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
 */
#include "../../calls/call.h"

static volatile int flags = O_RDONLY;
static volatile size_t few = 4;
static const char *volatile format = "%s %d\n";

static void input(int number)
{
	static char data[16];
	struct variant plain = {"", (void (*)(void))raw};
	use("read", &plain);
	TRY(read(number, data, few));
	line("fd=%s, count=4", fd(number));
	use("pread", &plain);
	TRY(pread(number, data, few, 1));
	line("fd=%s, count=4, offset=1", fd(number));
	say("  %s", data);
	use("readlink", &plain);
	TRY(readlink("missing", data, few));
	line("path=\"missing\", size=4");
	use("readlinkat", &plain);
	TRY(readlinkat(AT_FDCWD, "missing", data, few));
	line("dirfd=AT_FDCWD, path=\"missing\", size=4");
	use("getcwd", &plain);
	TRY(getcwd(data, few));
	line_as(" = NULL ERANGE", "size=4");
}

static void streams(FILE *file)
{
	static char data[16];
	struct variant plain = {"", (void (*)(void))raw};
	use("fread", &plain);
	TRY(fread(data, 1, few, file));
	line("size=1, nmemb=4, stream=%s", stream(file));
	use("fgets", &plain);
	TRY(fgets(data, (int)few, file));
	line_as(" = set", "length=3, size=4, stream=%s", stream(file));
	say("  %s", data);
	use("printf", &plain);
	TRY(printf(format, "text", 5));
	line("stream=%s, format=\"%%s %%d\\n\"", stream(stdout));
	use("fprintf", &plain);
	TRY(fprintf(stdout, format, "text", 6));
	line("stream=%s, format=\"%%s %%d\\n\"", stream(stdout));
	use("dprintf", &plain);
	TRY(dprintf(1, format, "text", 7));
	line("fd=%s, format=\"%%s %%d\\n\"", fd(1));
}

int main(void)
{
	struct variant plain = {"", (void (*)(void))raw};
	put_file("data", "0123456789abcdef");
	use("open", &plain);
	int number = (int)TRY(open("data", flags));
	line("path=\"data\", flags=O_RDONLY");
	use("openat", &plain);
	TRY(openat(AT_FDCWD, "missing", flags));
	line("dirfd=AT_FDCWD, path=\"missing\", flags=O_RDONLY");
	input(number);
	use("fopen", &plain);
	FILE *file = (FILE *)TRY(fopen("data", "r"));
	line_handle("path=\"data\", mode=\"r\"");
	streams(file);
	return 0;
}
