/* Varve: what functions of the library return, and the chain of causes behind a failure.
 *
 * Every function that can fail returns a status, VARVE_OK being 0, and takes a `struct varve_causes` that the caller owns,
 * or NULL. Set it to {0} before the first call. The library prints nothing, never exits and has no global state.
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

/* text[0] is where it went wrong, later entries say what that stopped. Causes are added, never removed. */
struct varve_causes {
	int count;
	char text[VARVE_CAUSES_MOST][VARVE_CAUSE_TEXT];
};

/* A few words for a status. Never NULL. */
const char *varve_status_text(enum varve_status status);

#ifdef __cplusplus
}
#endif

#endif
