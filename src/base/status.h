/* Base: statuses and the chain of causes behind one.
 *
 * Owns the status enum (from status.def) and `struct causes`, which the caller of a library function owns and
 * which collects what went wrong, innermost first. Nothing here prints, exits or allocates.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stddef.h>

enum status {
#define STATUS(name, text) STATUS_##name,
#include "base/status.def"
#undef STATUS
};

#define MUST_CHECK __attribute__((warn_unused_result))

enum { CAUSE_TEXT = 1024, CAUSE_MOST = 8 };

/* A chain of causes: `text[0]` is where it went wrong, later entries say what that stopped. */
struct causes {
	int count;
	char text[CAUSE_MOST][CAUSE_TEXT];
};

const char *status_text(enum status status);

/* Add a cause and hand `status` back, so that `return cause(causes, STATUS_DAMAGED, "...")` reads well. */
enum status cause(struct causes *causes, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Return from the calling function when `expression` is not STATUS_OK. */
#define TRY(expression)                                                                            \
	do {                                                                                       \
		enum status try_status_ = (expression);                                            \
		if (try_status_ != STATUS_OK)                                                      \
			return try_status_;                                                        \
	} while (0)

#endif
