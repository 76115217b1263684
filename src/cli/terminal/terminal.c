/* Command line: messages, failures, and numbers with their nouns; the common options. See terminal.h. */
#include "cli/terminal/terminal.h"

#include "cli/terminal/colour.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/progress.h"

#include <inttypes.h>
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

void terminal_start(const struct arguments *arguments)
{
	const char *format = option(arguments, "format"), *when = option(arguments, "color");
	bool for_people = !format || !strcmp(format, "text");
	terminal = (struct terminal){.quiet = option(arguments, "quiet") != NULL};
	terminal.colour = for_people && colour_choose(when);
	pager.wanted = arguments->verb->paged && for_people && !option(arguments, "no-pager") &&
		       terminal_is_able(STDOUT_FILENO);
	terminal.shows_output = isatty(STDOUT_FILENO);
	if (!terminal.quiet && terminal_is_able(STDERR_FILENO))
		progress_allow(STDERR_FILENO, PROGRESS_AFTER_NS);
}

__attribute__((format(printf, 1, 0))) static void message_print(const char *format, va_list list)
{
	/* One write, so that the lines of several processes do not mix. */
	char text[4096] = "varve: ";
	int length = vsnprintf(text + 7, sizeof text - 8, format, list);
	size_t end = length < 0 ? 7 : (size_t)length + 7;
	if (end > sizeof text - 2)
		end = sizeof text - 2;
	text[end] = '\n';
	if (!pager.runs || !pager_defer(text, end + 1))
		progress_message(text, end + 1);
}

void message(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	message_print(format, list);
	va_end(list);
}

void note(const char *format, ...)
{
	if (terminal.quiet)
		return;
	va_list list;
	va_start(list, format);
	message_print(format, list);
	va_end(list);
}

/* The end of the first word that ends in "s", or of the text. */
static const char *plural_end(const char *things)
{
	static const char *const separators = " :,";
	const char *end = things + strcspn(things, separators);
	while (*end && (end == things || end[-1] != 's')) {
		end += strspn(end, separators);
		end += strcspn(end, separators);
	}
	return end;
}

struct counted counted(uint64_t count, const char *things)
{
	struct counted made;
	const char *end = plural_end(things);
	size_t length = (size_t)(end - things);
	/* The singular of "processes" is two letters shorter, that of other words one letter. */
	if (count == 1)
		length -= length > 4 && !memcmp(end - 4, "sses", 4) ? 2 : 1;
	snprintf(made.text, sizeof made.text, "%" PRIu64 " %.*s%s", count, (int)length, things,
		 end);
	return made;
}

/* The remedy for a failure; NULL if the cause already contains one. */
static const char *remedy(enum varve_status status)
{
	switch (status) {
	case VARVE_NO_MEMORY:
		return "free some memory, or raise the limit (`ulimit -v`)";
	case VARVE_NOT_A_TRACE:
		return "name a file or folder of `varve record`, `varve slice` or `varve pack`";
	case VARVE_ABSENT:
		return "check the path; a trace is a file or folder of `varve record`, `varve "
		       "slice` or `varve pack`";
	case VARVE_DAMAGED:
	case VARVE_TRUNCATED:
		return "if it is a copy, copy it again; otherwise record the program again";
	case VARVE_NEWER:
	case VARVE_FOREIGN:
		return NULL;
	case VARVE_NO_SPACE:
		return "free some space (see `df`), then run the command again";
	case VARVE_BUSY:
		return "wait until it has ended, then run the command again";
	case VARVE_SYSTEM:
		return "solve this problem, then run the command again";
	case VARVE_LIMIT:
	case VARVE_USAGE:
	case VARVE_OK:
	case VARVE_END:
	default:
		return NULL;
	}
}

int failed(enum varve_status status, const struct varve_causes *causes)
{
	const char *next = remedy(status);
	for (int i = causes->count; i-- > 1;)
		message("%s", causes->text[i]);
	message("%s%s%s", causes->count ? causes->text[0] : status_text(status), next ? "; " : "",
		next ? next : "");
	bool trace = status == VARVE_NOT_A_TRACE || status == VARVE_DAMAGED ||
		     status == VARVE_TRUNCATED || status == VARVE_NEWER || status == VARVE_FOREIGN;
	return trace		       ? EXIT_DAMAGED
	       : status == VARVE_USAGE ? EXIT_USAGE
	       : status == VARVE_BUSY  ? EXIT_NO
				       : EXIT_SYSTEM;
}

/* One line, from the outermost cause to the first one. */
int failed_reading(enum varve_status status, const struct varve_causes *causes)
{
	struct varve_causes joined = {.count = causes->count ? 1 : 0};
	size_t used = 0;
	for (int i = causes->count; i-- > 0 && used < sizeof joined.text[0];)
		used += (size_t)snprintf(joined.text[0] + used, sizeof joined.text[0] - used,
					 "%s%s", causes->text[i], i ? ": " : "");
	bool damaged = status == VARVE_DAMAGED || status == VARVE_TRUNCATED;
	if (damaged && used < sizeof joined.text[0])
		snprintf(joined.text[0] + used, sizeof joined.text[0] - used,
			 "; no record can be read");
	return failed(status, &joined);
}
