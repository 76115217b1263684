/* For tests/cli/test_control.py. Forks a child while its recording is paused, and another one after it resumed. Each child opens a
 * file and writes one byte to a descriptor of its parent. */
#include "../../../include/varve/control.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(int fd)
{
	if (fork() == 0) {
		close(open("other", O_CREAT | O_WRONLY, 0600));
		if (pwrite(fd, "x", 1, 0) != 1)
			_exit(1);
		_exit(0);
	}
	wait(0);
}

int main(void)
{
	int fd = open("out", O_CREAT | O_WRONLY, 0600);
	varve_pause();
	child(fd);
	varve_resume();
	child(fd);
	return 0;
}
