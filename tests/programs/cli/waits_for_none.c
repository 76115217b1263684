/* For tests/cli/test_words.py. Waits with WNOHANG for a child that still runs, then for the killed child; also fcntl(F_GETFL) and
 * pclose(), whose results are printed as words. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int status;
	siginfo_t info;
	pid_t child = fork();
	if (!child)
		pause();
	waitpid(child, &status, WNOHANG);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG);
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	fcntl(open("/dev/null", O_WRONLY | O_APPEND), F_GETFL);
	return WEXITSTATUS(pclose(popen("exit 4", "r"))) != 4;
}
