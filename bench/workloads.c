/* Bench: small programs with a known number of I/O calls, which bench/run starts with and without Varve.
 *
 *	workloads NAME FOLDER COUNT         runs one workload; prints `calls=N loop_ns=N peak_kb=N`
 *	workloads measure FILE COMMAND...   runs a command; writes `wall_ns= user_us= sys_us= maxrss_kb= status=` to FILE
 *
 * COUNT is the number of iterations of the loop, `calls` the number of its I/O calls. Only the loop is timed. The launcher
 * is a separate program because the peak memory that the kernel reports for a process includes that of the process from
 * which it was forked.
 */
#define _GNU_SOURCE
#include "../include/varve/region.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, MANY_FILES = 1000, THREADS = 2, ITEM = 8 };

static const char item[ITEM] = "varves!";

struct outcome {
	uint64_t calls;
	int64_t loop_ns;
};

static _Noreturn void stop(const char *what)
{
	fprintf(stderr, "workloads: %s: %s\n", what, strerror(errno));
	exit(3);
}

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int create(const char *folder, const char *name, unsigned number, char path[PATH_ROOM])
{
	if (snprintf(path, PATH_ROOM, "%s/%s-%u", folder, name, number) >= PATH_ROOM)
		stop(folder);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd < 0)
		stop(path);
	return fd;
}

static void discard(int fd, const char *path)
{
	if (close(fd) != 0 || unlink(path) != 0)
		stop(path);
}

static void write_at(int fd, uint64_t offset)
{
	if (pwrite(fd, item, ITEM, (off_t)offset) != ITEM)
		stop("pwrite");
}

/* Every second item of a file, in order. */
static struct outcome strided(const char *folder, uint64_t count)
{
	char path[PATH_ROOM];
	int fd = create(folder, "strided", 0, path);
	int64_t start = now();
	for (uint64_t i = 0; i < count; i++)
		write_at(fd, i * 2 * ITEM);
	int64_t spent = now() - start;
	discard(fd, path);
	return (struct outcome){count, spent};
}

/* At random offsets in 32 MiB. */
static struct outcome scattered(const char *folder, uint64_t count)
{
	char path[PATH_ROOM];
	int fd = create(folder, "random", 0, path);
	uint64_t state = 0x2545f4914f6cdd1d;
	int64_t start = now();
	for (uint64_t i = 0; i < count; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		write_at(fd, state >> 39);
	}
	int64_t spent = now() - start;
	discard(fd, path);
	return (struct outcome){count, spent};
}

static struct outcome seek_write(const char *folder, uint64_t count)
{
	char path[PATH_ROOM];
	int fd = create(folder, "seek", 0, path);
	int64_t start = now();
	for (uint64_t i = 0; i < count; i++) {
		if (lseek(fd, (off_t)(i * 3 * ITEM), SEEK_SET) < 0)
			stop("lseek");
		if (write(fd, item, ITEM) != ITEM)
			stop("write");
	}
	int64_t spent = now() - start;
	discard(fd, path);
	return (struct outcome){2 * count, spent};
}

static struct outcome metadata(const char *folder, uint64_t count, unsigned files)
{
	char(*paths)[PATH_ROOM] = calloc(files, sizeof *paths);
	struct stat status;
	if (!paths)
		stop("calloc");
	for (unsigned i = 0; i < files; i++)
		close(create(folder, "meta", i, paths[i]));
	int64_t start = now();
	for (uint64_t i = 0; i < count; i++) {
		const char *path = paths[i % files];
		int fd = open(path, O_RDONLY);
		if (fd < 0 || fstat(fd, &status) != 0 || close(fd) != 0 || stat(path, &status) != 0)
			stop(path);
	}
	int64_t spent = now() - start;
	for (unsigned i = 0; i < files; i++)
		unlink(paths[i]);
	free(paths);
	return (struct outcome){4 * count, spent};
}

static struct outcome metadata_one(const char *folder, uint64_t count)
{
	return metadata(folder, count, 1);
}

