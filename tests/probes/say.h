/* Probes: shared by the programs: lines are collected in memory and written, at once, to the end of the file that PROBE_FILE names.
 * So a probe needs no descriptor, no stream and no heap while it works, and its output stays empty.
 *
 * A probe prints its own state. Values that differ in each run (numbers of processes, addresses) are printed as the result of a
 * comparison, or not at all. */
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
	char who[256]; /* printed before each line */
} said;

/* Stores the path of the file; the environment may disappear before the end. */
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

/* Writes the lines; returns a number other than 0 if it failed. */
static int say_all(void)
{
	int fd = open(said.file, O_WRONLY | O_APPEND | O_CREAT, 0666);
	/* The probe has determined its largest descriptor. */
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
