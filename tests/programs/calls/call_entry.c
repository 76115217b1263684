/* Calls: entries of files of users, groups and mounts. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <grp.h>
#include <gshadow.h>
#include <mntent.h>
#include <pwd.h>
#include <shadow.h>

/* An entry, the end, and a file that cannot be read. The first member of each entry is its name. */
static void reading(const struct variant *variant)
{
	void *(*get)(FILE *) = use(variant->symbol, variant);
	FILE *file = open_stream(variant->symbol, "r"), *broken = open_stream(".", "r");
	TRY(get(file));
	line_as(" = entry", "stream=%s", stream(file));
	say("  %s", *(char **)call.result);
	for (int i = 0; i < 2; i++) {
		TRY(get(i ? broken : file));
		line_as(call.error == SENTINEL || call.error == ENOENT
				? " = end"
				: text(" = end %s", strerrorname_np(call.error)),
			"stream=%s", stream(i ? broken : file));
	}
	close_stream(file);
	close_stream(broken);
}

static void reading_into(const struct variant *variant)
{
	union {
		struct passwd user;
		struct group group;
		struct spwd shadow;
		struct sgrp group_shadow;
	} entry;
	void *found = NULL;
	char room_given[256];
	int (*get)(FILE *, void *, char *, size_t, void **) = use(variant->symbol, variant);
	FILE *file = open_stream(text("%.9s", variant->symbol), "r");
	TRY(get(file, &entry, room_given, 3, &found));
	line_errno("stream=%s, size=3", stream(file));
	TRY(get(file, &entry, room_given, sizeof room_given, &found));
	line_errno("stream=%s, size=256", stream(file));
	say("  %d %s", found == &entry, *(char **)&entry);
	TRY(get(file, &entry, room_given, sizeof room_given, &found));
	line_as(" = 2", "stream=%s, size=256", stream(file));
	say("  %d", found == NULL);
	close_stream(file);
}

static void writing(const struct variant *variant)
{
	static char *members[] = {"she", "he", NULL};
	static const struct passwd user = {"me", "x", 1, 2, "Me", "/home/me", "/bin/sh"};
	static const struct group group = {"us", "x", 3, members};
	static const struct spwd shadow = {"me", "*", 1, 2, 3, 4, 5, 6, ~0ul};
	static const struct sgrp group_shadow = {"us", "*", members, members};
	const void *entries[] = {&user, &group, &shadow, &group_shadow};
	static const char *const symbols[] = {"putpwent", "putgrent", "putspent", "putsgent"};
	int which = 0;
	while (strcmp(symbols[which], variant->symbol) != 0)
		which++;
	int (*put)(const void *, FILE *) = use(variant->symbol, variant);
	FILE *file = open_stream("made", "w"), *read_only = open_stream("made", "r");
	TRY(put(entries[which], file));
	line("stream=%s", stream(file));
	TRY(put(entries[which], read_only));
	line("stream=%s", stream(read_only));
	close_stream(read_only);
	close_stream(file);
	say_file("made");
}

static const struct mntent mount_point = {
	"/dev/some", "/mnt/with space", "ext4", "rw,user=me", 1, 2};

static void line_mount(const struct mntent *entry, const char *arguments)
{
	line_as(entry ? " = entry" : " = end", "%s", arguments);
	if (entry)
		say("  %s %s %s", entry->mnt_fsname, entry->mnt_dir, entry->mnt_type);
}

/* All functions of mounts under their plain names, or under those with underscores. */
static void mounts(const struct variant *variant)
{
	bool inner = variant->symbol[0] == '_';
	static const struct variant read_names[] = {LINKED(getmntent_r), HIDDEN(__getmntent_r)};
	static const struct variant close_names[] = {LINKED(endmntent), HIDDEN(__endmntent)};
	struct mntent entry;
	char room_given[256];
	FILE *(*open_it)(const char *, const char *) = use("setmntent", variant);
	TRY(open_it("missing", "r"));
	line_handle("path=\"missing\", mode=\"r\"");
	FILE *table = (FILE *)TRY(open_it("mounts", inner ? "r" : "w+"));
	line_handle("path=\"mounts\", mode=\"%s\"", inner ? "r" : "w+");
	int (*add)(FILE *, const struct mntent *) =
		use("addmntent", &(struct variant)LINKED(addmntent));
	TRY(add(table, &mount_point));
	line_as(call.result ? text(" = 1 %s", strerrorname_np(call.error)) : " = 0", "stream=%s",
		stream(table));
	void (*again)(FILE *) = use("rewind", &(struct variant)LINKED(rewind));
	struct mntent *(*get)(FILE *) = getmntent;
	struct mntent *(*get_into)(FILE *, struct mntent *, char *, int) =
		use("getmntent_r", &read_names[inner]);
	for (int i = 0; i < 2; i++) {
		use("rewind", &(struct variant)LINKED(rewind));
		TRY_VOID(again(table));
		line_as("", "stream=%s", stream(table));
		for (int times = 0; times < 2; times++) {
			if (i) {
				use("getmntent_r", &read_names[inner]);
				TRY(get_into(table, &entry, room_given, sizeof room_given));
				line_mount((struct mntent *)call.result,
					   text("stream=%s, size=256", stream(table)));
			} else {
				use("getmntent", &(struct variant)LINKED(getmntent));
				TRY(get(table));
				line_mount((struct mntent *)call.result,
					   text("stream=%s", stream(table)));
			}
		}
	}
	int (*close_it)(FILE *) = use("endmntent", &close_names[inner]);
	const char *shown = stream(table);
	TRY(close_it(table));
	line("stream=%s", shown);
	say_file("mounts");
}

int main(void)
{
	put_file("fgetpwent", "me:x:1:2:Me:/home/me:/bin/sh\n");
	put_file("fgetgrent", "us:x:3:she,he\n");
	put_file("fgetspent", "me:*:1:2:3:4:5:6:\n");
	put_file("fgetsgent", "us:*:she:he\n");
	RUN(reading, LINKED(fgetpwent), LINKED(fgetgrent), LINKED(fgetspent), LINKED(fgetsgent));
	RUN(reading_into, LINKED(fgetpwent_r), LINKED(fgetgrent_r), LINKED(fgetspent_r),
	    LINKED(fgetsgent_r));
	RUN(writing, LINKED(putpwent), LINKED(putgrent), LINKED(putspent), LINKED(putsgent));
	RUN(mounts, LINKED(setmntent), HIDDEN(__setmntent));
	return 0;
}
