/* Command line: parts of a printed call that text, JSON and CSV share. Only for print_*.c; no stdio: it is on the hot path
 * of `dump`. */
#ifndef CLI_PRINT_VALUES_H
#define CLI_PRINT_VALUES_H

#include "cli/print.h"

enum { FD_CWD = -100 };

/* The kind with this number, or one that is written as a plain number. */
const struct varve_kind *kind_at(const struct trace *trace, uint32_t kind);
const struct varve_kind *result_kind(const struct trace *trace, const struct trace_call *call);

/* Values that are written alike in every format. */
void put_plain(const struct varve_kind *kind, uint64_t value);

/* Whether a field has a value: outputs only when the call returned and did not fail. */
bool has_value(const struct record *record, const struct varve_field *field);

/* The name in a field, also one that was learned when the call returned. */
struct varve_text name_text(const struct trace_call *call, const struct varve_field *field);

/* The handle in a word of this style, or 0. */
uint32_t handle_of(enum varve_style style, uint64_t word);

void put_function(const struct trace_call *call);
const char *layer_name(const struct trace *trace, const struct trace_call *call);

/* The errno of a failed call by name, else by number; nothing when it set none. */
void put_errno(const struct record *record);

/* "name=value, ..." */
void put_arguments(const struct trace *trace, struct trace_call *call);

int64_t entry_ns(const struct trace_call *call);
int64_t duration_ns(const struct trace_call *call);

#endif