static struct outcome metadata_many(const char *folder, uint64_t count)
{
	return metadata(folder, count, MANY_FILES);
}

static struct outcome buffered(const char *folder, uint64_t count)
{
	char path[PATH_ROOM];
	FILE *file = fdopen(create(folder, "stdio", 0, path), "w");
	if (!file)
		stop(path);
	int64_t start = now();
	for (uint64_t i = 0; i < count; i++)
		if (fwrite(item, ITEM, 1, file) != 1)
			stop("fwrite");
	int64_t spent = now() - start;
	if (fclose(file) != 0 || unlink(path) != 0)
		stop(path);
	return (struct outcome){count, spent};
}

struct worker {
	const char *folder;
	uint64_t count;
	unsigned number;
};

static void *work(void *argument)
{
	const struct worker *worker = argument;
	char path[PATH_ROOM];
	int fd = create(worker->folder, "thread", worker->number, path);
	for (uint64_t i = 0; i < worker->count; i++)
		write_at(fd, i * 2 * ITEM);
	discard(fd, path);
	return NULL;
}

/* Like strided, but each of two threads makes half of the calls, on its own file. */
static struct outcome threads(const char *folder, uint64_t count)
{
	pthread_t ids[THREADS];
	struct worker workers[THREADS];
	int64_t start = now();
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){folder, count / THREADS, i};
		if (pthread_create(&ids[i], NULL, work, &workers[i]) != 0)
			stop("pthread_create");
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	return (struct outcome){count / THREADS * THREADS, now() - start};
}

/* Empty regions. */
static struct outcome regions(const char *folder, uint64_t count)
{
	(void)folder;
	int64_t start = now();
	for (uint64_t i = 0; i < count; i++) {
		varve_region_begin_number("step", (int64_t)i);
		varve_region_end("step");
	}
	return (struct outcome){count, now() - start};
}

/* Like strided, inside a region. */
static struct outcome strided_inside(const char *folder, uint64_t count)
{
	varve_region_begin("inside");
	struct outcome outcome = strided(folder, count);
	varve_region_end("inside");
	return outcome;
}

static const struct {
	const char *name;
	struct outcome (*run)(const char *folder, uint64_t count);
} workloads[] = {
	{"strided", strided},	  {"random", scattered},	{"seek-write", seek_write},
	{"meta-1", metadata_one}, {"meta-1000", metadata_many}, {"fwrite", buffered},
	{"threads", threads},	  {"inside", strided_inside},	{"region", regions},
};

/* The peak resident memory of this process, in KiB. */
static long peak(void)
{
	char text[8192];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (length < 0)
		return -1;
	close(fd);
	text[length] = 0;
	const char *line = strstr(text, "VmHWM:");
	return line ? strtol(line + 6, NULL, 10) : -1;
}

static int measure(const char *result, char **command)
{
	extern char **environ;
	struct rusage usage;
	pid_t pid;
	int status;
	int64_t start = now();
	errno = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
	if (errno)
		stop(command[0]);
	if (wait4(pid, &status, 0, &usage) != pid)
		stop("wait4");
	int64_t wall = now() - start;
	FILE *file = fopen(result, "w");
	if (!file)
		stop(result);
	fprintf(file, "wall_ns=%lld user_us=%lld sys_us=%lld maxrss_kb=%ld status=%d\n",
		(long long)wall,
		(long long)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec,
		(long long)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec,
		usage.ru_maxrss, status);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "measure") == 0)
		return measure(argv[2], argv + 3);
	uint64_t count = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
	for (size_t i = 0; count && i < sizeof workloads / sizeof *workloads; i++) {
		if (strcmp(argv[1], workloads[i].name) != 0)
			continue;
		struct outcome outcome = workloads[i].run(argv[2], count);
		printf("calls=%llu loop_ns=%lld peak_kb=%ld\n", (unsigned long long)outcome.calls,
		       (long long)outcome.loop_ns, peak());
		return 0;
	}
	fprintf(stderr, "usage: workloads NAME FOLDER COUNT | workloads measure FILE COMMAND...\n");
	return 2;
}
