/* Command line: the description of a run that `varve record` writes: key=value strings for the trace. */
#ifndef CLI_RECORD_DESCRIBE_H
#define CLI_RECORD_DESCRIBE_H

#include "base/program/executable.h"

#include <stdbool.h>
#include <stddef.h>

enum { DESCRIPTION_ROOM = 1 << 18 };

struct description {
	size_t length;
	char bytes[DESCRIPTION_ROOM];
};

/* Adds one string; if there is no room for it, it is omitted. */
void describe(struct description *description, const char *key, const char *value);

/* Program, why it cannot be recorded (if it cannot), arguments, working directory, user, kernel, launcher, job, environment
 * (secrets replaced). */
void describe_run(struct description *description, const char *program, char **words,
		  enum untraced why);

#endif
