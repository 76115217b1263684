/* Sink: the name of a trace. See trace_name.h. */
#include "sink/run/trace_name.h"

#include "base/clock.h"
#include "base/sys.h"
#include "base/text.h"

#include <string.h>
#include <sys/utsname.h>

static char *digits_add(char *at, const char *end, uint64_t number, unsigned width)
{
	char text[24];
	text_add_number(text, text + sizeof text, number);
	for (size_t length = strlen(text); length < width; length++)
		at = text_add(at, end, "0");
	return text_add(at, end, text);
}

/* 20261231T235959Z: in UTC, because the rules of other zones would have to be read from files. */
static void time_text(char *text, size_t room)
{
	const char *end = text + room;
	uint64_t seconds = (uint64_t)(clock_ns(CLOCK_REALTIME) / 1000000000);
	/* Days since 1 March of year 0, in eras of 400 years; years begin in March. */
	uint64_t days = seconds / 86400 + 719468, era = days / 146097, day = days % 146097;
	uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day -= year * 365 + year / 4 - year / 100;
	uint64_t month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5;
	month = month < 10 ? month + 3 : month - 9;
	char *at = digits_add(text, end, year + era * 400 + (month <= 2), 4);
	at = digits_add(digits_add(at, end, month, 2), end, day + 1, 2);
	at = digits_add(text_add(at, end, "T"), end, seconds / 3600 % 24, 2);
	at = digits_add(digits_add(at, end, seconds / 60 % 60, 2), end, seconds % 60, 2);
	text_add(at, end, "Z");
}

/* The text for %letter, or NULL. */
static const char *letter_text(char letter, const struct trace_name *known, char *scratch,
			       size_t room)
{
	const char *slash = strrchr(known->program, '/');
	struct utsname name;
	scratch[0] = 0;
	switch (letter) {
	case 'e':
		return slash ? slash + 1 : known->program;
	case 'h':
		if (sys6(SYS_uname, sys_address(&name), 0, 0, 0, 0, 0) == 0)
			text_add(scratch, scratch + room, name.nodename);
		return scratch;
	case 'p':
		text_add_number(scratch, scratch + room, (uint64_t)sys_getpid());
		return scratch;
	case 'r':
		return known->rank ? known->rank : "0";
	case 'j':
		return known->job ? known->job : "nojob";
	case 'u':
		return known->user ? known->user : "nobody";
	case 't':
		time_text(scratch, room);
		return scratch;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

int trace_name_make(const char *name, const struct trace_name *known, char *path, size_t room)
{
	size_t length = 0;
	path[0] = 0;
	if (name[0] != '/') {
		long got = sys6(SYS_getcwd, sys_address(path), (long)room, 0, 0, 0, 0);
		if (got <= 1 || path[0] != '/')
			return -2;
		length = (size_t)got - 1;
		if (length > 1)
			path[length++] = '/';
	}
	for (; *name; name++) {
		char scratch[256] = {*name, 0};
		const char *piece = scratch;
		if (*name == '%' && !name[1])
			return -3;
		if (*name == '%')
			piece = letter_text(*++name, known, scratch, sizeof scratch);
		if (!piece)
			return (unsigned char)*name;
		size_t more = strlen(piece);
		if (length + more + 64 >= room)
			return -1;
		memcpy(path + length, piece, more + 1);
		length += more;
	}
	while (length > 1 && path[length - 1] == '/')
		path[--length] = 0;
	return 0;
}
