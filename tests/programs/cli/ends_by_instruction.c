/* For tests/cli/test_unseen.py. Ends by exit_group, with a system call instruction of its own that the C library does not see. */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	close(open("/dev/null", O_RDONLY));
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
	return 0;
}
