/* For tests/cli/test_valgrind.py. Threads, a forked child and a vfork child, streams, folders, names, calls that fail: what the
 * recorder does with them must be free of errors under valgrind. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *name)
{
	int fd = open(name, O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < 3000; i++)
		if (pwrite(fd, "abc", 3, i * 7) != 3)
			abort();
	close(fd);
	return NULL;
}

static void run_threads_and_children(void)
{
	pthread_t threads[3];
	char names[][2] = {"a", "b", "c"};
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (fork() == 0) {
		work((char[]){"child"});
		_exit(0);
	}
	wait(NULL);
	if (vfork() == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
}

static void use_stream_and_folder(void)
{
	FILE *file = fopen("text", "w+");
	for (int i = 0; i < 500; i++)
		fprintf(file, "%d\n", i);
	rewind(file);
	char line[20];
	while (fgets(line, sizeof line, file))
		;
	fclose(file);
	DIR *folder = opendir(".");
	while (readdir(folder))
		;
	closedir(folder);
}

int main(void)
{
	struct stat found;
	run_threads_and_children();
	use_stream_and_folder();
	stat("text", &found);
	char page[8192]; /* the recorder reads this page, and nothing was written to its start */
	char *path = page + 4096 + 8;
	stat(strcpy(path, "text"), &found);
	rename("text", "other");
	unlink("other");
	open("missing", O_RDONLY);
	return 0;
}
