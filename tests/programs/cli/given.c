/* One file, opened once by a name that is not its absolute path, and used by other threads, children, later blocks, through copies
 * of the descriptor, and by programs that it starts. Usage: given NAME COUNT [FOLDER]: with FOLDER the name is opened from there by
 * openat. Each user writes COUNT times 10 bytes. Checks its results; does not use Varve. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;

static void *use(void *given)
{
	int fd = *(const int *)given;
	for (int i = 0; i < count; i++)
		if (write(fd, "ten bytes\n", 10) != 10)
			abort();
	return NULL;
}

static void use_in_child(int fd)
{
	pid_t child = fork();
	if (child == 0) {
		use(&fd);
		_exit(0);
	}
	int status;
	if (waitpid(child, &status, 0) != child || status)
		abort();
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	count = atoi(argv[2]);
	int dirfd = argc > 3 ? open(argv[3], O_RDONLY | O_DIRECTORY) : AT_FDCWD;
	int fd = openat(dirfd, argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return 3;
	use(&fd);
	pthread_t thread;
	if (pthread_create(&thread, NULL, use, &fd) || pthread_join(thread, NULL))
		return 4;
	use_in_child(fd);
	int copy = dup(fd);
	if (pthread_create(&thread, NULL, use, &copy) || pthread_join(thread, NULL))
		return 5;
	use_in_child(copy);
	FILE *stream = fdopen(copy, "w");
	if (!stream || chdir("/"))
		return 6;
	use_in_child(fileno(stream));
	fclose(stream);
	return close(fd) ? 7 : 0;
}
