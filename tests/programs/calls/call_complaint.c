/* Calls: messages on stderr, passwords, and functions that also write to a stream. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <argp.h>
#include <err.h>
#include <error.h>
#include <malloc.h>
#include <netdb.h>
#include <printf.h>
#include <signal.h>

static int with_list(void (*function)(const char *, va_list), const char *format, ...)
{
	va_list list;
	va_start(list, format);
	function(format, list);
	va_end(list);
	return 0;
}

static void end_with_list(void (*function)(int, const char *, va_list), int status,
			  const char *format, ...)
{
	va_list list;
	va_start(list, format);
	function(status, format, list);
	va_end(list);
}

static void warning(const struct variant *variant)
{
	void *function = use(variant->symbol, variant);
	void (*plain)(const char *, ...) = function;
	bool list = variant->symbol[0] == 'v';
	TRY(list ? (errno = EIO, with_list(function, "%s of %d", "part", 3))
		 : (errno = EIO, plain("%s of %d", "part", 3), 0));
	line_as("", "stream=%s, format=\"%%s of %%d\"", stream(stderr));
	TRY(list ? (errno = EIO, with_list(function, NULL)) : (errno = EIO, plain(NULL), 0));
	line_as("", "stream=%s, format=NULL", stream(stderr));
}

static void ending(const struct variant *variant)
{
	long child = fork_child();
	if (child) {
		wait_child(child);
		return;
	}
	void *function = use(variant->symbol, variant);
	void (*plain)(int, const char *, ...) = function;
	line_as(" = ? unfinished", "stream=%s, status=7, format=\"%%s of %%d\"", stream(stderr));
	errno = ENOSPC;
	if (variant->symbol[0] == 'v')
		end_with_list(function, 7, "%s of %d", "part", 3);
	else
		plain(7, "%s of %d", "part", 3);
}

/* More arguments than fit into registers, of each class, and numbered ones. */
#define MANY "%s %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %Lg %*d %s %%"
#define SHOWN                                                                                      \
	"\"%s %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %Lg %*d %s %%\""
#define VALUES                                                                                     \
	"many", 1, 2, 3, 4, 5, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.5, 2.25L, 6, 77, "the last"
#define NUMBERED "%1$d and %14$s"
#define PLACES 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, "the fourteenth"

static void complaining(const struct variant *variant)
{
	void (*complain)(int, int, const char *, ...) = use("error", variant);
	TRY_VOID(complain(0, ENOENT, MANY, VALUES));
	line_as("", "stream=%s, status=0, number=2, format=%s", stream(stderr), SHOWN);
	TRY_VOID(complain(0, 0, NUMBERED, PLACES));
	line_as("", "stream=%s, status=0, number=0, format=\"%s\"", stream(stderr), NUMBERED);
	TRY_VOID(complain(0, 0, "plain"));
	line_as("", "stream=%s, status=0, number=0, format=\"plain\"", stream(stderr));
	say("  %u messages", error_message_count);
	long child = fork_child();
	if (child) {
		wait_child(child);
		return;
	}
	use("error", variant);
	line_as(" = ? unfinished", "stream=%s, status=9, number=-5, format=%s", stream(stderr),
		SHOWN);
	complain(9, -5, MANY, VALUES);
}

static void complaining_of_line(const struct variant *variant)
{
	void (*complain)(int, int, const char *, unsigned, const char *, ...) =
		use("error_at_line", variant);
	for (int i = 0; i < 2; i++) {
		error_one_per_line = i;
		TRY_VOID(complain(0, EIO, "source.c", 12, MANY, VALUES));
		line_as("", "stream=%s, status=0, number=5, file=\"source.c\", line=12, format=%s",
			stream(stderr), SHOWN);
	}
	TRY_VOID(complain(0, EIO, "source.c", 12, "the same line again"));
	line_as("",
		"stream=%s, status=0, number=5, file=\"source.c\", line=12, "
		"format=\"the same line again\"",
		stream(stderr));
	say("  %u messages", error_message_count);
}

static void signalling(const struct variant *variant)
{
	void (*complain)(int, const char *) = use("psignal", variant);
	TRY_VOID(complain(SIGINT, "what came"));
	line_as("", "stream=%s, signal=2, text=\"what came\"", stream(stderr));
	TRY_VOID(complain(-9, NULL));
	line_as("", "stream=%s, signal=-9, text=NULL", stream(stderr));
}

static void signalling_more(const struct variant *variant)
{
	siginfo_t signal_info = {.si_signo = SIGINT, .si_code = SI_USER};
	void (*complain)(const siginfo_t *, const char *) = use("psiginfo", variant);
	TRY_VOID(complain(&signal_info, "what came"));
	line_as("", "stream=%s, text=\"what came\"", stream(stderr));
}

static void hosting(const struct variant *variant)
{
	void (*complain)(const char *) = use("herror", variant);
	h_errno = HOST_NOT_FOUND;
	TRY_VOID(complain("who"));
	line_as("", "stream=%s, text=\"who\"", stream(stderr));
	TRY_VOID(complain(NULL));
	line_as("", "stream=%s, text=NULL", stream(stderr));
}

