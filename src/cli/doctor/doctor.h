/* Command line: the findings of `varve doctor`, made by the checks (doctor_*.c) and printed by the verb. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "cli/preload_library.h"

#include <stdbool.h>
#include <stddef.h>

/* BLOCKS: nothing would be recorded. LIMITS: not everything, or not as requested. NOTE: good to know. */
enum severity { SEVERITY_BLOCKS, SEVERITY_LIMITS, SEVERITY_NOTE };

enum { FINDINGS_MOST = 64, FINDING_TEXT = 1024, DOCTOR_PATH = 4096 };

struct finding {
	enum severity severity;
	const char *check; /* an identifier for programs */
	const char *why;
	const char *remedy;
	char what[FINDING_TEXT];
};

struct doctor {
	struct finding findings[FINDINGS_MOST];
	size_t count;
	const char *root; /* "": the root folder of this process */
	char library[LIBRARY_PATH];
	bool library_there;
	bool tried; /* the trial run was recorded */
};

/* `why` and `remedy` must be literals. */
void doctor_find(struct doctor *doctor, enum severity severity, const char *check, const char *why,
		 const char *remedy, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* False: the system failed; a message was printed. */
bool doctor_machine(struct doctor *doctor);
void doctor_environment(struct doctor *doctor);
void doctor_program(struct doctor *doctor, const char *name);
/* Leftover lane folders of traces that were deleted. doctor_lanes() reports them. doctor_clean() removes those without
 * records, or if `folder` is not NULL, this one with its records; it returns the exit status. */
void doctor_lanes(struct doctor *doctor);
/* Whether the path is a lane folder. */
bool doctor_is_lanes(const char *path);
int doctor_clean(const char *folder);

#endif
