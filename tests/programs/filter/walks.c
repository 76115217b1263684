/* A long call: a walk over a folder with callbacks that make so many calls inside it that a lane is cut meanwhile, and calls inside
 * those calls. Usage: walks FOLDER CALLS */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;
static int file = -1;

static int found(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	char bytes[64] = {0};
	(void)status;
	(void)place;
	if (kind != FTW_F)
		return 0;
	for (long i = 0; i < calls; i++) {
		size_t size = (size_t)(i % 64);
		if (i % 3 == 0 && pwrite(file, bytes, size, i * 7 % 4096) != (ssize_t)size)
			return 2;
		if (i % 3 == 1 && syscall(SYS_pread64, file, bytes, size, i % 4096) < 0)
			return 3;
		if (i % 3 == 2 && access(i % 2 ? path : "/nowhere/at all", R_OK) != 0 && i % 2)
			return 4;
	}
	return 0;
}

int main(int count, char **words)
{
	if (count != 3 || chdir(words[1]) != 0 ||
	    (mkdir("walked", 0750) != 0 && access("walked", F_OK)))
		return 1;
	calls = strtol(words[2], NULL, 10);
	file = open("walked/one file", O_RDWR | O_CREAT | O_TRUNC, 0640);
	if (file < 0)
		return 1;
	return nftw("walked", found, 8, FTW_PHYS);
}
