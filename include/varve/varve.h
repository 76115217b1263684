/* Varve: includes all headers for reading traces. A program that controls its own recording includes <varve/control.h> or
 * <varve/region.h> instead. */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H

#include <varve/codecs.h>
#include <varve/cursor.h>
#include <varve/definitions.h>
#include <varve/filter.h>
#include <varve/status.h>
#include <varve/summary.h>
#include <varve/trace.h>

#endif
