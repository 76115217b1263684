/* For tests/cli/test_given.py. Removes the name of shared memory after it is opened; then this thread, another one and a child
 * each write a byte to it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd;

static void *work(void *unused)
{
	return write(fd, "x", 1) == 1 ? unused : NULL;
}

int main(void)
{
	char name[40];
	snprintf(name, sizeof name, "/varve-given-%d", (int)getpid());
	fd = shm_open(name, O_RDWR | O_CREAT, 0600);
	shm_unlink(name);
	work(NULL);
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		work(NULL);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
