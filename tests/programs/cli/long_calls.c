/* For tests/cli/test_slice.py. Calls that stay open over several blocks, one inside another (ftw), and one that makes a handle
 * only when it returns (fts_open). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int depth;

static void many(void)
{
	struct stat about;
	char text[8];
	int fd = open("/etc/passwd", O_RDONLY), copy = dup(fd);
	for (int i = 0; i < 700; i++) {
		stat(i % 3 ? "/etc" : "nothing", &about);
		if (read(i % 2 ? fd : copy, text, 8) < 0)
			return;
	}
	close(fd);
	close(copy);
}

static int visit(const char *path, const struct stat *about, int kind)
{
	(void)path, (void)about, (void)kind;
	many();
	if (++depth < 4)
		ftw("file", visit, 3);
	return 0;
}

static int compare(const FTSENT **one, const FTSENT **other)
{
	(void)one, (void)other;
	many();
	return 0;
}

int main(void)
{
	char etc[] = "/etc", usr[] = "/usr", *roots[] = {etc, usr, NULL};
	fclose(fopen("file", "w"));
	if (ftw("file", visit, 3))
		return 1;
	FTS *walk = fts_open(roots, FTS_PHYSICAL, compare);
	return !walk || !fts_read(walk) || fts_close(walk);
}
