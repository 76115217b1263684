/* Command line: finding the preload library relative to this program. See library.h. */
#include "cli/library.h"

#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VARVE_LIBRARY_NAME
#define VARVE_LIBRARY_NAME "libvarve-record.so"
#endif
#ifndef VARVE_LIBRARY_INSTALLED
#define VARVE_LIBRARY_INSTALLED "/usr/local/lib/" VARVE_LIBRARY_NAME
#endif

bool library_find(char path[LIBRARY_PATH])
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
		snprintf(place, sizeof place, "%.*s%s" VARVE_LIBRARY_NAME, (int)(slash + 1 - self),
			 self, places[i]);
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
	text_add(path, path + LIBRARY_PATH, VARVE_LIBRARY_INSTALLED);
	return !access(path, R_OK);
}
