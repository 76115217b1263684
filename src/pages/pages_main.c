/* Pages: the program that writes man pages and completions into a folder; part of the build, not installed.
 *
 * All text about verbs is from the tables in src/cli (verbs.c, facts.c) and from the tables of calls; the output of the
 * command is not used. All other text of man pages is in documents.
 */
#include "pages/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct manual manuals[] = {
	{"filter.md", "varve-filter", "the filter language of --where"},
	{"howto/mark-regions.md", "varve-regions", "naming the parts of a program"},
};

static _Noreturn void fail(const char *path)
{
	fprintf(stderr, "varve-pages: %s: %s\n", path, strerror(errno));
	exit(EXIT_FAILURE);
}

/* Creates the folder FOLDER, or FOLDER/NAME. */
static void folder_make(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s%s%s", folder, name ? "/" : "", name ? name : "");
	if (mkdir(path, 0777) && errno != EEXIST)
		fail(path);
}

static FILE *begin(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (!file)
		fail(path);
	return file;
}

static void end(FILE *file)
{
	bool bad = ferror(file);
	if (fclose(file) || bad)
		fail("cannot write");
}

static void write_verbs(const char *folder)
{
	char name[256];
	folder_make(folder, "man");
	FILE *file = begin(folder, "man/varve.1");
	man_write(file);
	end(file);
	for (size_t i = 0; i < verbs_count; i++) {
		snprintf(name, sizeof name, "man/varve-%s.1", verbs[i].name);
		file = begin(folder, name);
		man_write_verb(file, &verbs[i]);
		end(file);
	}
}

static void write_manuals(const char *folder, const char *documents)
{
	char name[256], path[4096];
	folder_make(folder, "man7");
	for (size_t i = 0; i < sizeof manuals / sizeof manuals[0]; i++) {
		snprintf(name, sizeof name, "man7/%s.7", manuals[i].name);
		FILE *file = begin(folder, name);
		snprintf(path, sizeof path, "%s/%s", documents, manuals[i].document);
		if (!document_write(file, &manuals[i], path))
			fail(path);
		end(file);
	}
}

static void write_completion(const char *folder, const char *name, void (*write)(FILE *file))
{
	FILE *file = begin(folder, name);
	write(file);
	end(file);
}

int main(int count, char **words)
{
	if (count != 3) {
		fputs("usage: varve-pages FOLDER DOCUMENTS\n", stderr);
		return EXIT_FAILURE;
	}
	folder_make(words[1], NULL);
	write_verbs(words[1]);
	write_manuals(words[1], words[2]);
	write_completion(words[1], "varve.bash", bash_write);
	write_completion(words[1], "_varve", zsh_write);
	write_completion(words[1], "varve.fish", fish_write);
	return EXIT_SUCCESS;
}
