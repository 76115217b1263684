/* Pages: the program that writes man pages and completions into a folder; part of the build, not installed.
 *
 * Everything that it says comes from the tables in src/cli (verbs.c, facts.c) and of the calls; nothing is read from the
 * output of the command.
 */
#include "pages/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void folder_make(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return;
	fprintf(stderr, "varve-pages: %s: %s\n", path, strerror(errno));
	exit(EXIT_FAILURE);
}

static FILE *begin(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (file)
		return file;
	fprintf(stderr, "varve-pages: %s: %s\n", path, strerror(errno));
	exit(EXIT_FAILURE);
}

static void end(FILE *file)
{
	bool bad = ferror(file);
	if (!fclose(file) && !bad)
		return;
	fprintf(stderr, "varve-pages: cannot write: %s\n", strerror(errno));
	exit(EXIT_FAILURE);
}

int main(int count, char **words)
{
	char name[4096];
	if (count != 2) {
		fputs("usage: varve-pages FOLDER\n", stderr);
		return EXIT_FAILURE;
	}
	folder_make(words[1]);
	snprintf(name, sizeof name, "%s/man", words[1]);
	folder_make(name);
	FILE *file = begin(words[1], "man/varve.1");
	man_write(file);
	end(file);
	for (size_t i = 0; i < verbs_count; i++) {
		snprintf(name, sizeof name, "man/varve-%s.1", verbs[i].name);
		file = begin(words[1], name);
		man_write_verb(file, &verbs[i]);
		end(file);
	}
	file = begin(words[1], "varve.bash");
	bash_write(file);
	end(file);
	file = begin(words[1], "_varve");
	zsh_write(file);
	end(file);
	file = begin(words[1], "varve.fish");
	fish_write(file);
	end(file);
	return EXIT_SUCCESS;
}
