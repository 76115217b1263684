/* For tests/cli/test_damage.py. Two threads, one after the other, and the main thread each write three times to a file of their
 * own: three short streams. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *name)
{
	int fd = open(name, O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < 3; i++)
		if (pwrite(fd, "abc", 3, i * 7) != 3)
			return NULL;
	close(fd);
	return name;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, work, (char[]){"one"});
	pthread_join(threads[0], NULL);
	pthread_create(&threads[1], NULL, work, (char[]){"two"});
	pthread_join(threads[1], NULL);
	return work((char[]){"main"}) ? 0 : 1;
}
