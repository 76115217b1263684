/* Run by decoder/traces and decoder/packed: nested_walk DEPTH ROUNDS walks `file` inside a walk inside a walk ..., and makes many
 * different calls in each: calls that stay open while lanes fill, and more shapes than codec columns has.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

static int deepest, rounds, depth;

static long many(void)
{
	struct stat about;
	struct statvfs system_about;
	char text[8];
	struct iovec part = {text, 8};
	int waiting;
	long r = read(-1, text, 8) + write(-1, text, 8) + fsync(-1) + fdatasync(-1);
	r += fstat(-1, &about) + dup(-1) + dup2(-1, -1);
	r += lseek(-1, 0, SEEK_SET) + fchmod(-1, 0) + fchown(-1, 0, 0) + ftruncate(-1, 0);
	r += isatty(-1) + pread(-1, text, 8, 0) + pwrite(-1, text, 8, 0) + readv(-1, &part, 1);
	r += writev(-1, &part, 1) + preadv(-1, &part, 1, 0) + fchdir(-1);
	r += pwritev(-1, &part, 1, 0) + flock(-1, LOCK_UN) + fallocate(-1, 0, 0, 1) + syncfs(-1);
	r += fpathconf(-1, _PC_NAME_MAX) + fcntl(-1, F_GETFL) + ioctl(-1, FIONREAD, &waiting);
	r += posix_fadvise(-1, 0, 0, 0) + futimens(-1, NULL) + access("no", F_OK);
	r += stat("no", &about) + lstat("no", &about) + unlink("no") + rmdir("no");
	r += rename("no", "none") + chmod("no", 0) + truncate("no", 0) + mkdir("/", 0);
	r += symlink("no", "/") + link("no", "/") + readlink("no", text, 8) + chdir("no");
	r += fstatvfs(-1, &system_about) + statvfs("no", &system_about) + open("no", O_RDONLY);
	return r + close(-1);
}

static int visit(const char *path, const struct stat *about, int kind)
{
	(void)path;
	(void)about;
	(void)kind;
	struct stat found;
	many();
	if (++depth < deepest)
		ftw("file", visit, 3);
	else
		for (int i = 0; i < rounds; i++)
			stat("file", &found);
	depth--;
	return 0;
}

int main(int count, char **words)
{
	deepest = atoi(words[1]);
	rounds = atoi(words[2]);
	return count != 3 || ftw("file", visit, 3);
}
