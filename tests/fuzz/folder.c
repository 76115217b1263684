/* Fuzzing: the trace folder into which targets write their inputs. See fuzz.h.
 *
 * It is in memory if there is /dev/shm. Files are written again for each input; the folder is removed with the process, or, if that
 * crashed, by the next one. Its name contains the pid and random letters: a crashed process may have had the same pid. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "varve-fuzz-"

static char path[64];
static int folder = -1;
static pid_t owner;

static void remove_all(const char *gone)
{
	DIR *list = opendir(gone);
	if (!list)
		return;
	for (struct dirent *entry; (entry = readdir(list));)
		unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	rmdir(gone);
}

static void remove_own(void)
{
	if (getpid() == owner)
		remove_all(path);
}

/* Removes folders of crashed processes. */
static void remove_left(const char *below)
{
	DIR *list = opendir(below);
	char left[sizeof path];
	if (!list)
		return;
	for (struct dirent *entry; (entry = readdir(list));) {
		if (strncmp(entry->d_name, NAME, strlen(NAME)))
			continue;
		int pid = atoi(entry->d_name + strlen(NAME));
		/* This process has not made its folder yet: a folder with its pid is an old one. */
		if (pid <= 0 || (pid != getpid() && (!kill(pid, 0) || errno != ESRCH)))
			continue;
		int length = snprintf(left, sizeof left, "%s/%s", below, entry->d_name);
		if (length > 0 && (size_t)length < sizeof left)
			remove_all(left);
	}
	closedir(list);
}

const char *folder_path(void)
{
	if (folder >= 0)
		return path;
	const char *below = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	remove_left(below);
	owner = getpid();
	snprintf(path, sizeof path, "%s/%s%d-XXXXXX", below, NAME, (int)owner);
	if (!mkdtemp(path))
		abort();
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		abort();
	atexit(remove_own);
	return path;
}

void folder_write(const char *name, const void *bytes, size_t size)
{
	folder_path();
	if (!bytes) {
		unlinkat(folder, name, 0);
		return;
	}
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || write(file, bytes, size) != (ssize_t)size)
		abort();
	close(file);
}
