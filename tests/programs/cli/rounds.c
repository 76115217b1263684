/* For tests/cli/test_codecs.py. Usage: rounds [ROUNDS [die]]
 *
 * A process and its child each make ROUNDS (600) writes that differ only in their position, as many identical reads, and calls that
 * fail. With `die` the parent kills itself and does not wait for its child. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(int rounds)
{
	char text[8] = "1234567";
	int fd = open("file", O_RDWR | O_CREAT, 0644);
	for (int i = 0; i < rounds; i++)
		if (pwrite(fd, text, 8, i * 8) != 8)
			return 1;
	lseek(fd, 0, SEEK_END);
	for (int i = 0; i < rounds; i++)
		if (read(fd, text, 8) != 0)
			return 1;
	return open("no/such/file", O_RDONLY) >= 0 || close(fd);
}

int main(int count, char **words)
{
	int rounds = count > 1 ? atoi(words[1]) : 600, status = 0;
	if (work(rounds))
		return 1;
	pid_t child = fork();
	if (!child)
		_exit(work(rounds));
	if (count > 2)
		raise(SIGKILL);
	return waitpid(child, &status, 0) != child || status;
}
