/* Threads that each make a few calls. Usage: threads short|thrd|detached|late COUNT, threads together COUNT */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

enum { EACH = 3 };

static int out;
static pthread_barrier_t barrier;
static long done;
static pthread_key_t key;

static void work(void)
{
	for (int i = 0; i < EACH; i++)
		if (pwrite(out, "x", 1, 0) != 1)
			abort();
	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void *body(void *unused)
{
	work();
	return unused;
}

static int body_of_c11(void *unused)
{
	(void)unused;
	work();
	return 0;
}

static void *body_together(void *unused)
{
	work();
	pthread_barrier_wait(&barrier);
	work();
	pthread_barrier_wait(&barrier);
	return unused;
}

/* Calls made by the destructor of a key, after the thread's function has returned. */
static void destructor(void *value)
{
	uintptr_t round = (uintptr_t)value;
	work();
	if (round > 1)
		pthread_setspecific(key, (void *)(round - 1));
}

static void *body_late(void *unused)
{
	pthread_setspecific(key, (void *)2);
	work();
	return unused;
}

static void check(int result)
{
	if (result != 0) {
		fprintf(stderr, "thread: %s\n", strerror(result));
		exit(1);
	}
}

/* `width` at a time. */
static void in_turn(long count, void *(*function)(void *))
{
	enum { WIDTH = 8 };
	pthread_t threads[WIDTH];
	for (long i = 0; i < count;) {
		int width = 0;
		for (; width < WIDTH && i < count; width++, i++)
			check(pthread_create(&threads[width], NULL, function, NULL));
		while (width > 0)
			check(pthread_join(threads[--width], NULL));
	}
}

static void together(long count)
{
	pthread_t *threads = calloc((size_t)count, sizeof *threads);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 128 << 10);
	pthread_barrier_init(&barrier, NULL, (unsigned)count);
	for (long i = 0; i < count; i++)
		check(pthread_create(&threads[i], &attributes, body_together, NULL));
	for (long i = 0; i < count; i++)
		check(pthread_join(threads[i], NULL));
	free(threads);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "short";
	long count = argc > 2 ? atol(argv[2]) : 10, expected = count;
	out = open("out", O_RDWR | O_CREAT, 0600);
	pthread_key_create(&key, destructor);
	if (strcmp(way, "short") == 0) {
		in_turn(count, body);
	} else if (strcmp(way, "late") == 0) {
		in_turn(count, body_late);
		expected = 3 * count;
	} else if (strcmp(way, "together") == 0) {
		together(count);
		expected = 2 * count;
	} else if (strcmp(way, "thrd") == 0) {
		for (long i = 0; i < count; i++) {
			thrd_t thread;
			check(thrd_create(&thread, body_of_c11, NULL) != thrd_success);
			thrd_join(thread, NULL);
		}
	} else if (strcmp(way, "detached") == 0) {
		for (long i = 0; i < count; i++) {
			pthread_t thread;
			check(pthread_create(&thread, NULL, body, NULL));
			pthread_detach(thread);
			while (__atomic_load_n(&done, __ATOMIC_RELAXED) < i - 8)
				usleep(10);
		}
		while (__atomic_load_n(&done, __ATOMIC_RELAXED) < count)
			usleep(100);
		usleep(10000);
	}
	printf("%ld of %ld\n", done, expected);
	return 0;
}
