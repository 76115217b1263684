/* Writes once in each millisecond, in the given number of threads, until its input ends. With `self` it pauses itself: five calls
 * before, seven in the pause, three after. With `blocked` a thread waits in a read for ever. With `busy` the first one writes all
 * the time, and the others twice in a second. */
#include "../../../include/varve/control.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int over;
static bool busy;

static void *writer(void *number)
{
	char name[32];
	snprintf(name, sizeof name, "out.%ld", (long)number);
	int fd = open(name, O_CREAT | O_WRONLY, 0600);
	for (long i = 0; !over; i++) {
		if (pwrite(fd, "x", 1, i) != 1)
			abort();
		if (!busy)
			usleep(1000);
		else if (number)
			usleep(500000);
	}
	close(fd);
	return NULL;
}

static void *blocked(void *unused)
{
	int ends[2];
	char byte;
	if (pipe(ends) || read(ends[0], &byte, 1) != 0)
		abort();
	return unused;
}

static void writes(int fd, int count)
{
	for (int i = 0; i < count; i++)
		if (pwrite(fd, "x", 1, i) != 1)
			abort();
}

static int self(void)
{
	int fd = open("before", O_CREAT | O_WRONLY, 0600);
	writes(fd, 5);
	int paused = varve_pause();
	int other = open("within", O_CREAT | O_WRONLY, 0600);
	writes(fd, 7);
	int resumed = varve_resume();
	writes(other, 3);
	int flushed = varve_flush();
	dprintf(1, "%d %d %d\n", paused, resumed, flushed);
	if (getenv("WAIT_AFTERWARDS"))
		poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, -1);
	return 0;
}

int main(int count, char **words)
{
	pthread_t threads[8];
	if (count > 1 && !strcmp(words[1], "self"))
		return self();
	int number = count > 1 ? atoi(words[1]) : 1;
	bool waits = count > 2 && !strcmp(words[2], "blocked");
	busy = count > 2 && !strcmp(words[2], "busy");
	pthread_t stays;
	if (waits)
		pthread_create(&stays, NULL, blocked, NULL);
	for (long i = 0; i < number; i++)
		pthread_create(&threads[i], NULL, writer, (void *)i);
	dprintf(1, "%d\n", (int)getpid());
	/* Not idle: a thread that makes no call cannot do what is requested. */
	while (poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, 1) == 0)
		if (access("out.0", F_OK) && !number)
			return 1;
	over = 1;
	for (int i = 0; i < number; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
