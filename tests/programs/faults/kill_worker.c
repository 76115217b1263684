/* A program that counts its finished calls in shared memory, for the tests that kill it (faults/kill_*.py).
 *
 *   kill_worker COUNTERS MODE
 *
 * COUNTERS is a file of struct shared, large enough, made by the test. Each thread or process that makes calls owns a slot: its
 * marked calls have slot and sequence number in an argument, and the slot's counter is stored after each has returned. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum ending { ENDING_NONE, ENDING_EXIT, ENDING_EXIT_NOW, ENDING_EXEC, ENDING_KILL };

struct slot {
	uint64_t count;	 /* marked calls that returned */
	uint32_t ending; /* way in which its owner is about to end */
	uint32_t ended;	 /* another process noticed that it has ended */
	uint32_t forks;	 /* fork, pthread_create and waitpid that returned */
	uint32_t threads;
	uint32_t waits;
	uint32_t spare[9];
};

struct shared {
	uint32_t next_slot;
	uint32_t phase;	   /* in the stepped modes: 1 the call may begin, 2 it is over */
	uint32_t steps;	   /* stored by the stepper */
	uint32_t syscalls; /* likewise */
	uint32_t events;   /* likewise */
	uint32_t spare[11];
	struct slot slots[];
};

static volatile struct shared *shared;
static uint32_t slots;
static int null_device;
static char *own_path, *counters_path;

/* A slot for a new owner; if none is left, the program ends without a message. */
static uint32_t slot_take(void)
{
	uint32_t slot = __atomic_fetch_add(&shared->next_slot, 1, __ATOMIC_RELAXED);
	if (slot >= slots)
		_exit(0);
	return slot;
}

/* One marked call; its number determines which function it calls, as in _kill.py. */
static void marked_call(uint32_t slot)
{
	uint64_t sequence = shared->slots[slot].count;
	off_t offset = (off_t)((uint64_t)slot << 32 | sequence);
	if (sequence % 8 == 7) {
		char path[64];
		snprintf(path, sizeof path, "/absent/%u.%llu", slot, (unsigned long long)sequence);
		if (open(path, O_RDONLY) != -1 || errno != ENOENT)
			abort();
	} else if (sequence % 8 == 5) {
		if (pwrite(-1, "xyz", 1, offset) != -1 || errno != EBADF)
			abort();
	} else {
		size_t count = 1 + sequence % 3;
		if (pwrite(null_device, "xyz", count, offset) != (ssize_t)count)
			abort();
	}
	shared->slots[slot].count = sequence + 1;
}

static void marked_calls(uint32_t slot, unsigned count)
{
	while (count--)
		marked_call(slot);
}

static void run_calls(void)
{
	uint32_t slot = slot_take();
	for (;;)
		marked_call(slot);
}

static void *thread_short(void *argument)
{
	uint32_t slot = (uint32_t)(uintptr_t)argument;
	marked_calls(slot, 5 + slot % 80);
	if (slot % 2)
		pthread_exit(NULL);
	return NULL;
}

static void *thread_steady(void *argument)
{
	for (;;)
		marked_call((uint32_t)(uintptr_t)argument);
}

static void *thread_spawner(void *argument)
{
	uint32_t slot = (uint32_t)(uintptr_t)argument;
	for (;;) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, thread_short, (void *)(uintptr_t)slot_take()))
			abort();
		shared->slots[slot].threads++;
		marked_calls(slot, 3);
		pthread_join(thread, NULL);
	}
}

static _Noreturn void child_end(uint32_t slot)
{
	char *const again[] = {own_path, counters_path, (char[]){"leaf"}, NULL};
	enum ending ending = ENDING_EXIT + slot % 4;
	shared->slots[slot].ending = ending;
	if (ending == ENDING_EXIT)
		exit(0);
	if (ending == ENDING_EXIT_NOW)
		_exit(0);
	if (ending == ENDING_EXEC)
		execv(own_path, again);
	raise(SIGKILL);
	abort();
}

static void child(uint32_t slot, int generation)
{
	marked_calls(slot, 2 + slot % 100);
	if (slot % 3 == 0) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, thread_short, (void *)(uintptr_t)slot_take()))
			abort();
		shared->slots[slot].threads++;
		if (slot % 2)
			pthread_join(thread, NULL);
	}
	if (generation < 2 && slot % 5 == 0) {
		uint32_t next = slot_take();
		pid_t pid = fork();
		if (pid == 0)
			child(next, generation + 1);
		shared->slots[slot].forks++;
	}
	child_end(slot);
}

