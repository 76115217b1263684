/* Unusual uses of streams. Usage: streams inline|cookie|threads|fork|reopen
 * flags: -O2
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 100000, BUFFER = 1000, THREADS = 4, LINES = 500 };

static FILE *shared;

static FILE *opened(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);
	if (!file)
		abort();
	return file;
}

/* Characters one by one; the compiler puts the code for the buffer into the program. */
static int by_character(void)
{
	static char filled[BYTES], in_buffer[BUFFER], out_buffer[BUFFER];
	memset(filled, 'x', sizeof filled);
	FILE *in = opened("in", "w+"), *out = opened("out", "w");
	fwrite(filled, 1, sizeof filled, in);
	rewind(in);
	setvbuf(in, in_buffer, _IOFBF, BUFFER);
	setvbuf(out, out_buffer, _IOFBF, BUFFER);
	int copied = 0;
	for (int c; (c = getc_unlocked(in)) != EOF; copied++)
		putc_unlocked(c, out);
	printf("%d\n", copied);
	return fclose(in) + fclose(out);
}

/* A stream whose bytes are passed to functions of the program, which make the I/O calls themselves. */
static int cookie_fd(void *cookie)
{
	return *(int *)cookie;
}

static ssize_t cookie_read(void *cookie, char *bytes, size_t size)
{
	return read(cookie_fd(cookie), bytes, size);
}

static ssize_t cookie_write(void *cookie, const char *bytes, size_t size)
{
	return write(cookie_fd(cookie), bytes, size);
}

static int cookie_seek(void *cookie, off64_t *position, int whence)
{
	*position = lseek(cookie_fd(cookie), *position, whence);
	return *position < 0 ? -1 : 0;
}

static int cookie_close(void *cookie)
{
	return close(cookie_fd(cookie));
}

static int with_cookie(void)
{
	static const cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek,
							cookie_close};
	char text[64] = "";
	int number = open("baked", O_RDWR | O_CREAT, 0644);
	FILE *file = fopencookie(&number, "r+", functions);
	if (!file || fputs("a line\n", file) < 0 || fflush(file) != 0)
		return 1;
	if (fseek(file, 2, SEEK_SET) != 0 || !fgets(text, sizeof text, file))
		return 2;
	printf("%s", text);
	return fclose(file);
}

/* One stream, many threads; opened here, closed by the last of them. The length of the texts is hidden from the compiler, because
 * it would call fwrite instead. */
static const char *volatile halves[] = {"half and ", "half\n"};

static void *writes(void *unused)
{
	for (int i = 0; i < LINES; i++) {
		flockfile(shared);
		fputs_unlocked(halves[0], shared);
		fputs_unlocked(halves[1], shared);
		funlockfile(shared);
	}
	return unused;
}

static void *closes(void *result)
{
	*(int *)result = fclose(shared);
	return NULL;
}

static int from_thread_to_thread(void)
{
	pthread_t threads[THREADS];
	int result = -1;
	shared = opened("shared", "w");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, writes, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&threads[0], NULL, closes, &result);
	pthread_join(threads[0], NULL);
	return result;
}

/* The content of the buffers at the fork is written by each process that ends by exit(). */
static int forked(void)
{
	FILE *file = opened("forked", "w");
	fputs("before the fork, ", file);
	fputs("unwritten\n", stdout);
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();
		if (child == 0) {
			fprintf(file, "by child %d\n", i);
			if (i)
				_exit(0);
			exit(0);
		}
		int status = -1;
		if (waitpid(child, &status, 0) != child || status != 0)
			return 1;
	}
	fputs("by the parent\n", file);
	return fclose(file);
}

static int reopened(void)
{
	char text[64] = "";
	FILE *given = opened("given", "w");
	fputs("from a file\n", given);
	fclose(given);
	if (!freopen("given", "r", stdin) || !freopen("out", "w", stdout) ||
	    !freopen("errors", "w", stderr))
		return 1;
	if (!fgets(text, sizeof text, stdin))
		return 2;
	printf("read: %s", text);
	perror("said");
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	if (strcmp(way, "inline") == 0)
		return by_character();
	if (strcmp(way, "cookie") == 0)
		return with_cookie();
	if (strcmp(way, "threads") == 0)
		return from_thread_to_thread();
	if (strcmp(way, "fork") == 0)
		return forked();
	return reopened();
}
