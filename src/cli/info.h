/* Command line: the three forms of `varve info`. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "trace/objects.h"
#include "trace/summary.h"

struct info {
	struct trace *trace;
	struct summary summary;
	struct trace_objects objects; /* none when quick */
	bool quick;
};

/* A value of the run's description, or NULL. */
const char *info_value(const struct info *info, const char *key);

/* Wall time of the run in ns: until it ended where that is known, else until the last record. */
int64_t info_duration(const struct info *info);

void info_text(const struct info *info);
void info_json(const struct info *info);
void info_csv(const struct info *info);

/* What cannot be in the trace; parts of the forms above. */
void info_unseen_text(const struct info *info);
void info_unseen_json(const struct info *info);

#endif
