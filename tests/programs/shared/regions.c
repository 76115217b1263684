/* Begins and ends regions in ways that are difficult for a recorder. Usage: regions WAY [COUNT]
 *
 * Writes of one byte into `out` are made in known places: the offset of each identifies the place. */
#define _GNU_SOURCE
#include "../../../include/varve/control.h"
#include "../../../include/varve/region.h"

#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int out;
static jmp_buf back;

static void mark(long place)
{
	if (pwrite(out, "m", 1, place) != 1)
		abort();
}

static void nest(void)
{
	varve_region_begin("outer");
	mark(1);
	for (int step = 0; step < 3; step++) {
		varve_region_begin_number("step", step);
		mark(2);
		varve_region_value("residual", -step);
		varve_region_end("step");
	}
	mark(3);
	varve_region_end(NULL);
	mark(4);
}

static void phases(void)
{
	varve_region_phase("first", 1);
	mark(1);
	varve_region_begin("inside");
	varve_region_phase("a", 0);
	mark(2);
	varve_region_phase("b", 0);
	mark(3);
	varve_region_end(NULL);
	mark(4);
	varve_region_phase("second", 2);
	mark(5);
	varve_region_phase(NULL, 0);
	mark(6);
}

static void unbalanced(void)
{
	varve_region_end("never");
	varve_region_end(NULL);
	varve_region_begin("outer");
	varve_region_begin("left");
	varve_region_begin("left too");
	mark(1);
	varve_region_end("outer");
	mark(2);
	varve_region_end("left");
	varve_region_begin("open");
	mark(3);
}

__attribute__((noinline)) static void jump_below(int levels)
{
	volatile char room[256];
	room[0] = (char)levels;
	if (levels > 0)
		jump_below(levels - 1);
	varve_region_begin("jumped");
	mark(1);
	longjmp(back, room[0] + 1);
}

static void jump(long count)
{
	for (volatile long i = 0; i < count; i++) {
		varve_region_begin_number("around", i);
		if (!setjmp(back))
			jump_below(10);
		mark(2);
		varve_region_end("around");
		mark(3);
	}
}

__attribute__((noinline)) static void begin_below(int levels)
{
	volatile char room[512];
	room[0] = (char)levels;
	if (levels > 0) {
		begin_below(levels - 1);
		room[1] = room[0];
		return;
	}
	varve_region_begin("below");
	mark(1);
}

__attribute__((noinline)) static void end_below(int levels)
{
	volatile char room[512];
	room[0] = (char)levels;
	if (levels > 0) {
		end_below(levels - 1);
		room[1] = room[0];
		return;
	}
	mark(3);
	varve_region_end("below");
}

static int begin_in_walk(const char *path, const struct stat *status, int flag, struct FTW *where)
{
	(void)path, (void)status, (void)flag, (void)where;
	varve_region_begin("in walk");
	mark(1);
	return 1;
}

static int end_in_walk(const char *path, const struct stat *status, int flag, struct FTW *where)
{
	(void)path, (void)status, (void)flag, (void)where;
	mark(3);
	varve_region_end("in walk");
	mark(4);
	return 1;
}

/* Begun inside a recorded call and ended inside another. */
static void walks(void)
{
	nftw(".", begin_in_walk, 4, FTW_PHYS);
	mark(2);
	nftw(".", end_in_walk, 4, FTW_PHYS);
	mark(5);
}

static void cut(long count)
{
	varve_region_begin("long");
	varve_region_begin_number("longer name than the other", 7);
	for (long i = 0; i < count; i++)
		mark(i);
	varve_region_end(NULL);
	varve_region_begin("last");
	for (long i = 0; i < count; i++)
		mark(i);
	varve_region_end("last");
	varve_region_end("long");
	mark(0);
}

