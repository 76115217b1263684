/* Run by faults/processes: opens `/inside` below the folder `jail` by openat2 with RESOLVE_IN_ROOT, and writes 3 bytes into it.
 * Status 0 when that was done.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct open_how how = {.flags = O_RDWR | O_CREAT, .mode = 0600, .resolve = RESOLVE_IN_ROOT};
	int folder = open("jail", O_PATH | O_DIRECTORY);
	int fd = (int)syscall(SYS_openat2, folder, "/inside", &how, sizeof how);
	return write(fd, "abc", 3) != 3 || close(fd);
}
