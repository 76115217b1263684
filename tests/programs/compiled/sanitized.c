/* For tests/cli/test_sanitizers.py, which compiles it with several sanitizers of both compilers.
 * Usage: sanitized [overflow | exec PROGRAM WORD... | fork PROGRAM WORD... | system COMMAND]
 *
 * Reads a file, writes behind its buffer with `overflow`, and starts a program in one of three ways. -DASAN_OPTIONS=TEXT: it has
 * options of its own for AddressSanitizer. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef ASAN_OPTIONS
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return ASAN_OPTIONS;
}
#endif

int main(int count, char **words)
{
	char *buffer = malloc(64);
	volatile int behind = count + 62; /* volatile: compilers must not see the error */
	int fd = open("/etc/passwd", O_RDONLY);
	printf("%zd\n", read(fd, buffer, 60));
	fflush(stdout);
	close(fd);
	if (count > 1 && !strcmp(words[1], "overflow"))
		buffer[behind] = 1;
	free(buffer);
	if (count > 2 && !strcmp(words[1], "exec"))
		execv(words[2], words + 2);
	if (count > 2 && !strcmp(words[1], "fork")) {
		int status = 0;
		if (!fork())
			execv(words[2], words + 2);
		wait(&status);
		return WEXITSTATUS(status);
	}
	if (count > 2)
		return WEXITSTATUS(system(words[2]));
	return 3;
}
