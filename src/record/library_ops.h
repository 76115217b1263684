/* Record: hooks of library functions: what their calls mean. See library.h; named in calls/kinds_library.calls.
 *
 * `before` and `after` run as our own work: raw system calls only, nothing that prints or allocates. They may call functions
 * of the same library, which are not recorded then, as long as the program cannot notice: nothing that fails, prints, or
 * changes what the library would tell the program next.
 */
#ifndef RECORD_LIBRARY_OPS_H
#define RECORD_LIBRARY_OPS_H

#include "record/library.h"

#endif
