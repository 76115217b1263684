/* For tests/cli/test_record.py. Prints `ready` and waits until each of seven signals arrived; then it ends with status 42. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int got[65];

static void see(int n)
{
	got[n]++;
}

int main(void)
{
	int all[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
	for (int i = 0; i < 7; i++)
		signal(all[i], see);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int sum = 0;
		for (int i = 0; i < 7; i++)
			sum += got[all[i]] != 0;
		if (sum == 7)
			return 42;
		usleep(10000);
	}
}
