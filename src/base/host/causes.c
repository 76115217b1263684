/* Base: the chain of causes behind a status. See status.h.
 *
 * For libraries and the command only: the preload library uses src/record/no_causes.c instead, because nothing is formatted
 * inside other programs. Nothing here prints, exits or allocates.
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

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
