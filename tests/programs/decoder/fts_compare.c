/* Run by decoder/traces and decoder/packed: fts_open() compares its roots by a function of the program, and calls inside this
 * function fill lanes before fts_open() returns a handle.
 */
#include <fts.h>
#include <stddef.h>
#include <sys/stat.h>

static int compare(const FTSENT **one, const FTSENT **other)
{
	(void)one;
	(void)other;
	struct stat about;
	for (int i = 0; i < 5000; i++)
		stat("/etc", &about);
	return 0;
}

int main(void)
{
	char etc[] = "/etc", usr[] = "/usr";
	char *roots[] = {etc, usr, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL, compare);
	return !walk || !fts_read(walk) || fts_close(walk);
}