static void forks(void)
{
	varve_region_begin("parent");
	varve_region_begin("both");
	pid_t child = fork();
	if (child == 0) {
		mark(1);
		varve_region_end("both");
		varve_region_begin("child");
		mark(2);
		varve_region_end("child");
		varve_region_end("parent");
		mark(3);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pid_t other = vfork();
	if (other == 0) {
		varve_region_begin("vfork child");
		_exit(0);
	}
	waitpid(other, NULL, 0);
	mark(4);
	varve_region_end("both");
	mark(5);
	varve_region_end("parent");
}

static void *worker(void *number)
{
	for (long i = 0; i < 200; i++) {
		varve_region_begin_number("worker", (long)number);
		varve_region_begin_number("turn", i);
		mark((long)number);
		varve_region_end("turn");
		varve_region_end("worker");
	}
	if ((long)number == 1)
		varve_region_begin("not ended");
	return NULL;
}

static void threads(long count)
{
	pthread_t made[64];
	varve_region_begin("main");
	for (long i = 0; i < count && i < 64; i++)
		if (pthread_create(&made[i], NULL, worker, (void *)i))
			abort();
	for (long i = 0; i < count && i < 64; i++)
		pthread_join(made[i], NULL);
	varve_region_end("main");
}

static void names(void)
{
	static char text[300];
	memset(text, 'n', 299);
	varve_region_begin(text);
	mark(1);
	varve_region_end(text);
	varve_region_begin_bytes("a\0b\xff\n\"", 6, 5);
	mark(2);
	varve_region_end_bytes("a\0b\xff\n\"", 6);
	varve_region_begin("");
	mark(3);
	varve_region_end("");
	varve_region_begin(NULL);
	mark(4);
	varve_region_end(NULL);
	const char *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	varve_region_begin(nowhere);
	mark(5);
	varve_region_end(NULL);
	varve_region_begin_bytes(nowhere, 10, 0);
	varve_region_end(NULL);
}

static void deep(long count)
{
	for (long i = 0; i < count; i++) {
		varve_region_begin_number("deep", i);
		mark(i);
	}
	for (long i = count; i-- > 0;) {
		mark(i);
		varve_region_end("deep");
	}
	mark(count);
}

static void pauses(void)
{
	varve_region_begin("around");
	varve_pause();
	varve_region_begin("paused");
	varve_region_phase("paused too", 0);
	mark(1);
	varve_resume();
	varve_region_begin("inside");
	mark(2);
	varve_region_end(NULL);
	varve_region_end("paused");
	mark(3);
	varve_pause();
	varve_region_end("around");
	varve_resume();
	mark(4);
}

static void handler(int number)
{
	(void)number;
	varve_region_begin("handler");
	mark(1);
	varve_region_end("handler");
}

static void handlers(long count)
{
	signal(SIGALRM, handler);
	ualarm(200, 200);
	for (long i = 0; i < count; i++) {
		varve_region_begin("loop");
		mark(2);
		varve_region_end("loop");
	}
	ualarm(0, 0);
}

static void killed(long count)
{
	varve_region_begin("killed");
	for (long i = 0; i < count; i++)
		mark(i);
	varve_region_begin("inner");
	mark(0);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 0;
	out = open("out", O_CREAT | O_WRONLY, 0600);
	if (!strcmp(way, "nest"))
		nest();
	else if (!strcmp(way, "phases"))
		phases();
	else if (!strcmp(way, "unbalanced"))
		unbalanced();
	else if (!strcmp(way, "jump"))
		jump(count);
	else if (!strcmp(way, "below"))
		begin_below(20), mark(2), end_below(5), mark(4);
	else if (!strcmp(way, "walks"))
		walks();
	else if (!strcmp(way, "cut"))
		cut(count);
	else if (!strcmp(way, "forks"))
		forks();
	else if (!strcmp(way, "threads"))
		threads(count);
	else if (!strcmp(way, "names"))
		names();
	else if (!strcmp(way, "deep"))
		deep(count);
	else if (!strcmp(way, "pauses"))
		pauses();
	else if (!strcmp(way, "handlers"))
		handlers(count);
	else if (!strcmp(way, "killed"))
		killed(count);
	else
		return 2;
	return 0;
}
