/* For tests/cli/test_filters.py. Makes the same calls on the files `kept` and `left` (posix, stdio, mmap, folders), renames `left`
 * twice, and forks a child that makes one call: tests select and exclude these by name, function and layer. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void work_in_folder(const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "%s.d", name);
	mkdir(path, 0700);
	DIR *dir = opendir(path);
	while (readdir(dir))
		;
	int folder = dirfd(dir);
	close(openat(folder, "inner", O_RDWR | O_CREAT, 0600));
	unlinkat(folder, "inner", 0);
	closedir(dir);
	rmdir(path);
}

static void work(const char *name)
{
	char byte = 'x';
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < 5; i++)
		if (pwrite(fd, &byte, 1, i) != 1)
			return;
	int copy = dup(fd);
	struct stat found;
	fstat(copy, &found);
	void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	munmap(map, 4096);
	close(copy);
	close(fd);
	stat(name, &found);
	FILE *stream = fopen(name, "r+");
	fputs("hello", stream);
	fclose(stream);
	work_in_folder(name);
}

int main(void)
{
	work("kept");
	work("left");
	rename("left", "left2");
	rename("left2", "kept2");
	if (chdir(".."))
		return 1;
	if (fork() == 0) {
		access("missing", F_OK);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
