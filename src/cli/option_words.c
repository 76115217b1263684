/* Command line: values of options that take one of a few words: what the words are, and which one a wrong value is most similar to.
 *
 * The words stand in the table of verbs. arguments.c checks options and operands with them; record/run_settings.c names the place
 * where a setting was set. See verbs.h.
 */
#include "base/nearest.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

/* The next of the words that `*at` lists. Its length; 0: there is none. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

bool word_among(const char *words, const char *value)
{
	size_t length;
	for (const char *at = words; (length = next_word(&at)); at += length)
		if (strlen(value) == length && !memcmp(at, value, length))
			return true;
	return false;
}

void word_message(const struct verb *verb, const char *where, const char *words, const char *value)
{
	char names[128], list[160] = "";
	struct nearest near = {.wanted = value, .length = strlen(value)};
	size_t length, used = 0, listed = 0;
	for (const char *at = words; (length = next_word(&at)); at += length) {
		const char *rest = at + length;
		bool more = next_word(&rest) > 0, first = at == words;
		char *name = names + used;
		used += (size_t)snprintf(name, sizeof names - used, "%.*s", (int)length, at) + 1;
		nearest_offer(&near, name);
		listed += (size_t)snprintf(list + listed, sizeof list - listed, "%s%s",
					   first  ? ""
					   : more ? ", "
						  : " or ",
					   name);
	}
	message("%s: %s must be %s, not '%s'%s%s%s", verb->name, where, list, value,
		near.name ? "; did you mean '" : "", near.name ? near.name : "",
		near.name ? "'?" : "");
}