/* Without a terminal it asks on stderr and reads from stdin. */
static void password(const struct variant *variant)
{
	char *(*ask)(const char *) = use("getpass", variant);
	raw(SYS_setsid, 0, 0, 0, 0);
	TRY(ask("Secret: "));
	line_as(call.result ? " = set" : " = NULL", "prompt=\"Secret: \"");
	say("  %s", (char *)call.result);
}

static void heap(const struct variant *variant)
{
	int (*tell)(int, FILE *) = use("malloc_info", variant);
	FILE *file = open_stream("/dev/null", "w");
	TRY(tell(0, file));
	line_errno("options=0, stream=%s", stream(file));
	TRY(tell(5, file));
	line_errno("options=5, stream=%s", stream(file));
	close_stream(file);
}

static void sizes(const struct variant *variant)
{
	static const double value = 5000000.0;
	const void *const arguments[] = {&value};
	struct printf_info info = {.prec = 3, .spec = 'F', .pad = ' ', .width = 12};
	int (*print)(FILE *, const struct printf_info *, const void *const *) =
		use("printf_size", variant);
	FILE *file = open_stream("made", "w"), *read_only = open_stream("made", "r");
	TRY(print(file, &info, arguments));
	line("stream=%s", stream(file));
	TRY(print(read_only, &info, arguments));
	line("stream=%s", stream(read_only));
	close_stream(file);
	say_file("made");
	close_stream(read_only);
}

static const struct argp_option options[] = {{"long", 'l', "VALUE", 0, "what it does", 0}, {0}};
static const struct argp parser = {options, NULL, "FILE", "A program.", NULL, NULL, NULL};
static char program_name[] = "program";

static void help(const struct variant *variant)
{
	void (*tell)(const struct argp *, FILE *, unsigned, char *) = use("argp_help", variant);
	FILE *file = open_stream("made", "w");
	TRY_VOID(tell(&parser, file, ARGP_HELP_USAGE | ARGP_HELP_LONG, program_name));
	line_as("", "stream=%s, flags=ARGP_HELP_USAGE|ARGP_HELP_LONG, name=\"program\"",
		stream(file));
	close_stream(file);
	say_file("made");
}

static void state_help(const struct variant *variant)
{
	struct argp_state state = {.root_argp = &parser, .name = program_name};
	void (*tell)(const struct argp_state *, FILE *, unsigned) = use("argp_state_help", variant);
	FILE *file = open_stream("made", "w");
	TRY_VOID(tell(&state, file, ARGP_HELP_SEE));
	line_as("", "stream=%s, flags=ARGP_HELP_SEE", stream(file));
	close_stream(file);
	say_file("made");
	long child = fork_child();
	if (child) {
		wait_child(child);
		return;
	}
	use("argp_state_help", variant);
	line_as(" = ? unfinished", "stream=%s, flags=ARGP_HELP_SEE|ARGP_HELP_EXIT_ERR",
		stream(stderr));
	tell(&state, stderr, ARGP_HELP_SEE | ARGP_HELP_EXIT_ERR);
}

/* With ARGP_NO_EXIT they return; a state that allows it ends the process. */
static void parse_error(const struct variant *variant)
{
	struct argp_state state = {.root_argp = &parser,
				   .name = program_name,
				   .flags = ARGP_NO_EXIT,
				   .err_stream = stderr};
	void (*usage)(const struct argp_state *) = use("argp_usage", variant);
	TRY_VOID(usage(&state));
	line_as("", "stream=%s", stream(stderr));
	void (*complain)(const struct argp_state *, const char *, ...) =
		use("argp_error", &(struct variant)LINKED(argp_error));
	TRY_VOID(complain(&state, MANY, VALUES));
	line_as("", "format=%s", SHOWN);
	void (*fail)(const struct argp_state *, int, int, const char *, ...) =
		use("argp_failure", &(struct variant)LINKED(argp_failure));
	TRY_VOID(fail(&state, 5, EIO, MANY, VALUES));
	line_as("", "status=5, number=5, format=%s", SHOWN);
	TRY_VOID(fail(&state, 5, EIO, NULL));
	line_as("", "status=5, number=5, format=NULL");
	state.flags = 0;
	long child = fork_child();
	if (child) {
		wait_child(child);
		return;
	}
	use("argp_failure", &(struct variant)LINKED(argp_failure));
	line_as(" = ? unfinished", "status=5, number=5, format=%s", SHOWN);
	fail(&state, 5, EIO, MANY, VALUES);
}

int main(void)
{
	RUN(warning, LINKED(warn), LINKED(warnx), LINKED(vwarn), LINKED(vwarnx));
	RUN(ending, LINKED(err), LINKED(errx), LINKED(verr), LINKED(verrx));
	RUN(complaining, LINKED(error));
	RUN(complaining_of_line, LINKED(error_at_line));
	RUN(signalling, LINKED(psignal));
	RUN(signalling_more, LINKED(psiginfo));
	RUN(hosting, LINKED(herror));
	RUN(password, LINKED(getpass));
	RUN(heap, LINKED(malloc_info));
	RUN(sizes, LINKED(printf_size));
	RUN(help, LINKED(argp_help));
	RUN(state_help, LINKED(argp_state_help));
	RUN(parse_error, LINKED(argp_usage));
	return 0;
}
