/* The program of the packed golden traces: loops in loops, names with numbers, values without a rule. See README.md. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Writes rows of a grid: nested loops with another number of inner rounds each time. */
static void *work(void *folder)
{
	char name[64];
	for (int step = 0; step < 6; step++) {
		snprintf(name, sizeof name, "%s/step%03d.7", (const char *)folder, step);
		int fd = open(name, O_WRONLY | O_CREAT, 0640);
		for (int row = 0; row < 2 + step % 3; row++)
			if (pwrite(fd, "01234567", 8, step * 4096 + row * 64) != 8)
				return NULL;
		close(fd);
	}
	return folder;
}

int main(void)
{
	unsigned value = 12345;
	struct stat found;
	pthread_t threads[2];
	mkdir("one", 0750);
	mkdir("two", 0750);
	pthread_create(&threads[0], NULL, work, "one");
	pthread_create(&threads[1], NULL, work, "two");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	int fd = open("one/step000.7", O_RDONLY);
	for (int i = 0; i < 140; i++)
		lseek(fd, (value = value * 1103515245 + 12345) >> 8, SEEK_SET);
	close(fd);
	open("missing \"\xff\1", O_RDONLY);
	for (int child = 0; child < 3; child++) {
		if (fork() == 0) {
			stat(child == 1 ? "two/none" : "two/step005.7", &found);
			_exit(child);
		}
		wait(NULL);
	}
	return 0;
}
