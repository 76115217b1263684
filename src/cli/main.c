/* Command line: finds the verb and runs it. The verbs are in the table (verbs.c); each one has a file of its own. */
#include "base/trace_files.h"
#include "cli/record/keeper.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "cli/verbs.h"
#include "sink/run/variables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char *verb_name(const void *context, size_t i)
{
	(void)context;
	return verbs[i].name;
}

/* Prints a message if a trace or a program was given in place of a verb. */
static bool file_message(const char *name)
{
	if (access(name, F_OK))
		return false;
	if (is_trace_name(name))
		message("there is no verb '%s'; for a trace: `varve info %s`", name, name);
	else
		message("there is no verb '%s'; to record a program: `varve record -- %s%s`", name,
			strchr(name, '/') ? "" : "./", name);
	return true;
}

static void no_verb_message(const char *name)
{
	for (size_t i = 0; i < absent_verbs_count; i++)
		if (!strcmp(absent_verbs[i].name, name)) {
			message("there is no verb '%s'%s; %s", name,
				absent_verbs[i].planned ? " yet" : "", absent_verbs[i].instead);
			return;
		}
	const char *near = nearest(name, verbs_count, verb_name, NULL);
	if (*name == '-')
		message("no command given before the option %s; see `varve --help` and `varve "
			"--version`",
			name);
	else if (near)
		message("there is no verb '%s'; did you mean '%s'?", name, near);
	else if (!file_message(name))
		message("there is no verb '%s'; `varve --help` lists them", name);
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < verbs_count; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	no_verb_message(name);
	return NULL;
}

/* Reports unknown variables VARVE_... */
static void variables_check(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		const char *known = variable_meant(*entry, length);
		if (known)
			note("unknown variable %.*s; did you mean %s?", (int)length, *entry, known);
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
		message("no command given; see `varve --help`");
		return EXIT_USAGE;
	}
	const char *name = words[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
		return help(count - 2, words + 2);
	if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	/* `keep` is called by the preload library only. */
	if (!strcmp(name, "keep") && count == 3)
		return keep(words[2]);
	const struct verb *verb = find_verb(name);
	if (!verb)
		return EXIT_USAGE;
	struct arguments arguments;
	int status;
	if (arguments_read(verb, count - 2, words + 2, &arguments, &status)) {
		terminal_start(&arguments);
		/* doctor prints a finding for each one. */
		if (verb->run != cmd_doctor)
			variables_check();
		status = verb->run(&arguments);
	}
	progress_end();
	output_flush();
	pager_end();
	return status;
}
