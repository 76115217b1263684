/* Compiled by faults/processes at several levels of optimisation: calls syscall() with few arguments, which leaves to the
 * compiler what is on the stack behind them. Prints whether the arguments are unchanged. Status 3.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct open_how how = {.flags = O_WRONLY | O_CREAT, .mode = 0600}, same = how;
	long fd = syscall(SYS_openat2, AT_FDCWD, "made", &how, sizeof how);
	printf("%ld %d %ld\n", fd, memcmp(&how, &same, sizeof how), syscall(SYS_close, fd));
	return 3;
}
