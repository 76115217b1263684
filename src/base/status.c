/* Base: texts of statuses. See status.h; causes: causes.c. */
#include "base/status.h"

const char *status_text(enum varve_status status)
{
	static const char *const texts[] = {
#define VARVE_STATUS(name, text) text,
#include <varve/status.def>
#undef VARVE_STATUS
	};
	size_t at = (size_t)status;
	return at < sizeof texts / sizeof *texts ? texts[at] : "unknown status";
}
