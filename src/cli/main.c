/* Command line: finds the verb and runs it. Everything else is in the table (verbs.c) and in one file per verb. */
#include "cli/record/keeper.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "cli/verbs.h"
#include "sink/run/variables.h"

#include <stdio.h>
#include <string.h>

extern char **environ;

static const char *verb_name(const void *context, size_t i)
{
	(void)context;
	return verbs[i].name;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < verbs_count; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	const char *near = nearest(name, verbs_count, verb_name, NULL);
	if (near)
		message("there is no verb '%s'; did you mean '%s'?", name, near);
	else
		message("there is no verb '%s'; `varve --help` lists them", name);
	return NULL;
}

/* Variables that were meant for us, and mean nothing. */
static void variables_check(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		const char *meant = variable_meant(*entry, length);
		if (meant)
			note("unknown variable %.*s; did you mean %s?", (int)length, *entry, meant);
	}
}

static int help(int count, char **words)
{
	const struct verb *verb = count ? find_verb(words[0]) : NULL;
	if (count && !verb)
		return EXIT_USAGE;
	if (verb)
		print_verb_help(verb);
	else
		print_help();
	output_flush();
	return EXIT_YES;
}

int main(int count, char **words)
{
	if (count < 2) {
		message("what shall I do? `varve --help` lists the verbs");
		return EXIT_USAGE;
	}
	const char *name = words[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
		return help(count - 2, words + 2);
	if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	/* The preload library calls it, not people. */
	if (!strcmp(name, "keep") && count == 3)
		return keep(words[2]);
	const struct verb *verb = find_verb(name);
	if (!verb)
		return EXIT_USAGE;
	struct arguments arguments;
	int status;
	if (arguments_read(verb, count - 2, words + 2, &arguments, &status)) {
		bool started = terminal_start(&arguments);
		/* Doctor has a finding for each. */
		if (started && verb->run != cmd_doctor)
			variables_check();
		status = started ? verb->run(&arguments) : verb->failure;
	}
	progress_end();
	output_flush();
	pager_end();
	return status;
}
