/* The table of verbs: everything that help, man pages and completion need of a verb or an option is there and consistent. */
#include "cli/facts.h"
#include "cli/verbs.h"
#include "unit/harness.h"

#include <stdbool.h>
#include <string.h>

static bool filled(const char *text)
{
	return text && strlen(text) > 3;
}

/* Prints the row. */
static void row(bool fine, const struct verb *verb, const struct verb_option *option)
{
	if (!CHECK(fine))
		printf("# varve %s%s%s\n", verb->name, option ? " --" : "",
		       option ? option->name : "");
}

CASE(every_verb_is_explained)
{
	for (size_t i = 0; i < verbs_count; i++) {
		const struct verb *verb = &verbs[i];
		size_t length = strlen(verb->name);
		row(filled(verb->name) && filled(verb->line) && verb->more && verb->run, verb,
		    NULL);
		row(!strncmp(verb->usage, verb->name, length) && strchr(" ", verb->usage[length]),
		    verb, NULL);
		row(strstr(verb->examples, verb->name) &&
			    verb->examples[strlen(verb->examples) - 1] == '\n',
		    verb, NULL);
		row(verb->least >= 0 && (verb->most < 0 || verb->most >= verb->least), verb, NULL);
		for (size_t k = 0; k < i; k++)
			row(strcmp(verb->name, verbs[k].name) != 0, verb, NULL);
	}
}

CASE(every_option_is_explained)
{
	for (size_t i = 0; i < verbs_count; i++)
		for (size_t k = 0; k < verb_option_count(&verbs[i]); k++) {
			const struct verb_option *option = verb_option_at(&verbs[i], k);
			row(option->name && *option->name && filled(option->help), &verbs[i],
			    option);
			row(option->value ? *option->value != 0 : !option->kind.takes, &verbs[i],
			    option);
			row(option->kind.takes != TAKES_WORD || filled(option->kind.words),
			    &verbs[i], option);
		}
}

CASE(no_option_is_hidden_by_another)
{
	for (size_t i = 0; i < verbs_count; i++)
		for (size_t k = 0; k < verb_option_count(&verbs[i]); k++) {
			const struct verb_option *option = verb_option_at(&verbs[i], k);
			row(strcmp(option->name, "help") != 0 && option->letter != 'h', &verbs[i],
			    option);
			for (size_t m = 0; m < k; m++) {
				const struct verb_option *other = verb_option_at(&verbs[i], m);
				row(strcmp(option->name, other->name) != 0, &verbs[i], option);
				row(!option->letter || option->letter != other->letter, &verbs[i],
				    option);
			}
		}
}

CASE(facts_are_explained)
{
	for (const struct fact *fact = variables; fact->name; fact++)
		CHECK(filled(fact->text));
	for (const struct fact *fact = files; fact->name; fact++)
		CHECK(filled(fact->text));
	for (const struct exit_meaning *meaning = exit_meanings; meaning->status; meaning++)
		CHECK(filled(meaning->text));
}

/* The text of each reason of a loss, and the other nouns of two words. */
static const char *const counted_texts[] = {
#define LOSS(name, text) text,
#include "codec/loss.def"
#undef LOSS
	"lane folders",
	"file calls",
	"imported functions",
	"mappings",
};

CASE(one_of_a_thing_is_singular)
{
	CHECK_STR(counted(1, "lane folders").text, "1 lane folder");
	CHECK_STR(counted(2, "lane folders").text, "2 lane folders");
	CHECK_STR(counted(0, "file calls").text, "0 file calls");
	CHECK_STR(counted(1, "processes, of two").text, "1 process, of two");
	CHECK_STR(counted(1, "losses").text, "1 loss");
	CHECK_STR(counted(1, "io_uring completions with bytes").text,
		  "1 io_uring completion with bytes");
	for (size_t i = 0; i < sizeof counted_texts / sizeof *counted_texts; i++) {
		const char *plural = counted_texts[i];
		struct counted one = counted(1, plural);
		const char *single = one.text + strlen("1 ");
		while (*single && *single == *plural)
			single++, plural++;
		/* One word ends here in the singular, and in "s" or "es" in the plural. */
		CHECK(strchr(" :,", *single));
		CHECK_STR(plural + strlen(plural) - strlen(single), single);
		CHECK(!strncmp(plural, "s", strlen(plural) - strlen(single)) ||
		      !strncmp(plural, "es", strlen(plural) - strlen(single)));
	}
}

RUN(ENTRY(one_of_a_thing_is_singular), ENTRY(every_verb_is_explained),
    ENTRY(every_option_is_explained), ENTRY(no_option_is_hidden_by_another),
    ENTRY(facts_are_explained))
