/* Varve: reading traces: everything but what marks or controls a program from inside (<varve/control.h>). */
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
