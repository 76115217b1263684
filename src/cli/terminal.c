/* Command line: messages, and what the common options and the terminal ask of them. See terminal.h. */
#include "cli/terminal.h"

#include "cli/colour.h"
#include "cli/pager.h"
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct terminal terminal;

enum { PROGRESS_AFTER_NS = 1000000000 };

bool terminal_is_able(int fd)
{
	const char *kind = getenv("TERM");
	return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool terminal_start(const struct arguments *arguments)
{
	const char *format = option(arguments, "format"), *when = option(arguments, "color");
	bool for_people = !format || !strcmp(format, "text"), colour;
	terminal = (struct terminal){.quiet = option(arguments, "quiet") != NULL};
	if (!colour_choose(when, &colour)) {
		message("%s: --color is auto, always or never, not '%s'", arguments->verb->name,
			when);
		return false;
	}
	terminal.colour = colour && for_people;
	pager.wanted = arguments->verb->paged && for_people && !option(arguments, "no-pager") &&
		       terminal_is_able(STDOUT_FILENO);
	terminal.shows_output = isatty(STDOUT_FILENO);
	if (!terminal.quiet && terminal_is_able(STDERR_FILENO))
		progress_allow(STDERR_FILENO, PROGRESS_AFTER_NS);
	return true;
}

__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list list)
{
	/* One write, so that the lines of several processes do not mix. */
	char text[4096] = "varve: ";
	int length = vsnprintf(text + 7, sizeof text - 8, format, list);
	size_t end = length < 0 ? 7 : (size_t)length + 7;
	if (end > sizeof text - 2)
		end = sizeof text - 2;
	text[end] = '\n';
	if (!pager.runs || !pager_keep(text, end + 1))
		progress_say(text, end + 1);
}

void message(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	say(format, list);
	va_end(list);
}

void note(const char *format, ...)
{
	if (terminal.quiet)
		return;
	va_list list;
	va_start(list, format);
	say(format, list);
	va_end(list);
}