static void run_tree(void)
{
	pthread_t thread;
	uint32_t slot = slot_take();
	setpgid(0, 0);
	if (pthread_create(&thread, NULL, thread_steady, (void *)(uintptr_t)slot_take()))
		abort();
	shared->slots[slot].threads++;
	if (pthread_create(&thread, NULL, thread_spawner, (void *)(uintptr_t)slot_take()))
		abort();
	shared->slots[slot].threads++;
	for (;;) {
		uint32_t next[2];
		pid_t pid[2];
		for (int i = 0; i < 2; i++) {
			next[i] = slot_take();
			pid[i] = fork();
			if (pid[i] == 0)
				child(next[i], 1);
			shared->slots[slot].forks++;
			marked_calls(slot, 4);
		}
		for (int i = 0; i < 2; i++) {
			int status;
			if (waitpid(pid[i], &status, 0) != pid[i])
				abort();
			shared->slots[slot].waits++;
			/* A child that the test killed did not reach its end. */
			if (WIFEXITED(status) && shared->slots[next[i]].ending != ENDING_EXEC)
				shared->slots[next[i]].ended = 1;
		}
	}
}

/* The single-stepped part begins at a trap and ends when phase 2 is stored. */
static inline void step_begin(void)
{
	shared->phase = 1;
	__asm__ volatile("int3");
}

static inline void step_end(void)
{
	shared->phase = 2;
}

/* A child that continues when its parent is dead, and so writes after the parent's records. */
static void child_survives(uint32_t slot)
{
	pid_t parent = getpid();
	if (fork() != 0) {
		shared->slots[0].forks++;
		return;
	}
	while (getppid() == parent)
		usleep(500);
	marked_calls(slot, 20);
	shared->slots[slot].ending = ENDING_EXIT;
	exit(0);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *thread_waiting(void *argument)
{
	pthread_mutex_lock(&held);
	return argument;
}

/* Another thread, which makes no calls: blocks are put into the stash. */
static void thread_stays(uint32_t slot)
{
	pthread_t thread;
	pthread_mutex_lock(&held);
	if (pthread_create(&thread, NULL, thread_waiting, NULL))
		abort();
	shared->slots[slot].threads++;
}

static void run_stepped(const char *mode, unsigned before)
{
	uint32_t slot = slot_take(), next = slot_take();
	if (strcmp(mode, "threaded") == 0)
		thread_stays(slot);
	if (strncmp(mode, "fork", 4) == 0) {
		bool child_ends = strcmp(mode, "forked") == 0; /* the child is single-stepped */
		marked_calls(slot, 9);
		step_begin();
		pid_t pid = fork();
		if (pid == 0) {
			marked_calls(next, 1);
			if (child_ends)
				step_end();
			marked_calls(next, 5);
			shared->slots[next].ending = ENDING_EXIT_NOW;
			_exit(0);
		}
		shared->slots[slot].forks++;
		if (!child_ends)
			step_end();
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		shared->slots[slot].waits++;
		return;
	}
	if (strcmp(mode, "beside") == 0)
		child_survives(next);
	marked_calls(slot, before);
	step_begin();
	if (strcmp(mode, "exit") == 0 || strcmp(mode, "beside") == 0) {
		shared->slots[slot].ending = ENDING_EXIT;
		exit(0);
	}
	if (strcmp(mode, "_exit") == 0) {
		shared->slots[slot].ending = ENDING_EXIT_NOW;
		_exit(0);
	}
	marked_call(slot);
	step_end();
	marked_calls(slot, 3);
}

int main(int count, char **words)
{
	struct stat found;
	if (count < 3)
		return 2;
	own_path = words[0];
	counters_path = words[1];
	int fd = open(counters_path, O_RDWR);
	if (fd < 0 || fstat(fd, &found) != 0)
		return 2;
	shared = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		return 2;
	slots = (uint32_t)(((size_t)found.st_size - sizeof *shared) / sizeof *shared->slots);
	null_device = open("/dev/null", O_WRONLY);
	if (strcmp(words[2], "calls") == 0)
		run_calls();
	else if (strcmp(words[2], "tree") == 0)
		run_tree();
	else if (strcmp(words[2], "leaf") == 0)
		marked_calls(slot_take(), 30);
	else
		run_stepped(words[2], count > 3 ? (unsigned)atoi(words[3]) : 0);
	return 0;
}
