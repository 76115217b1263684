/* For tests/cli/test_selected.py. A child overwrites its command line with `boss:`, as servers do that show a title, and forks
 * another child with the same title. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (!fork()) {
		memset(argv[0], 0, (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[0]));
		memcpy(argv[0], "boss:", 5);
		if (!fork()) {
			close(open("/etc/hostname", O_RDONLY));
			_exit(0);
		}
		wait(0);
		_exit(0);
	}
	wait(0);
	return 0;
}
