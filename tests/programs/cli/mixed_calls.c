/* For tests/cli/test_read.py. A few calls of several layers, one of them with odd bytes in its path, one that fails, some in a
 * thread. Ends with status 3. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *work(void *x)
{
	int fd = open("thread.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < 10; i++)
		if (write(fd, "abc", 3) != 3)
			return NULL;
	close(fd);
	return x;
}

int main(void)
{
	struct stat s;
	int fd = open("data.bin", O_RDWR | O_CREAT, 0644);
	for (int i = 0; i < 100; i++)
		if (pwrite(fd, "01234567", 8, i * 16) != 8)
			return 1;
	fstat(fd, &s);
	close(fd);
	open("missing \"\xff\n", O_RDONLY);
	FILE *f = fopen("text.out", "w");
	fputs("hello", f);
	fclose(f);
	mkdir("sub", 0750);
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 3;
}
