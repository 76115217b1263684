/* For tests/cli/test_pack_files.py. Usage: random_writes COUNT
 *
 * Four threads that each write COUNT times, to offsets without a rule: four streams of about the same size. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static long calls;

static void *work(void *seed)
{
	unsigned state = (unsigned)(unsigned long)seed;
	int fd = open("out", O_CREAT | O_RDWR, 0644);
	for (long i = 0; i < calls; i++)
		if (pwrite(fd, "12345678", 8, rand_r(&state) & 0xffff) != 8)
			exit(1);
	return NULL;
}

int main(int count, char **words)
{
	pthread_t threads[4];
	calls = atol(words[count - 1]);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
