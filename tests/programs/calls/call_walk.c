/* Calls: patterns and walks over folders, and calls that a program's own functions make inside them. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <dirent.h>
#include <fts.h>
#include <glob.h>
#include <wordexp.h>

FTS64 *fts64_open(char *const *, int, int (*)(const FTSENT64 **, const FTSENT64 **));

static int refused(const char *path, int error)
{
	say("  %s: %s", path, strerrorname_np(error));
	return 1;
}

/* Its calls are inside: dumped after it, one level deeper. */
static void *opening(const char *path)
{
	DIR *dir = opendir(path);
	say("  opens %s: %d", path, dir != NULL);
	return dir;
}

static void matching(const struct variant *variant)
{
	int (*call_it)(const char *, int, int (*)(const char *, int), void *) =
		use("glob", variant);
	glob_t found = {0};
	TRY(call_it("folder/*", GLOB_MARK, NULL, &found));
	line_as(" = found", "pattern=\"folder/*\", flags=GLOB_MARK");
	for (size_t i = 0; i < found.gl_pathc; i++)
		say("  %s", found.gl_pathv[i]);
	TRY(call_it("{data,none}", GLOB_BRACE | GLOB_APPEND | GLOB_NOMAGIC, NULL, &found));
	line_as(" = found", "pattern=\"{data,none}\", flags=GLOB_APPEND|GLOB_BRACE|GLOB_NOMAGIC");
	say("  %zu", found.gl_pathc);
	globfree(&found);
	TRY(call_it("folder/none*", 0, NULL, &found));
	line_as(" = GLOB_NOMATCH", "pattern=\"folder/none*\", flags=0");
	TRY(call_it("loop/*", GLOB_ERR, refused, &found));
	line_as(" = GLOB_ABORTED", "pattern=\"loop/*\", flags=GLOB_ERR");
}

static void matching_inside(const struct variant *variant)
{
	int (*call_it)(const char *, int, int (*)(const char *, int), void *) =
		use("glob", variant);
	glob_t found = {
		.gl_opendir = opening,
		.gl_readdir = (struct dirent * (*)(void *)) readdir,
		.gl_closedir = (void (*)(void *))closedir,
		.gl_stat = stat,
		.gl_lstat = lstat,
	};
	const char *inside = text("%s/folder", call.folder);
	TRY(call_it("folder/in*", GLOB_ALTDIRFUNC, NULL, &found));
	line_as(" = found", "pattern=\"folder/in*\", flags=GLOB_ALTDIRFUNC");
	int entries = 0;
	call.symbol = "", call.function = "  opendir";
	expect_as(" = #", "path=\"folder\"");
	call.function = "  readdir";
	for (; entries < 4; entries++)
		expect_as(" = entry", "dir=# <%s>", inside);
	expect_as(" = end", "dir=# <%s>", inside);
	call.function = "  closedir";
	expect_as(" = 0", "dir=# <%s>", inside);
	say("  %zu %s", found.gl_pathc, found.gl_pathv[0]);
	globfree(&found);
}

static void words(const struct variant *variant)
{
	int (*call_it)(const char *, wordexp_t *, int) = use("wordexp", variant);
	wordexp_t found;
	TRY(call_it("folder/i* 'a b'", &found, WRDE_NOCMD));
	line_as(" = expanded", "words=\"folder/i* 'a b'\", flags=WRDE_NOCMD");
	say("  %zu %s %s", found.we_wordc, found.we_wordv[0], found.we_wordv[1]);
	wordfree(&found);
	TRY(call_it("$(echo data)", &found, WRDE_SHOWERR));
	line_as(" = expanded", "words=\"$(echo data)\", flags=WRDE_SHOWERR");
	say("  %zu %s", found.we_wordc, found.we_wordv[0]);
	wordfree(&found);
	TRY(call_it("$(echo data)", &found, WRDE_NOCMD));
	line_as(" = WRDE_CMDSUB", "words=\"$(echo data)\", flags=WRDE_NOCMD");
	TRY(call_it("a & b", &found, 0));
	line_as(" = WRDE_BADCHAR", "words=\"a & b\", flags=0");
}

/* The functions of a walk, for both types of numbers: they are the same here. */
struct walker {
	struct variant open, read, children, set, close;
};

static int by_name(const FTSENT **one, const FTSENT **other)
{
	return strcmp((*one)->fts_name, (*other)->fts_name);
}

static void walking(const struct walker *walker)
{
	char *paths[] = {"folder", "data", NULL}, *none[] = {"", NULL};
	const char *shown = text("# <%s>", under("folder"));
	FTS *(*open_it)(char *const *, int, int (*)(const FTSENT **, const FTSENT **)) =
		use("fts_open", &walker->open);
	TRY(open_it(none, FTS_PHYSICAL, NULL));
	line_handle("paths=\"\", options=FTS_PHYSICAL");
	TRY(open_it(paths, 0, NULL));
	line_handle("paths=\"folder\", options=0");
	FTS *walk = (FTS *)TRY(open_it(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name));
	facts("\"absolute\":\"%s\",\"kind\":\"dir\"", under("folder"));
	line_handle("paths=\"folder\", options=FTS_NOCHDIR|FTS_PHYSICAL");
	FTSENT *(*children_of)(FTS *, int) = use("fts_children", &walker->children);
	TRY(children_of(walk, FTS_NAMEONLY));
	line_as(" = entry", "walk=%s, mode=FTS_NAMEONLY", shown);
	TRY(children_of(walk, 77));
	line_as(" = end EINVAL", "walk=%s, mode=77", shown);
	FTSENT *(*read_it)(FTS *) = use("fts_read", &walker->read);
	FTSENT *entry;
	while ((entry = (FTSENT *)TRY(read_it(walk)))) {
		line_as(" = entry", "walk=%s", shown);
		say("  %s %d", entry->fts_path, entry->fts_info);
		if (entry->fts_info == FTS_D && entry->fts_level == 1) {
			int (*set_it)(FTS *, FTSENT *, int) = use("fts_set", &walker->set);
			TRY(set_it(walk, entry, 99));
			line_as(" = 1 EINVAL", "walk=%s, instruction=99", shown);
			TRY(set_it(walk, entry, FTS_SKIP));
			line_as(" = 0", "walk=%s, instruction=FTS_SKIP", shown);
			use("fts_read", &walker->read);
		}
	}
	line_as(" = end", "walk=%s", shown);
	int (*close_it)(FTS *) = use("fts_close", &walker->close);
	TRY(close_it(walk));
	line("walk=%s", shown);
}

int main(void)
{
	raw(SYS_mkdir, (long)"folder", 0755, 0, 0);
	raw(SYS_mkdir, (long)"folder/sub", 0755, 0, 0);
	put_file("folder/sub/deep", "");
	put_file("folder/inner", "abc");
	put_file("data", "x");
	raw(SYS_symlink, (long)"loop", (long)"loop", 0, 0);
	RUN(matching, LINKED(glob), LINKED(glob64));
	RUN(matching_inside, LINKED(glob));
	RUN(words, LINKED(wordexp));
	walking(&(struct walker){LINKED(fts_open), LINKED(fts_read), LINKED(fts_children),
				 LINKED(fts_set), LINKED(fts_close)});
	walking(&(struct walker){LINKED(fts64_open), LINKED(fts64_read), LINKED(fts64_children),
				 LINKED(fts64_set), LINKED(fts64_close)});
	return 0;
}
