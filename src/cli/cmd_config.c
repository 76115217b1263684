/* Command line: `varve config`: prints paths and version: all of them, or the requested ones. */
#include "cli/preload_library.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_PRELOAD, PLACE_SYNC, PLACE_LANES, PLACE_VERSION, PLACES };

struct place {
	const char *name;  /* also the name of its option */
	const char *key;   /* in JSON */
	const char *value; /* NULL: not found */
	bool wanted;
};

static const char *lane_place(void)
{
	const char *set = getenv("VARVE_LANES");
	if (set)
		return set;
	return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

static void put_places_json(const struct place *places)
{
	const char *between = "{\"";
	for (int i = 0; i < PLACES; i++) {
		if (!places[i].wanted)
			continue;
		put_text(between);
		put_text(places[i].key);
		put_json_member("\":", places[i].value);
		between = ",\"";
	}
	put_text("}\n");
}

static void put_places_csv(const struct place *places)
{
	put_text("name,value\n");
	for (int i = 0; i < PLACES; i++) {
		if (!places[i].wanted)
			continue;
		put_format("%s,", places[i].name);
		if (places[i].value)
			put_csv(places[i].value, strlen(places[i].value));
		put_char('\n');
	}
}

/* `alone`: prints values without names, for scripts. */
static void put_places_text(const struct place *places, bool alone)
{
	for (int i = 0; i < PLACES; i++) {
		if (!places[i].wanted)
			continue;
		if (!alone)
			put_padded(places[i].name, -14);
		put_text(places[i].value ? places[i].value : "(not found)");
		put_char('\n');
	}
}

int cmd_config(const struct arguments *arguments)
{
	char usual[LIBRARY_PATH], sync[LIBRARY_PATH];
	bool usual_there = library_find(LIBRARY_USUAL, usual);
	bool sync_there = library_find(LIBRARY_SYNC, sync);
	struct place places[PLACES] = {
		[PLACE_PRELOAD] = {"preload", "preload", usual_there ? usual : NULL, false},
		[PLACE_SYNC] = {"preload-sync", "preload_sync", sync_there ? sync : NULL, false},
		[PLACE_LANES] = {"lanes", "lanes", lane_place(), false},
		[PLACE_VERSION] = {"version", "version", VARVE_VERSION, false},
	};
	enum output_format format = option_format(arguments);
	bool some = false;
	for (int i = 0; i < PLACES; i++) {
		places[i].wanted = option(arguments, places[i].name) != NULL;
		some |= places[i].wanted;
	}
	for (int i = 0; i < PLACES; i++)
		places[i].wanted |= !some;
	/* Without options, a missing library for layer sync is not an error. */
	bool missing = (places[PLACE_PRELOAD].wanted && !usual_there) ||
		       (some && places[PLACE_SYNC].wanted && !sync_there);
	if (missing) {
		message("config: cannot find the preload library beside this program, in its "
			"../lib or at %s; install Varve again (`cmake --install`), or move the "
			"library to one of these places",
			usual_there ? sync : usual);
		if (some)
			return EXIT_SYSTEM;
	}
	if (format == FORMAT_JSON)
		put_places_json(places);
	else if (format == FORMAT_CSV)
		put_places_csv(places);
	else
		put_places_text(places, some);
	return missing ? EXIT_SYSTEM : EXIT_YES;
}
