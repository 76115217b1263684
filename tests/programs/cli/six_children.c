/* For tests/cli/test_pack.py. Forks six children, 2 ms apart; each opens a file and ends with its number as status. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 6; i++) {
		if (fork() == 0) {
			FILE *file = fopen("/dev/null", "w");
			fclose(file);
			_exit(i);
		}
		usleep(2000);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
