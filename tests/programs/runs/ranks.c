/* One of several programs that a launcher starts: writes `count` times to a file of its own, then ends in the given way.
 *
 *	ranks COUNT [return STATUS | kill RANK | orphan RANK | hold]
 *
 * return: rank 1 with the status, others with 0. kill: that rank kills itself when all others are done. orphan: that rank kills its
 * parent when the parents of all others have ended. hold: ends when the file `go` exists. Does not use MPI.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number_of(const char *const *names, int otherwise)
{
	for (; *names; names++)
		if (getenv(*names))
			return atoi(getenv(*names));
	return otherwise;
}

/* Passes the pid of the parent to the others. */
static void tell(int rank)
{
	char name[64], text[32];
	snprintf(name, sizeof name, "done.%d.new", rank);
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
	int length = snprintf(text, sizeof text, "%d", getppid());
	if (write(fd, text, (size_t)length) != length)
		_exit(99);
	close(fd);
	char final[64];
	snprintf(final, sizeof final, "done.%d", rank);
	rename(name, final);
}

static int told(int rank)
{
	char name[64], text[32] = "";
	snprintf(name, sizeof name, "done.%d", rank);
	int fd;
	while ((fd = open(name, O_RDONLY)) < 0)
		usleep(1000);
	if (read(fd, text, sizeof text - 1) < 1)
		_exit(98);
	close(fd);
	return atoi(text);
}

int main(int count, char **words)
{
	static const char *const ranks[] = {"PMIX_RANK", "PMI_RANK", NULL};
	static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
	int rank = number_of(ranks, 0), size = number_of(sizes, 1);
	int writes = count > 1 ? atoi(words[1]) : 0;
	const char *end = count > 2 ? words[2] : "return";
	int chosen = count > 3 ? atoi(words[3]) : 0;
	char name[64];
	snprintf(name, sizeof name, "out.%d", rank);
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
	for (int i = 0; i < writes; i++)
		if (pwrite(fd, "12345678", 8, (off_t)i * 8) != 8)
			return 97;
	close(fd);
	tell(rank);
	if (!strcmp(end, "return"))
		return rank == 1 ? chosen : 0;
	snprintf(name, sizeof name, "done.%d", rank);
	/* A test that fails removes its folder. */
	if (!strcmp(end, "hold"))
		while (access("go", F_OK) && !access(name, F_OK))
			usleep(1000);
	if (rank != chosen || !strcmp(end, "hold"))
		return 0;
	for (int other = 0; other < size; other++) {
		int parent = other == rank ? 0 : told(other);
		while (!strcmp(end, "orphan") && parent && !kill(parent, 0))
			usleep(1000);
	}
	kill(!strcmp(end, "orphan") ? getppid() : getpid(), SIGKILL);
	return 0;
}
