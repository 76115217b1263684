/* Base: statuses and the chain of causes behind one.
 *
 * Owns the status enum inside the project, made from the same list as the public one, and what adds to a chain of
 * causes, which the caller of a library function owns. Nothing here prints, exits or allocates.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <varve/status.h>

#include <stddef.h>

enum status {
#define VARVE_STATUS(name, text) STATUS_##name,
#include <varve/status.def>
#undef VARVE_STATUS
};

#define MUST_CHECK __attribute__((warn_unused_result))

const char *status_text(enum status status);

/* Add a cause and hand `status` back, so that `return cause(causes, STATUS_DAMAGED, "...")` reads well. */
enum status cause(struct varve_causes *causes, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Return from the calling function when `expression` is not STATUS_OK. */
#define TRY(expression)                                                                            \
	do {                                                                                       \
		enum status try_status_ = (expression);                                            \
		if (try_status_ != STATUS_OK)                                                      \
			return try_status_;                                                        \
	} while (0)

#endif
