/* Writes, prints that it is ready, waits for a line, writes again. Usage: folders COUNT [THREADS]
 *
 * Prints "ready" after COUNT writes, reads a line, makes COUNT more; with THREADS also starts that many, each of which makes
 * COUNT. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int out;
static long count;

static void *work(void *unused)
{
	for (long i = 0; i < count; i++)
		if (pwrite(out, "x", 1, i % 512) != 1)
			abort();
	return unused;
}

int main(int argc, char **argv)
{
	char line[16];
	pthread_t thread[64];
	count = argc > 1 ? atol(argv[1]) : 10;
	int threads = argc > 2 ? atoi(argv[2]) : 0;
	out = open("out", O_RDWR | O_CREAT, 0600);
	work(NULL);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin))
		return 1;
	work(NULL);
	for (int i = 0; i < threads && i < 64; i++)
		if (pthread_create(&thread[i], NULL, work, NULL) != 0)
			return 2;
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(thread[i], NULL);
	printf("%ld done\n", count * (2 + threads));
	return 5;
}
