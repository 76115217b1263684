/* Base: statuses, and the chain of causes behind a status.
 *
 * Owns the internal status enum, made from the same list as the public one, and the functions that add to a chain of causes,
 * which belongs to the caller of a library function. Nothing here prints, exits or allocates.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <varve/status.h>

#include <stddef.h>

#define MUST_CHECK __attribute__((warn_unused_result))

const char *status_text(enum varve_status status);

void cause_add(struct varve_causes *causes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a cause and returns `status`, for `return cause(causes, VARVE_DAMAGED, "...")`. A macro, so that analyzers, which read
 * one file at a time, can see which status it is. */
#define cause(causes, which, ...)                                                                  \
	({                                                                                         \
		enum varve_status cause_status_ = (which);                                         \
		cause_add((causes), __VA_ARGS__);                                                  \
		cause_status_;                                                                     \
	})

/* Returns from the calling function if `expression` is not VARVE_OK. */
#define TRY(expression)                                                                            \
	do {                                                                                       \
		enum varve_status try_status_ = (expression);                                      \
		if (try_status_ != VARVE_OK)                                                       \
			return try_status_;                                                        \
	} while (0)

#endif
