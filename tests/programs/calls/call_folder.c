/* Calls: the working directory, reading folders, walking trees. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <dirent.h>
#include <ftw.h>

static int folder;

static void changing(const struct variant *variant)
{
	int (*change)(const char *) = use("chdir", variant);
	int (*look)(const char *, int) = access;
	TRY(change("sub"));
	facts("\"absolute\":\"%s\"", under("sub"));
	line("path=\"sub\"");
	use("access", &(struct variant)LINKED(access));
	TRY(look("inner", F_OK));
	facts("\"path\":\"inner\",\"absolute\":\"%s\"", under("sub/inner"));
	line("path=\"inner\", mode=F_OK");
	use("chdir", variant);
	TRY(change("missing"));
	line("path=\"missing\"");
	TRY(change(".."));
	line("path=\"..\"");
	use("access", &(struct variant)LINKED(access));
	TRY(look("inner", F_OK));
	facts("\"absolute\":\"%s\"", under("inner"));
	line("path=\"inner\", mode=F_OK");
}

static void changing_by_fd(const struct variant *variant)
{
	int (*change)(int) = use("fchdir", variant);
	int (*look)(const char *, int) = access;
	TRY(change(-1));
	line("fd=-1");
	TRY(change(0));
	line("fd=%s", fd(0));
	TRY(change(folder));
	line("fd=%s", fd(folder));
	use("access", &(struct variant)LINKED(access));
	TRY(look("./deep//../inner", F_OK));
	facts("\"path\":\"./deep//../inner\",\"absolute\":\"%s\"", under("sub/deep/../inner"));
	line("path=\"./deep//../inner\", mode=F_OK");
}

static void where(const struct variant *variant)
{
	static char name[8192];
	char *(*ask)(char *, size_t, size_t) = use("getcwd", variant);
	TRY(ask(name, sizeof name, sizeof name));
	say("  %s", name);
	line_as(" = set", "size=8192");
	TRY(ask(name, 3, sizeof name));
	line_as(" = NULL ERANGE", "size=3");
	raw(SYS_chdir, (long)call.folder, 0, 0, 0);
}

static DIR *opened(const char *path)
{
	DIR *(*open_it)(const char *) = use("opendir", &(struct variant)LINKED(opendir));
	DIR *dir = (DIR *)TRY(open_it(path));
	line_handle("path=\"%s\"", path);
	return dir;
}

static int number_of(DIR *dir)
{
	int (*ask)(DIR *) = use("dirfd", &(struct variant)LINKED(dirfd));
	int number = (int)TRY(ask(dir));
	line("dir=%s", stream_of(number));
	return number;
}

static void closed(DIR *dir)
{
	int number = number_of(dir);
	int (*close_it)(DIR *) = use("closedir", &(struct variant)LINKED(closedir));
	const char *shown = stream_of(number);
	TRY(close_it(dir));
	line("dir=%s", shown);
}

static void opening(const struct variant *variant)
{
	(void)variant;
	closed(opened("sub"));
	opened("missing");
	opened("file");
}

static void opening_by_fd(const struct variant *variant)
{
	DIR *(*open_it)(int) = use("fdopendir", variant);
	int number = open_fd("sub", O_RDONLY | O_DIRECTORY, "O_RDONLY|O_DIRECTORY");
	DIR *dir = (DIR *)TRY(open_it(number));
	facts("\"kind\":\"folder\",\"absolute\":\"%s\"", under("sub"));
	line_handle("fd=%s", fd(number));
	closed(dir);
	use("fdopendir", variant);
	TRY(open_it(-1));
	line_handle("fd=-1");
	TRY(open_it(0));
	line_handle("fd=%s", fd(0));
}

/* To the end, which is no failure, and then from a descriptor that is not a folder. */
static void reading(const struct variant *variant)
{
	DIR *dir = opened("few");
	int number = number_of(dir);
	struct dirent *(*next)(DIR *) = use("readdir", variant);
	for (long last = 1; last;) {
		struct dirent *entry = (void *)(last = TRY(next(dir)));
		line_as(last ? " = entry" : " = end", "dir=%s", stream_of(number));
		if (last)
			say("  %s", entry->d_name);
	}
	raw(SYS_dup2, 0, number, 0, 0);
	void (*rewind_it)(DIR *) = use("rewinddir", &(struct variant)LINKED(rewinddir));
	TRY_VOID(rewind_it(dir));
	line_as("", "dir=# <%s>", under("few"));
	use("readdir", variant);
	TRY(next(dir));
	line_as(text(" = end %s", strerrorname_np(call.error)), "dir=# <%s>", under("few"));
	raw(SYS_dup2, folder, number, 0, 0);
	int (*close_it)(DIR *) = use("closedir", &(struct variant)LINKED(closedir));
	TRY(close_it(dir));
	line("dir=# <%s>", under("few"));
}

