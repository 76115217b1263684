/* For tests/cli/test_slice_join.py. Three threads that write and read files; each forks a child that does the same, and one of the
 * children becomes /bin/cat. Some calls last long: waits, joins, and a flush in fclose(). */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_all(long number, int times)
{
	char name[64], bytes[64] = {0};
	for (int i = 0; i < times; i++) {
		snprintf(name, sizeof name, "f%ld.%d", number, i % 7);
		FILE *file = fopen(name, "w");
		fwrite(bytes, 1, sizeof bytes, file);
		fclose(file);
		int fd = open(name, O_RDONLY), other = dup(fd);
		if (read(other, bytes, sizeof bytes) < 0)
			abort();
		close(fd);
		close(other);
	}
}

static void *work(void *at)
{
	long number = (long)at;
	write_all(number, 100);
	pid_t child = fork();
	if (!child) {
		write_all(number + 10, 50);
		if (number == 2)
			execl("/bin/cat", "cat", "f2.1", NULL);
		exit(0);
	}
	waitpid(child, NULL, 0);
	write_all(number + 20, 80);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	write_all(30, 40);
	return 0;
}
