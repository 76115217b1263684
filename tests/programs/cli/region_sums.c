/* flags: -O2 -finstrument-functions
 * For tests/cli/test_regions.py. Two threads with 30,000 phases and regions each, of which some are left open and end with the
 * outer one; a forked child with a few; one region that does not end. */
#include "../../../include/varve/region.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void work(int i)
{
	char name[16];
	snprintf(name, sizeof name, "part %03d", i % 9);
	varve_region_begin_number("step", i);
	varve_region_begin(name);
	if (i != 77)
		varve_region_end(name);
	varve_region_end("step");
}

static void *all(void *none)
{
	for (int i = 0; i < 30000; i++) {
		varve_region_phase(i % 2 ? "odd" : "even", i);
		work(i);
	}
	return none;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, all, NULL);
	all(NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		work(1);
		_exit(0);
	}
	wait(NULL);
	varve_region_begin("to the end");
	return 0;
}