static void reading_into(const struct variant *variant)
{
	DIR *dir = opened("few");
	int number = number_of(dir);
	struct dirent entry, *found = &entry;
	int (*next)(DIR *, struct dirent *, struct dirent **) = use("readdir_r", variant);
	for (int i = 0; i < 4; i++) {
		TRY(next(dir, &entry, &found));
		line_errno("dir=%s", stream_of(number));
		say("  %s", found ? entry.d_name : "end");
	}
	closed(dir);
}

static void moving(const struct variant *variant)
{
	DIR *dir = opened("sub");
	int number = number_of(dir);
	long (*tell)(DIR *) = use("telldir", variant);
	long place = TRY(tell(dir));
	line("dir=%s", stream_of(number));
	void (*seek)(DIR *, long) = use("seekdir", &(struct variant)LINKED(seekdir));
	TRY_VOID(seek(dir, place));
	line_as("", "dir=%s, position=%ld", stream_of(number), place);
	void (*rewind_it)(DIR *) = use("rewinddir", &(struct variant)LINKED(rewinddir));
	TRY_VOID(rewind_it(dir));
	line_as("", "dir=%s", stream_of(number));
	closed(dir);
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

typedef int order_function(const struct dirent **, const struct dirent **);

static void say_list(struct dirent **list)
{
	for (long i = 0; i < call.result; i++)
		say("  %s", list[i]->d_name);
}

static void scanning(const struct variant *variant)
{
	struct dirent **list;
	int (*scan)(const char *, struct dirent ***, int (*)(const struct dirent *),
		    order_function *) = use("scandir", variant);
	TRY(scan("sub", &list, no_dots, alphasort));
	say_list(list);
	line("path=\"sub\"");
	TRY(scan("missing", &list, NULL, NULL));
	line("path=\"missing\"");
}

static void scanning_at(const struct variant *variant)
{
	struct dirent **list;
	int (*scan)(int, const char *, struct dirent ***, int (*)(const struct dirent *),
		    order_function *) = use("scandirat", variant);
	TRY(scan(folder, ".", &list, no_dots, alphasort));
	say_list(list);
	line("dirfd=%s, path=\".\"", fd(folder));
	TRY(scan(-1, "x", &list, NULL, NULL));
	line("dirfd=-1, path=\"x\"");
}

static int visits;

static int visit(const char *path, const struct stat *found, int flag)
{
	say("  visited %d %s %ld", flag, path, S_ISREG(found->st_mode) ? (long)found->st_size : 0);
	visits++;
	return 0;
}

static int visit_deep(const char *path, const struct stat *found, int flag, struct FTW *place)
{
	say("  level %d", place->level);
	return visit(path, found, flag);
}

static void walking(const struct variant *variant)
{
	int (*walk)(const char *, int (*)(const char *, const struct stat *, int), int) =
		use("ftw", variant);
	TRY(walk("few", visit, 5));
	line("path=\"few\", descriptors=5");
	TRY(walk("missing", visit, 5));
	line("path=\"missing\", descriptors=5");
}

static void walking_more(const struct variant *variant)
{
	int (*walk)(const char *, int (*)(const char *, const struct stat *, int, struct FTW *),
		    int, int) = use("nftw", variant);
	TRY(walk("few", visit_deep, 5, FTW_PHYS | FTW_DEPTH));
	line("path=\"few\", descriptors=5, flags=FTW_PHYS|FTW_DEPTH");
	TRY(walk("missing", visit_deep, 5, FTW_MOUNT));
	line("path=\"missing\", descriptors=5, flags=FTW_MOUNT");
	TRY(walk("few", visit_deep, 5, 0x4000));
	line("path=\"few\", descriptors=5, flags=0x4000");
}

int main(void)
{
	raw(SYS_mkdir, (long)"sub", 0755, 0, 0);
	raw(SYS_mkdir, (long)"sub/deep", 0755, 0, 0);
	raw(SYS_mkdir, (long)"few", 0755, 0, 0);
	put_file("few/only", "1234");
	put_file("sub/inner", "x");
	put_file("sub/other", "x");
	put_file("file", "x");
	folder = open_fd("sub", O_RDONLY, "O_RDONLY");
	RUN(changing, LINKED(chdir));
	RUN(changing_by_fd, LINKED(fchdir));
	RUN(where, LINKED(getcwd), HIDDEN(__getcwd_chk));
	int (*change)(const char *) = use("chdir", &(struct variant)LINKED(chdir));
	TRY(change(call.folder));
	line("path=\"%s\"", call.folder);
	RUN(opening, LINKED(opendir));
	RUN(opening_by_fd, LINKED(fdopendir));
	RUN(reading, LINKED(readdir), LINKED(readdir64));
	RUN(reading_into, HIDDEN(readdir_r), HIDDEN(readdir64_r));
	RUN(moving, LINKED(telldir));
	RUN(scanning, LINKED(scandir), LINKED(scandir64));
	RUN(scanning_at, LINKED(scandirat), LINKED(scandirat64));
	RUN(walking, LINKED(ftw), LINKED(ftw64));
	RUN(walking_more, LINKED(nftw), LINKED(nftw64));
	say("%d visits", visits);
	return 0;
}
