/* Sink: which processes of a run still live. See living.h.
 *
 * A child between fork and its first call has no lane; neither has a program between exec and its start. Both show in
 * /proc: the first has the control page mapped, the second has the run in its environment.
 */
#include "sink/living.h"

#include "base/process.h"
#include "base/sys.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>

enum { CHUNK = 16384 };

/* Whether a file of /proc holds this text. */
static bool file_holds(const char *path, const char *text)
{
	static char bytes[2 * CHUNK];
	size_t length = strlen(text), kept = 0;
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	bool holds = false;
	long got;
	while (!holds && (got = sys_read(fd, bytes + kept, CHUNK)) > 0) {
		size_t size = kept + (size_t)got;
		holds = memmem(bytes, size, text, length) != NULL;
		kept = size < length ? size : length - 1;
		memmove(bytes, bytes + size - kept, kept);
	}
	sys_close(fd);
	return holds;
}

static bool belongs(const struct run *run, const char *pid)
{
	char path[64], text[RUN_PATH + 16];
	const char *end = path + sizeof path;
	text_add(text_add(text, text + sizeof text, "VARVE_RUN="), text + sizeof text, run->lanes);
	char *at = text_add(text_add(path, end, "/proc/"), end, pid);
	text_add(at, end, "/environ");
	if (file_holds(path, text))
		return true;
	text_add(at, end, "/maps");
	return file_holds(path, run->lanes);
}

void living_find(const struct run *run, void (*found)(void *context, int pid), void *context)
{
	_Alignas(8) char bytes[CHUNK];
	int self = sys_getpid();
	int fd = sys_open("/proc", O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return;
	long got;
	while ((got = sys_getdents(fd, bytes, sizeof bytes)) > 0)
		for (long at = 0; at < got;) {
			const struct dirent64 *entry =
				(const struct dirent64 *)(const void *)(bytes + at);
			int pid = 0;
			at += entry->d_reclen;
			for (const char *digit = entry->d_name; *digit >= '0' && *digit <= '9';
			     digit++)
				pid = pid * 10 + (*digit - '0');
			if (pid > 0 && pid != self && belongs(run, entry->d_name))
				found(context, pid);
		}
	sys_close(fd);
}
