/* Trace: names of values that are not in the tables of a trace. See value_words.h.
 *
 * The names are those of Linux on x86-64, where every trace is recorded. They are not in the tables of a trace to keep
 * small traces small.
 */
#include "trace/names/value_words.h"

#include "trace/names/errno_names.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *const syscalls[] = {
#define SYSCALL(number, name) [number] = #name,
#include "trace/names/syscall_names.def"
#undef SYSCALL
};

static const char *const prctls[] = {
#define PRCTL(number, name) [number] = #name,
#include "trace/names/prctl_names.def"
#undef PRCTL
};

/* Names of the values of a kind, from 0. */
static const struct value_list {
	const char *kind;
	const char *const *names;
	size_t count;
} lists[] = {
	{"syscall_number", syscalls, sizeof syscalls / sizeof *syscalls},
	{"prctl_option", prctls, sizeof prctls / sizeof *prctls},
};

/* Names of values that are far apart. */
struct named_code {
	int64_t value;
	const char *name;
};

static const struct named_code ioctls[] = {
#define IOCTL(number, name) {number, #name},
#include "trace/names/ioctl_names.def"
#undef IOCTL
};

static const struct named_code netcdf_errors[] = {
#define NETCDF_ERROR(number, name) {number, #name},
#include "trace/names/netcdf_errors.def"
#undef NETCDF_ERROR
};

static const struct code_list {
	const char *kind;
	const struct named_code *codes;
	size_t count;
	bool errors; /* positive values are errno values */
} code_lists[] = {
	{"ioctl_request", ioctls, sizeof ioctls / sizeof *ioctls, false},
	{"nc_result", netcdf_errors, sizeof netcdf_errors / sizeof *netcdf_errors, true},
};

/* Kinds that count units of time. */
static const struct unit {
	const char *kind;
	int64_t ns;
} units[] = {{"milliseconds", 1000000}, {"nanoseconds", 1}};

enum { SIGNALS = 65, STATUS_MOST = 255 };

static const struct value_list *list_of(const struct varve_kind *kind)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(lists[i].kind, kind->name))
			return &lists[i];
	return NULL;
}

static const struct code_list *codes_of(const struct varve_kind *kind)
{
	for (size_t i = 0; i < sizeof code_lists / sizeof *code_lists; i++)
		if (!strcmp(code_lists[i].kind, kind->name))
			return &code_lists[i];
	return NULL;
}

const char *value_name(const struct varve_kind *kind, uint64_t value)
{
	const struct value_list *list = list_of(kind);
	const struct code_list *codes = list ? NULL : codes_of(kind);
	if (list)
		return value < list->count ? list->names[value] : NULL;
	for (size_t i = 0; codes && i < codes->count; i++)
		if (codes->codes[i].value == (int64_t)value)
			return codes->codes[i].name;
	return codes && codes->errors && (int64_t)value > 0 && value <= INT32_MAX
		       ? errno_name((int)value)
		       : NULL;
}

int64_t value_unit(const struct varve_kind *kind)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(units[i].kind, kind->name))
			return units[i].ns;
	return 0;
}

static bool value_digits(const char *text, uint64_t most, uint64_t *value)
{
	if (!*text || strlen(text) > 3 || strspn(text, "0123456789") != strlen(text))
		return false;
	*value = strtoul(text, NULL, 10);
	return *value <= most;
}

static bool signal_number(const char *text, uint64_t *value)
{
	if (!strncmp(text, "SIG", 3))
		for (int i = 1; i < SIGNALS; i++) {
			const char *name = sigabbrev_np(i);
			if (name && !strcmp(name, text + 3)) {
				*value = (uint64_t)i;
				return true;
			}
		}
	return value_digits(text, SIGNALS - 1, value);
}

bool value_of_words(const struct varve_kind *kind, const char *text, uint64_t *value)
{
	const struct value_list *list = list_of(kind);
	for (size_t i = 0; list && i < list->count; i++)
		if (list->names[i] && !strcmp(list->names[i], text)) {
			*value = i;
			return true;
		}
	const struct code_list *codes = codes_of(kind);
	for (size_t i = 0; codes && i < codes->count; i++)
		if (!strcmp(codes->codes[i].name, text)) {
			*value = (uint64_t)codes->codes[i].value;
			return true;
		}
	if (list || strcmp(kind->name, "wait_status") != 0)
		return false;
	if (!strncmp(text, "exit ", 5) && value_digits(text + 5, STATUS_MOST, value)) {
		*value <<= 8;
		return true;
	}
	return !strncmp(text, "signal ", 7) && signal_number(text + 7, value);
}
