/* Command line: finds the preload library relative to this program. See preload_library.h. */
#include "cli/preload_library.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VARVE_LIBRARY_FOLDER
#define VARVE_LIBRARY_FOLDER "/usr/local/lib"
#endif

static const char *const names[] = {"libvarve-record.so", "libvarve-record-sync.so"};

bool library_find(enum library which, char path[LIBRARY_PATH])
{
	static const char *const places[] = {"",
					     "../lib/",
					     "../lib64/",
					     "../lib/x86_64-linux-gnu/",
					     "../lib/aarch64-linux-gnu/",
					     "../record/",
					     "../"};
	char self[LIBRARY_PATH - 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	self[length > 0 ? length : 0] = 0;
	char *slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		char place[LIBRARY_PATH];
		snprintf(place, sizeof place, "%.*s%s%s", (int)(slash + 1 - self), self, places[i],
			 names[which]);
		if (access(place, R_OK))
			continue;
		char *whole = realpath(place, NULL);
		bool fits = whole && strlen(whole) < LIBRARY_PATH;
		if (fits)
			text_add(path, path + LIBRARY_PATH, whole);
		free(whole);
		if (fits)
			return true;
	}
	snprintf(path, LIBRARY_PATH, "%s/%s", VARVE_LIBRARY_FOLDER, names[which]);
	return !access(path, R_OK);
}
