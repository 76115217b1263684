/* For tests/cli/test_record.py. Prints for each signal whether it is ignored and whether it is blocked. */
#include <signal.h>
#include <stdio.h>

int main(void)
{
	sigset_t mask;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < 65; i++) {
		struct sigaction now;
		if (sigaction(i, NULL, &now) == 0)
			printf("%d %d %d\n", i, now.sa_handler == SIG_IGN, sigismember(&mask, i));
	}
}
