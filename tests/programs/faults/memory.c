/* Makes calls and prints its peak memory in KiB to FILE. Usage: memory pwrite|names|one COUNT FILE */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long peak(void)
{
	char line[256];
	long found = -1;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "VmHWM: %ld", &found) == 1)
			break;
	if (file)
		fclose(file);
	return found;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 10;
	int out = open("out", O_RDWR | O_CREAT, 0600);
	char name[64];
	struct stat found;
	for (long i = 0; i < count; i++) {
		if (strcmp(way, "pwrite") == 0) {
			if (pwrite(out, "x", 1, i % 512) != 1)
				return 1;
		} else if (strcmp(way, "names") == 0) {
			snprintf(name, sizeof name, "no/such/folder/file-%ld", i);
			if (stat(name, &found) == 0)
				return 1;
		} else if (strcmp(way, "one") == 0) {
			int fd = open("one", O_RDWR | O_CREAT, 0600);
			if (fd < 0 || fstat(fd, &found) != 0 || close(fd) != 0)
				return 1;
		}
	}
	FILE *file = argc > 3 ? fopen(argv[3], "w") : NULL;
	if (file) {
		fprintf(file, "%ld\n", peak());
		fclose(file);
	}
	return 0;
}
