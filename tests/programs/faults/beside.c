/* flags: -pthread -D_GNU_SOURCE
 * A process that clone() makes with CLONE_VM and no CLONE_VFORK: it runs beside its parent, on the same thread data. The parent, a
 * second thread and the child write; the child may then execute another program.
 *
 * beside COUNT [PROGRAM ARGUMENT...] */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;
static char **program;

static void writing(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < count; i++)
		pwrite(fd, name, 1, i);
	close(fd);
}

static int child(void *unused)
{
	(void)unused;
	writing("child");
	if (*program)
		execv(*program, program);
	return 5;
}

static void *thread(void *unused)
{
	writing("thread");
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t second;
	int status = 0;
	char *stack = malloc(1 << 18);
	count = argc > 1 ? atoi(argv[1]) : 1;
	program = argv + (argc > 2 ? 2 : argc);
	writing("before");
	int pid = clone(child, stack + (1 << 18), CLONE_VM | SIGCHLD, NULL);
	pthread_create(&second, NULL, thread, NULL);
	writing("during");
	waitpid(pid, &status, 0);
	pthread_join(second, NULL);
	writing("after");
	printf("child ended with %d\n", WEXITSTATUS(status));
	return 7;
}
