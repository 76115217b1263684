/* flags: -static
 * Run by faults/processes: a static program that starts another one: start_static NUMBER PROGRAM ARGUMENT... Its status is the
 * one of the other program + NUMBER.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
	int status = 0;
	if (count > 2 && fork() == 0) {
		execv(words[2], words + 2);
		_exit(99);
	}
	wait(&status);
	return WEXITSTATUS(status) + atoi(words[1]);
}
