/* For tests/cli/test_unseen.py. Makes an io_uring with syscall(), without liburing; ends with 1 where the kernel refuses that. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	close(open("/dev/null", O_RDONLY));
	struct {
		char bytes[120];
	} wanted = {{0}};
	return syscall(SYS_io_uring_setup, 4, &wanted) < 0;
}
