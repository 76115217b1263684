/* The program of the golden trace first.varve: calls of many kinds. See README.md. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0640);
	for (int i = 0; i < 4; i++)
		if (pwrite(fd, "01234567", 8, i * 32) != 8)
			return NULL;
	fsync(fd);
	close(fd);
	return name;
}

int main(void)
{
	struct stat found;
	char bytes[64];
	pthread_t thread;
	mkdir("sub", 0750);
	work("sub/main.bin");
	pthread_create(&thread, NULL, work, "sub/thread.bin");
	pthread_join(thread, NULL);
	int fd = open("sub/main.bin", O_RDONLY);
	while (read(fd, bytes, sizeof bytes) > 0)
		;
	lseek(fd, 100, SEEK_SET);
	fstat(fd, &found);
	close(dup(fd));
	close(fd);
	open("missing \"\xff\n", O_RDONLY);
	FILE *file = fopen("sub/text", "w");
	fprintf(file, "%d lines\n", 1);
	fputs("a line\n", file);
	fclose(file);
	DIR *folder = opendir("sub");
	readdir(folder);
	closedir(folder);
	if (fork() == 0) {
		truncate("sub/text", 3);
		_exit(3);
	}
	wait(NULL);
	rename("sub/text", "sub/other");
	unlink("sub/other");
	unlink("sub/main.bin");
	unlink("sub/thread.bin");
	rmdir("sub");
	_exit(0);
}
