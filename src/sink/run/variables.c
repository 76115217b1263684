/* Sink: names of variables that Varve reads. See variables.h.
 *
 * Owns the list: the settings, and the variables that Varve sets for itself. A name that is near one of them is treated as a
 * typing error. Never reads values, allocates nothing.
 */
#include "sink/run/variables.h"

#include "base/nearest.h"
#include "sink/run/settings.h"

#include <string.h>

static const char prefix[] = "VARVE_";
/* In names of at most SHORT bytes after the prefix, only one typing error counts as near, not two. */
enum { PREFIX = sizeof prefix - 1, SHORT = 5 };

/* Variables besides those of settings: what people set, and what Varve sets for itself. */
static const char *const others[] = {"VARVE_SETTINGS", "VARVE_DISABLE", "VARVE_PAGER"};
static const char *const inner[] = {"VARVE_RUN", "VARVE_LD_PRELOAD"};
enum { OTHERS = sizeof others / sizeof *others, INNER = sizeof inner / sizeof *inner };

/* The i-th variable that people set; NULL: there are no more. */
static const char *variable_at(size_t i)
{
	return i < SETTING_COUNT	    ? settings_table[i].variable
	       : i < SETTING_COUNT + OTHERS ? others[i - SETTING_COUNT]
					    : NULL;
}

static bool is_name(const char *known, const char *name, size_t length)
{
	return strlen(known) == length && !memcmp(known, name, length);
}

bool variable_known(const char *name, size_t length)
{
	for (size_t i = 0; variable_at(i); i++)
		if (is_name(variable_at(i), name, length))
			return true;
	for (size_t i = 0; i < INNER; i++)
		if (is_name(inner[i], name, length))
			return true;
	return false;
}

/* Whether it is the name of an option, written as a variable. */
static bool is_option(const char *option, const char *name, size_t length)
{
	if (strlen(option) != length - PREFIX)
		return false;
	for (size_t i = 0; option[i]; i++) {
		char upper = option[i] == '-' ? '_' : (char)(option[i] - 'a' + 'A');
		if (name[PREFIX + i] != upper)
			return false;
	}
	return true;
}

const char *variable_meant(const char *name, size_t length)
{
	if (length <= PREFIX || memcmp(name, prefix, PREFIX) != 0 || variable_known(name, length))
		return NULL;
	for (size_t i = 0; i < SETTING_COUNT; i++)
		if (is_option(settings_table[i].name, name, length))
			return settings_table[i].variable;
	/* Compared without the common prefix, which would make short names near to each other. */
	const char *rest = name + PREFIX;
	struct nearest near = {.wanted = rest, .length = length - PREFIX};
	for (size_t i = 0; variable_at(i); i++)
		nearest_offer(&near, variable_at(i) + PREFIX);
	size_t slips = near.length <= SHORT ? 1 : 2;
	return near.name && near.distance <= slips ? near.name - PREFIX : NULL;
}
