/* Run by faults/processes: makes system calls by its own instructions, without the C library. own_calls WAY [PROGRAM ARGUMENT...]
 * exit: ends with status 5; number: ends with status 6 by syscall(); daemon: ends by daemon(); exec: becomes the program;
 * fork: starts the program, and returns its status + 1.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long raw(long number, long a, long b, long c)
{
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

int main(int count, char **words)
{
	int status = 0;
	if (count < 2)
		return 99;
	if (!strcmp(words[1], "exit"))
		raw(SYS_exit_group, 5, 0, 0);
	if (!strcmp(words[1], "number"))
		syscall(SYS_exit_group, 6);
	if (!strcmp(words[1], "daemon"))
		return daemon(1, 1);
	if (!strcmp(words[1], "exec") || !raw(SYS_fork, 0, 0, 0))
		raw(SYS_execve, (long)words[2], (long)(words + 2), (long)environ);
	wait(&status);
	return WEXITSTATUS(status) + 1;
}
