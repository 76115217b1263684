/* Opens many names again and again while some of them are given to other files. Usage: names FILES ROUNDS CHANGE [THREADS], or
 * names FILES ROUNDS walk: one name in FILES folders, which become the working directory.
 *
 * Every CHANGE-th opening (0: none) is preceded by one of: another file is renamed to the name, the name is removed and made again,
 * the file gets a second name. Each thread writes `path inode` for each opening into `truth.N`; it asks the kernel by number, so
 * that no recorder uses its question. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long files, rounds, change;

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	if (fd < 0 || close(fd) != 0)
		abort();
}

/* The name means another file from now on, or the file has one more name. */
static void alter(long step, const char *path, const char *other)
{
	switch (step / change % 3) {
	case 0:
		make(other);
		if (rename(other, path) != 0)
			abort();
		break;
	case 1:
		/* The old file is kept by another name, so that its inode is not given to the new one. */
		if (link(path, other) != 0 || unlink(path) != 0)
			abort();
		make(path);
		unlink(other);
		break;
	default:
		if (link(path, other) != 0 || unlink(other) != 0)
			abort();
	}
}

/* Opens the name; the kernel's answer is written to `truth`. */
static void look(FILE *truth, const char *path)
{
	struct stat found;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || syscall(SYS_fstat, fd, &found) != 0 || close(fd) != 0)
		abort();
	fprintf(truth, "%s %lu\n", path, (unsigned long)found.st_ino);
}

static void walk(void)
{
	char folder[32];
	FILE *truth = fopen("truth.0", "w");
	for (long step = 0; step < files * rounds; step++) {
		snprintf(folder, sizeof folder, "folder.%ld", step % files);
		if (step < files && mkdir(folder, 0700) != 0)
			abort();
		if (chdir(folder) != 0)
			abort();
		if (step < files)
			make("same");
		look(truth, "same");
		if (chdir("..") != 0)
			abort();
	}
	fclose(truth);
}

static void *work(void *given)
{
	long number = (long)given;
	char path[64], other[64], name[32];
	snprintf(name, sizeof name, "truth.%ld", number);
	FILE *truth = fopen(name, "w");
	for (long i = 0; i < files; i++) {
		snprintf(path, sizeof path, "d.%ld/name.%ld", number, i);
		make(path);
	}
	for (long step = 0; step < files * rounds; step++) {
		snprintf(path, sizeof path, "d.%ld/name.%ld", number, step % files);
		snprintf(other, sizeof other, "d.%ld/other", number);
		if (change && step % change == 0)
			alter(step, path, other);
		look(truth, path);
	}
	fclose(truth);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[16];
	files = argc > 1 ? atol(argv[1]) : 10;
	rounds = argc > 2 ? atol(argv[2]) : 2;
	change = argc > 3 ? atol(argv[3]) : 0;
	long threads = argc > 4 ? atol(argv[4]) : 1;
	if (argc > 3 && strcmp(argv[3], "walk") == 0) {
		walk();
		return 0;
	}
	for (long i = 0; i < threads && i < 16; i++) {
		char folder[32];
		snprintf(folder, sizeof folder, "d.%ld", i);
		if (mkdir(folder, 0700) != 0 ||
		    pthread_create(&thread[i], NULL, work, (void *)i) != 0)
			abort();
	}
	for (long i = 0; i < threads && i < 16; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
