/* Command line: the progress line. See progress.h.
 *
 * One lock protects the line from the thread that draws it and the thread that works. Nothing is drawn while a pager uses
 * the terminal.
 */
#include "cli/terminal/progress.h"

#include "base/clock.h"
#include "cli/terminal/pager.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REDRAW_NS = 200000000 };

uint64_t progress_done;

static struct {
	bool allowed;
	int fd;
	int64_t after_ns;

	bool runs;
	const char *what, *things;
	uint64_t total;
	int64_t start_ns;
	pthread_t thread;

	/* protected by the lock */
	bool ended;
	size_t shown; /* number of characters on the line */
} line;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

void progress_allow(int fd, int64_t after_ns)
{
	line.allowed = true;
	line.fd = fd;
	line.after_ns = after_ns;
}

/* "950", "12.3k", "4.0M" */
static int count_text(char *text, size_t room, double count)
{
	static const char units[] = " kMGT";
	size_t unit = 0;
	for (; count >= 999.5 && units[unit + 1]; unit++)
		count /= 1000;
	if (!unit)
		return snprintf(text, room, "%.0f", count);
	return snprintf(text, room, "%.1f%c", count, units[unit]);
}

static void time_text(char *text, size_t room, double seconds)
{
	uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000;
	if (whole < 100)
		snprintf(text, room, "%" PRIu64 " s", whole);
	else if (whole < 6000)
		snprintf(text, room, "%" PRIu64 " min", (whole + 30) / 60);
	else
		snprintf(text, room, "%" PRIu64 " h", (whole + 1800) / 3600);
}

void progress_text(char text[PROGRESS_ROOM], const char *what, const char *things, uint64_t done,
		   uint64_t total, int64_t elapsed_ns)
{
	char number[24], rate[24], rest[24];
	double seconds = (double)elapsed_ns / 1e9, speed = seconds > 0 ? (double)done / seconds : 0;
	if (total && done > total)
		done = total;
	count_text(number, sizeof number, (double)done);
	count_text(rate, sizeof rate, speed);
	if (!done || speed <= 0) {
		time_text(rest, sizeof rest, seconds);
		snprintf(text, PROGRESS_ROOM, "varve: %s: %s", what, rest);
	} else if (!total) {
		snprintf(text, PROGRESS_ROOM, "varve: %s: %s %s, %s/s", what, number, things, rate);
	} else {
		time_text(rest, sizeof rest, (double)(total - done) / speed);
		snprintf(text, PROGRESS_ROOM, "varve: %s: %.0f%%, %s %s/s, %s left", what,
			 (double)done / (double)total * 100, rate, things, rest);
	}
}

/* If the terminal cannot be written to, the work continues. */
static void line_write(const char *text, size_t length)
{
	ssize_t written = write(line.fd, text, length);
	(void)written;
}

static void line_hide(void)
{
	char blank[PROGRESS_ROOM + 2];
	if (!line.shown)
		return;
	memset(blank, ' ', sizeof blank);
	blank[0] = blank[line.shown + 1] = '\r';
	line_write(blank, line.shown + 2);
	line.shown = 0;
}

static void line_draw(void)
{
	char whole[PROGRESS_ROOM + 1] = "\r", *text = whole + 1;
	if (pager.runs)
		return;
	progress_text(text, line.what, line.things,
		      __atomic_load_n(&progress_done, __ATOMIC_RELAXED), line.total,
		      clock_ns(CLOCK_MONOTONIC) - line.start_ns);
	size_t length = strlen(text), before = line.shown;
	/* Spaces cover the rest of a longer previous line. */
	for (; length < before; length++)
		text[length] = ' ';
	line_write(whole, length + 1);
	line.shown = length;
}

static void *line_thread(void *nothing)
{
	int64_t next = line.start_ns + line.after_ns;
	pthread_mutex_lock(&lock);
	while (!line.ended) {
		struct timespec at = {.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000};
		pthread_cond_timedwait(&changed, &lock, &at);
		if (line.ended || clock_ns(CLOCK_MONOTONIC) < next)
			continue;
		line_draw();
		next = clock_ns(CLOCK_MONOTONIC) + REDRAW_NS;
	}
	pthread_mutex_unlock(&lock);
	return nothing;
}

void progress_start(const char *what, const char *things, uint64_t total)
{
	pthread_condattr_t monotonic;
	if (!line.allowed || line.runs)
		return;
	line.what = what;
	line.things = things;
	line.total = total;
	line.start_ns = clock_ns(CLOCK_MONOTONIC);
	line.ended = false;
	progress_step(0);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* If the reader closes the output, the line must be removed: see output_flush(). */
	signal(SIGPIPE, SIG_IGN);
	line.runs = !pthread_create(&line.thread, NULL, line_thread, NULL);
}

void progress_end(void)
{
	if (!line.runs)
		return;
	pthread_mutex_lock(&lock);
	line.ended = true;
	line_hide();
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(line.thread, NULL);
	pthread_cond_destroy(&changed);
	line.runs = false;
}

void progress_message(const char *text, size_t length)
{
	pthread_mutex_lock(&lock);
	line_hide();
	fwrite(text, 1, length, stderr);
	fflush(stderr);
	pthread_mutex_unlock(&lock);
}
