/* Sink: programs that could not be recorded at all. See unrecorded.h.
 *
 * Runs in the program: raw system calls, no allocation, no waiting. Any user may create a file with this name in /tmp: links
 * are not followed, and only a regular file of our user with a single name is written.
 */
#include "sink/run/unrecorded.h"

#include "base/sys.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* Maximum size of the file. */
enum { FILE_MOST = 64 << 10 };

static long own_user(void)
{
	return sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

void unrecorded_path(char path[UNRECORDED_PATH], const char *folder)
{
	const char *end = path + UNRECORDED_PATH;
	bool usual = !folder || *folder != '/' || strlen(folder) > UNRECORDED_PATH / 2;
	char *at = text_add(path, end, usual ? "/tmp" : folder);
	at = text_add_number(text_add(at, end, "/varve-"), end, (uint64_t)own_user());
	text_add(at, end, ".unrecorded");
}

void unrecorded_note(const char *folder, const char *program, const char *trace,
		     enum varve_status why)
{
	static char path[UNRECORDED_PATH], line[2 * UNRECORDED_PATH];
	const char *end = line + sizeof line;
	struct stat found;
	unrecorded_path(path, folder);
	char *at = text_add_number(line, end, (uint64_t)sys_getpid());
	at = text_add(text_add(text_add(at, end, " "), end, program), end, ": the trace ");
	at = text_add(text_add(at, end, trace), end,
		      why == VARVE_BUSY ? " already exists" : " cannot be created");
	at = text_add(at, end, "; nothing is recorded\n");
	/* Any user may create a file with this name in /tmp. */
	int fd = sys_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			  0600);
	if (fd < 0)
		return;
	if (sys_fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
	    (long)found.st_uid == own_user() && found.st_nlink == 1 && found.st_size < FILE_MOST &&
	    sys_size_allowed((uint64_t)found.st_size + (uint64_t)(at - line)))
		sys6(SYS_write, fd, sys_address(line), at - line, 0, 0, 0);
	sys_close(fd);
}
