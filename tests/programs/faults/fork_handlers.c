/* Run by faults/processes: calls in a handler of pthread_atfork. Forks three children, one after another. In each of them the
 * handler writes 5 bytes into a pipe before fork returns, and the child 5 more after it. Status 0.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void begin(void)
{
	(void)!write(ends[1], "child", 5);
}

int main(void)
{
	(void)!pipe(ends);
	pthread_atfork(NULL, NULL, begin);
	for (int i = 0; i < 3; i++) {
		if (fork() == 0)
			_exit(write(ends[1], "later", 5) != 5);
		wait(NULL);
	}
	return 0;
}
