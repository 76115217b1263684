/* For tests/cli/test_option_pairs.py. Starts 28 children, one after the other; then two threads take turns, so that their calls
 * alternate. Two runs of it have more processes than `varve info` lists. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 40, CHILDREN = 28 };

static atomic_int turn;

static void *work(void *mine)
{
	char name[16], bytes[8];
	for (int i = 0; i < TURNS; i++) {
		while (atomic_load(&turn) % 2 != (mine != NULL))
			sched_yield();
		snprintf(name, sizeof name, "file%d", i % 4);
		int fd = open(name, O_RDWR | O_CREAT, 0644);
		if (pwrite(fd, "12345678", 8, 0) != 8 || pread(fd, bytes, 5, 0) != 5)
			abort();
		close(fd);
		FILE *stream = fopen("/etc/hostname", "r");
		fclose(stream);
		atomic_fetch_add(&turn, 1);
	}
	return NULL;
}

int main(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() == 0) {
			close(open("/etc/passwd", O_RDONLY));
			_exit(0);
		}
		wait(NULL);
	}
	pthread_t thread;
	pthread_create(&thread, NULL, work, &turn);
	work(NULL);
	pthread_join(thread, NULL);
	return 0;
}
