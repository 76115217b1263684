/* Run by fuzz/make_corpus: opens and closes files, 2,500 times, half of them absent, and then kills itself: its last lanes are
 * not collected.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 2500; i++) {
		int fd = open(i % 2 ? "/dev/null" : "none", O_RDONLY);
		close(fd);
	}
	raise(SIGKILL);
	return 0;
}
