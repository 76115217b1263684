/* Command line: writes the description of a run. See describe.h. Start must be fast: no look-ups that may use a network. */
#include "cli/record/describe.h"

#include "base/key_values.h"
#include "base/program/launchers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

void describe(struct description *description, const char *key, const char *value)
{
	struct key_values list = {description->bytes, description->length, DESCRIPTION_ROOM};
	key_values_add(&list, key, value);
	description->length = list.length;
}

/* Whether the name of a variable indicates a secret value. */
static bool is_secret_name(const char *name, size_t length)
{
	static const char *const words[] = {"KEY",  "TOKEN", "SECRET", "PASS",
					    "CRED", "AUTH",  "COOKIE", "SESSION"};
	char upper[256];
	if (length >= sizeof upper)
		return true;
	for (size_t i = 0; i < length; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	upper[length] = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(upper, words[i]))
			return true;
	return false;
}

/* A value such as https://user:password@host is a secret under any name. */
static bool holds_password(const char *value)
{
	const char *scheme = strstr(value, "://");
	const char *at = scheme ? strchr(scheme, '@') : NULL;
	return at && memchr(scheme + 3, ':', (size_t)(at - scheme - 3));
}

static void describe_environment(struct description *description)
{
	for (char **variable = environ; variable && *variable; variable++) {
		const char *equals = strchr(*variable, '=');
		if (!equals)
			continue;
		size_t length = (size_t)(equals - *variable);
		char key[256 + 8];
		if (length >= 256)
			continue;
		snprintf(key, sizeof key, "env.%.*s", (int)length, *variable);
		describe(description, key,
			 is_secret_name(*variable, length) || holds_password(equals + 1)
				 ? "(redacted)"
				 : equals + 1);
	}
}

void describe_run(struct description *description, const char *program, char **words,
		  enum untraced why)
{
	char text[4096];
	struct utsname name;
	describe(description, "program", program);
	snprintf(text, sizeof text, "%d", (int)getpid());
	describe(description, "collector", text);
	if (why != UNTRACED_NOT) {
		snprintf(text, sizeof text, "%u", (unsigned)why);
		describe(description, "untraced", text);
	}
	for (; *words; words++)
		describe(description, "argument", *words);
	if (getcwd(text, sizeof text))
		describe(description, "cwd", text);
	const char *user = getenv("USER") ? getenv("USER") : getenv("LOGNAME");
	if (user)
		describe(description, "user", user);
	snprintf(text, sizeof text, "%u", (unsigned)getuid());
	describe(description, "uid", text);
	if (!uname(&name)) {
		snprintf(text, sizeof text, "%.64s %.64s %.64s", name.sysname, name.release,
			 name.machine);
		describe(description, "kernel", text);
	}
	if (launcher_rank(getenv))
		describe(description, "rank", launcher_rank(getenv));
	if (launcher_batch_job(getenv))
		describe(description, "job", launcher_batch_job(getenv));
	describe_environment(description);
}
