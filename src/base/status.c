/* Base: texts of statuses and the chain of causes. See status.h. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *status_text(enum status status)
{
	static const char *const texts[] = {
#define VARVE_STATUS(name, text) text,
#include <varve/status.def>
#undef VARVE_STATUS
	};
	size_t at = (size_t)status;
	return at < sizeof texts / sizeof *texts ? texts[at] : "unknown status";
}

void cause_add(struct varve_causes *causes, const char *format, ...)
{
	if (!causes || causes->count >= VARVE_CAUSES_MOST)
		return;
	va_list list;
	va_start(list, format);
	vsnprintf(causes->text[causes->count], VARVE_CAUSE_TEXT, format, list);
	va_end(list);
	causes->count++;
}
