/* Fuzzing: runs a target without libFuzzer: replays files, or changes them at random.
 *
 *   fuzz_NAME FILE|FOLDER...                                        each file once
 *   fuzz_NAME --runs N [--first I] [--seed S] [--max-len L] [--dict FILE] FILE|FOLDER...
 *
 * Every input is first put into shared memory. The target runs in a child: if the child dies, the parent keeps the input as
 * crash-NAME-RUN in the current folder (--keep FOLDER) and exits with 1. An input that takes SECONDS_MOST counts as a crash. */
#include "fuzz.h"
#include "mutate.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MOST = 10, LEAKS_EVERY = 100000, PATH_ROOM = 4096 };

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* Shared by parent and child. */
struct shared {
	uint64_t done; /* executions that ended */
	uint64_t size;
	uint8_t bytes[];
};

struct options {
	uint64_t runs;
	uint64_t first;
	uint64_t seed;
	size_t max_len;
	const char *keep;
	struct entries corpus;
	struct entries words;
};

/* Not on the stack, so that the memory it points to is not reported as a leak. */
static struct options options = {.seed = 1, .max_len = 8192, .keep = "."};

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, name);
	exit(2);
}

static void file_load(struct entries *entries, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat found;
	if (!file || fstat(fileno(file), &found))
		fail("cannot be read", path);
	uint8_t *bytes = malloc((size_t)found.st_size + 1);
	if (!bytes || fread(bytes, 1, (size_t)found.st_size, file) != (size_t)found.st_size)
		fail("cannot be read", path);
	fclose(file);
	entries_add(entries, bytes, (size_t)found.st_size);
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
	return strcmp((*left)->d_name, (*right)->d_name);
}

static void path_load(struct entries *entries, const char *path)
{
	struct dirent **list;
	int count = scandir(path, &list, NULL, by_name);
	if (count < 0)
		file_load(entries, path);
	for (int i = 0; i < count; i++) {
		char name[PATH_ROOM];
		snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
		if (list[i]->d_name[0] != '.')
			file_load(entries, name);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

static void took_too_long(int signal)
{
	(void)signal;
	static const char text[] = "fuzz: an input takes too long\n";
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(3);
	abort();
}

/* Limits processor time: other work on the machine does not matter. */
static const struct itimerval time_most = {.it_value = {.tv_sec = SECONDS_MOST}};

/* One execution; the input is copied to memory of its exact size, so that ASan detects reads beyond its end. */
static void execute(struct shared *shared)
{
	uint8_t *input = malloc(shared->size);
	if (shared->size)
		memcpy(input, shared->bytes, shared->size);
	setitimer(ITIMER_PROF, &time_most, NULL);
	LLVMFuzzerTestOneInput(input, shared->size);
	free(input);
	shared->done++;
	if (shared->done % LEAKS_EVERY == 0 && __lsan_do_recoverable_leak_check &&
	    __lsan_do_recoverable_leak_check())
		_exit(4);
}

static void work(struct shared *shared)
{
	signal(SIGPROF, took_too_long);
	for (size_t i = 0; !options.runs && i < options.corpus.count; i++) {
		const struct entry *entry = &options.corpus.list[i];
		memcpy(shared->bytes, entry->bytes, shared->size = entry->size);
		execute(shared);
	}
	for (uint64_t run = 0; run < options.runs; run++) {
		shared->size = mutate(&options.corpus, &options.words, options.seed,
				      options.first + run, shared->bytes, options.max_len);
		execute(shared);
	}
	exit(0);
}

/* Keeps the input that killed the child. */
static void keep(const struct shared *shared, const char *name)
{
	char path[PATH_ROOM];
	snprintf(path, sizeof path, "%s/crash-%s-%llu", options.keep, name,
		 (unsigned long long)(options.first + shared->done));
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(shared->bytes, 1, shared->size, file) != shared->size)
		fail("cannot be written", path);
	fclose(file);
	fprintf(stderr, "fuzz: the input is kept in %s\n", path);
}

static void options_read(int count, char **words)
{
	for (int i = 1; i < count; i++) {
		bool more = i + 1 < count;
		if (!strcmp(words[i], "--runs") && more)
			options.runs = strtoull(words[++i], NULL, 10);
		else if (!strcmp(words[i], "--first") && more)
			options.first = strtoull(words[++i], NULL, 10);
		else if (!strcmp(words[i], "--seed") && more)
			options.seed = strtoull(words[++i], NULL, 10);
		else if (!strcmp(words[i], "--max-len") && more)
			options.max_len = strtoull(words[++i], NULL, 10);
		else if (!strcmp(words[i], "--keep") && more)
			options.keep = words[++i];
		else if (!strcmp(words[i], "--dict") && more) {
			if (!dictionary_read(&options.words, words[++i]))
				fail("cannot be read", words[i]);
		} else if (words[i][0] == '-')
			fail("no such option", words[i]);
		else
			path_load(&options.corpus, words[i]);
	}
}

static double processor_seconds(void)
{
	struct rusage used;
	getrusage(RUSAGE_CHILDREN, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **words)
{
	options_read(count, words);
	const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];
	size_t room = options.max_len;
	for (size_t i = 0; i < options.corpus.count; i++)
		room = options.corpus.list[i].size > room ? options.corpus.list[i].size : room;
	struct shared *shared = mmap(NULL, sizeof *shared + room, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("no memory for", name);
	pid_t child = fork();
	if (child < 0)
		fail("cannot be started", name);
	if (!child)
		work(shared);
	int status = 0;
	if (waitpid(child, &status, 0) != child)
		fail("is lost", name);
	double seconds = processor_seconds();
	printf("%s: %llu executions, %.0f a second of the processor\n", name,
	       (unsigned long long)shared->done, seconds > 0 ? (double)shared->done / seconds : 0);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	keep(shared, name);
	return 1;
}
