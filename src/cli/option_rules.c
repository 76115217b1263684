/* Command line: refuses options that exclude each other, or that need another one.
 *
 * Applies the rules of the table of verbs (verbs.c). Changes no option. See verbs.h.
 */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 64 };

/* An option in a rule: its name, and its value if the rule is only about this value. */
struct named {
	char name[SHOWN];
	char *value; /* NULL: any */
	char shown[SHOWN + 4];
};

static const char *named_read(const char *text, struct named *named)
{
	size_t length = strcspn(text, " ");
	snprintf(named->name, sizeof named->name, "%.*s", (int)length, text);
	snprintf(named->shown, sizeof named->shown, "--%s", named->name);
	named->value = strchr(named->name, '=');
	if (named->value) {
		*strchr(named->shown, '=') = ' ';
		*named->value++ = 0;
	}
	return text + length + (text[length] == ' ');
}

static bool is_set(const struct named *named, const char *value)
{
	return value && (!named->value || !strcmp(value, named->value));
}

static bool excluded(const struct arguments *arguments, const struct named *option,
		     const struct named *other, const char *why)
{
	message("%s: %s cannot be used with %s: %s; remove one of them", arguments->verb->name,
		option->shown, other->shown, why);
	return false;
}

/* A rule that excludes is symmetric: one option is on the command line, the other one can be set elsewhere. */
static bool rule_holds(const struct arguments *arguments, const struct option_rule *rule,
		       const char *(*value_of)(const void *context, const char *name),
		       const void *context)
{
	struct named option_named, other;
	named_read(rule->option, &option_named);
	bool given = is_set(&option_named, option(arguments, option_named.name));
	bool set = is_set(&option_named, value_of(context, option_named.name));
	if (!given && (!set || rule->rule == RULE_NEEDS))
		return true;
	for (const char *at = rule->others; *at;) {
		at = named_read(at, &other);
		bool other_set = is_set(&other, value_of(context, other.name));
		if (rule->rule == RULE_NEEDS && other_set)
			return true;
		if (rule->rule == RULE_EXCLUDES && other_set &&
		    (given || is_set(&other, option(arguments, other.name))))
			return excluded(arguments, &option_named, &other, rule->why);
	}
	if (rule->rule == RULE_EXCLUDES)
		return true;
	named_read(rule->others, &other);
	message("%s: %s needs %s: %s; add %s, or remove %s", arguments->verb->name,
		option_named.shown, other.shown, rule->why, other.shown, option_named.shown);
	return false;
}

bool options_agree(const struct arguments *arguments,
		   const char *(*value_of)(const void *context, const char *name),
		   const void *context)
{
	const struct option_rule *rules = arguments->verb->rules;
	for (size_t i = 0; i < VERB_RULES_MOST && rules[i].rule != RULE_END; i++)
		if (!rule_holds(arguments, &rules[i], value_of, context))
			return false;
	return true;
}
