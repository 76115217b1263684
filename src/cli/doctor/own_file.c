/* Command line: opens files and folders of the effective user in places where every user can create files. See own_file.h.
 *
 * Checks the opened file, not its name.
 */
#include "cli/doctor/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { OWN_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

int own_file_open(int folder, const char *name, struct stat *found)
{
	int fd = openat(folder, name, OWN_FLAGS);
	if (fd < 0)
		return -1;
	if (!fstat(fd, found) && S_ISREG(found->st_mode) && found->st_uid == geteuid() &&
	    found->st_nlink == 1)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int own_folder_open(const char *path)
{
	struct stat found;
	int fd = open(path, OWN_FLAGS | O_DIRECTORY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &found) && found.st_uid == geteuid())
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}
