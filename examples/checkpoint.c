/* Example: a small simulation that writes a checkpoint, as a program to record.
 *
 *   checkpoint FOLDER
 *
 * Two threads each write their half of FOLDER/state with pwrite, a log is written with stdio, the checkpoint is read back
 * and checked, and a child process checks the files. It does not use Varve and is built without it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 512, ROWS = 8 };

struct part {
	int fd;
	int first; /* row */
};

static void stop(const char *what)
{
	perror(what);
	exit(1);
}

static double cell(int row, int column)
{
	return row + column / 1000.0;
}

static void *write_part(void *argument)
{
	const struct part *part = argument;
	double row[CELLS];
	for (int r = part->first; r < part->first + ROWS / 2; r++) {
		for (int c = 0; c < CELLS; c++)
			row[c] = cell(r, c);
		if (pwrite(part->fd, row, sizeof row, (off_t)r * (off_t)sizeof row) != sizeof row)
			stop("pwrite");
	}
	return NULL;
}

static void write_checkpoint(const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	if (fd < 0)
		stop(path);
	struct part halves[2] = {{fd, 0}, {fd, ROWS / 2}};
	pthread_t helper;
	if (pthread_create(&helper, NULL, write_part, &halves[1]) != 0)
		stop("pthread_create");
	write_part(&halves[0]);
	pthread_join(helper, NULL);
	if (fsync(fd) != 0 || close(fd) != 0)
		stop(path);
}

static int check_checkpoint(const char *path)
{
	double row[CELLS];
	int wrong = 0;
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		stop(path);
	for (int r = 0; r < ROWS; r++) {
		if (read(fd, row, sizeof row) != sizeof row)
			stop("read");
		for (int c = 0; c < CELLS; c++)
			wrong += row[c] < cell(r, c) || row[c] > cell(r, c);
	}
	close(fd);
	return wrong;
}

/* The child: does what a script that starts a job would do. */
static int look_around(const char *state, const char *absent)
{
	struct stat status;
	if (stat(state, &status) != 0 || status.st_size != ROWS * CELLS * (off_t)sizeof(double))
		return 1;
	return stat(absent, &status) == 0; /* fails, and is recorded as failed */
}

int main(int argc, char **argv)
{
	char state[4096], log_path[4096], absent[4096];
	if (argc != 2) {
		fprintf(stderr, "usage: checkpoint FOLDER\n");
		return 2;
	}
	mkdir(argv[1], 0755);
	snprintf(state, sizeof state, "%s/state", argv[1]);
	snprintf(log_path, sizeof log_path, "%s/log", argv[1]);
	snprintf(absent, sizeof absent, "%s/absent", argv[1]);

	FILE *log_file = fopen(log_path, "w");
	if (!log_file)
		stop(log_path);
	for (int step = 0; step < 3; step++) {
		uint32_t mark = (uint32_t)step;
		fwrite(&mark, sizeof mark, 1, log_file);
		write_checkpoint(state);
	}
	int wrong = check_checkpoint(state);
	fprintf(log_file, "%d cells are wrong\n", wrong);
	fclose(log_file);

	pid_t child = fork();
	if (child == 0)
		_exit(look_around(state, absent));
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) != child)
		stop("fork");
	return wrong != 0 || status != 0;
}
