/* Base: the entries of a folder. See folder.h. */
#include "base/folder.h"

#include "base/sys.h"

#include <dirent.h>

int folder_list(const char *path, void (*see)(void *context, const char *name), void *context)
{
	_Alignas(8) char bytes[16384];
	int fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	long got;
	while ((got = sys_getdents(fd, bytes, sizeof bytes)) > 0)
		for (long at = 0; at < got;) {
			const struct dirent64 *entry =
				(const struct dirent64 *)(const void *)(bytes + at);
			at += entry->d_reclen;
			see(context, entry->d_name);
		}
	sys_close(fd);
	return got < 0 ? (int)got : 0;
}
