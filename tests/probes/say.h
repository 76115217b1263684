/* Probes: what the programs share: lines are gathered in memory and go, at once, to the end of the file that PROBE_FILE
 * names, so that a probe needs no descriptor, no stream and no heap while it looks, and says nothing on its output.
 *
 * A probe prints what it sees of itself. What is another each time (numbers of processes, addresses) is printed as what it
 * is compared with, or not at all.
 */
#ifndef PROBE_SAY_H
#define PROBE_SAY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	char text[1 << 20];
	size_t length;
	char file[4096];
	char who[256]; /* stands before each line */
} said;

/* Remembers where to write; the environment may be gone by then. */
static void say_to(const char *who)
{
	const char *file = getenv("PROBE_FILE");
	snprintf(said.who, sizeof said.who, "%s", who);
	if (file)
		snprintf(said.file, sizeof said.file, "%s", file);
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list list;
	size_t left = sizeof said.text - said.length;
	int used = snprintf(said.text + said.length, left, "%s: ", said.who);
	va_start(list, format);
	used += vsnprintf(said.text + said.length + used, left - (size_t)used - 2, format, list);
	va_end(list);
	said.length += (size_t)used;
	said.text[said.length++] = '\n';
	if (said.length > sizeof said.text - 65536)
		abort();
}

/* Writes what was said; a number other than 0 says that it could not. */
static int say_all(void)
{
	int fd = open(said.file, O_WRONLY | O_APPEND | O_CREAT, 0666);
	/* The probe has looked at how far its descriptors go. */
	if (fd < 0 && errno == EMFILE) {
		close(3);
		fd = open(said.file, O_WRONLY | O_APPEND | O_CREAT, 0666);
	}
	ssize_t wrote = write(fd, said.text, said.length);
	close(fd);
	int bad = fd < 0 || wrote != (ssize_t)said.length;
	said.length = 0;
	return bad;
}

#endif
