/* Varve: the statuses that functions of the library return, and the list of causes of a failure.
 *
 * Every function that can fail returns a status; VARVE_OK is 0. It also takes a `struct varve_causes` that the caller
 * owns, or NULL. Set it to {0} before the first call. The library prints nothing, never exits and has no global state.
 */
#ifndef VARVE_STATUS_H
#define VARVE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum varve_status {
#define VARVE_STATUS(name, text) VARVE_##name,
#include <varve/status.def>
#undef VARVE_STATUS
};

enum { VARVE_CAUSE_TEXT = 1024, VARVE_CAUSES_MOST = 8 };

/* text[0] is the first cause, the later entries are its consequences. Functions add causes and never remove them. */
struct varve_causes {
	int count;
	char text[VARVE_CAUSES_MOST][VARVE_CAUSE_TEXT];
};

/* A short text for a status. Never NULL. */
const char *varve_status_text(enum varve_status status);

#ifdef __cplusplus
}
#endif

#endif
