/* The program of the golden trace of regions: nested ones, phases, names with numbers, one that is left; in a child process too. See
 * README.md. */
#include <varve/region.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	char name[16];
	varve_region_begin("all \"of it\"");
	for (int step = 0; step < 100; step++) {
		varve_region_phase(step % 2 ? "odd" : "even", step);
		varve_region_begin_number("step", step);
		snprintf(name, sizeof name, "part %02d", step % 7);
		varve_region_begin(name);
		getppid();
		if (step != 50)
			varve_region_end(name);
		varve_region_end("step");
	}
	varve_region_end("all \"of it\"");
	if (fork() == 0) {
		varve_region_begin("in the child");
		varve_region_end("in the child");
		_exit(3);
	}
	wait(NULL);
	varve_region_begin("never ended");
	return 0;
}
