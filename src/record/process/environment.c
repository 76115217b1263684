/* Record: hides the recorder from the program's environment, and lends that environment for a call. See environment.h. */
#include "record/process/environment.h"

#include "base/key_values.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "record/ops.h"
#include "record/process/exec_environment.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* The most variables that can be lent; a shell that starts with more is not traced. */
enum { LENT_MOST = 4096 };

/* Whether the kernel made this array: the auxiliary vector is behind it. */
static bool is_initial(char **list)
{
	uintptr_t at = (uintptr_t)list;
	return at > (uintptr_t)__builtin_frame_address(0) && at < getauxval(AT_EXECFN);
}

/* Shortens the array in place, because main() gets it as an argument, too. Some programs look for the auxiliary vector behind its
 * end: two free pointers become an entry that is ignored. */
static void list_end(char **list, size_t kept, size_t count)
{
	bool initial = is_initial(list);
	for (size_t i = kept; i < count; i++)
		list[i] = NULL;
	if (initial && count - kept == 2)
		list[kept + 1] = (char *)(uintptr_t)AT_IGNORE;
}

/* Removes the library from the text of LD_PRELOAD, in place. Returns whether anything is left. */
static bool preload_shorten(char *entry, const char *library)
{
	char shorter[2 * CONTROL_PATH];
	char *value = entry + strlen("LD_PRELOAD=");
	if (strlen(entry) >= sizeof shorter || !strstr(value, library))
		return true;
	preload_without(value, library, shorter, sizeof shorter);
	memcpy(entry, shorter, strlen(shorter) + 1);
	return *value != 0;
}

void environment_hide(const char *library)
{
	char **list = environ, *original = NULL;
	size_t kept = 0, count = environment_count(list);
	for (size_t i = 0; i < count; i++)
		if (key_value(list[i], "VARVE_LD_PRELOAD"))
			original = list[i] + strlen("VARVE_");
	for (char **at = list; at && *at; at++) {
		char *entry = *at;
		if (key_value(entry, "VARVE_LD_PRELOAD") || key_value(entry, "VARVE_RUN"))
			continue;
		/* A name may occur twice; the library is in the one that the loader uses. */
		if (key_value(entry, "LD_PRELOAD") && strstr(entry, library)) {
			if (original)
				entry = original;
			else if (!preload_shorten(entry, library))
				continue;
		}
		list[kept++] = entry;
	}
	if (kept < count)
		list_end(list, kept, count);
}

void environment_show(const char *library)
{
	static char preload[2 * CONTROL_PATH];
	for (char **at = environ; at && *at; at++)
		if (key_value(*at, "LD_PRELOAD") &&
		    preload_for_glibc(*at + strlen("LD_PRELOAD="), library, preload,
				      sizeof preload))
			*at = preload;
}

/* Values of `state`. LENT_BUSY: one thread exchanges environ or restores it. From LENT_ONCE on: lent; the number of borrowers plus
 * 1. */
enum { LENT_NOT, LENT_BUSY, LENT_ONCE, PATIENCE = 20000, NAP_NS = 50000 };

static struct {
	uint32_t state;
	bool looked; /* the shell was checked, and can be traced */
	char **own;  /* the program's array */
	char *preload;
	struct exec_environment room;
	char *list[LENT_MOST + ENVIRONMENT_MORE];
} lent;

/* Whether a shell can be started with this environment and a command of any length. The kernel's limit is a part of the stack
 * limit; what it counts besides texts and pointers fits into the margin. */
static bool list_fits(char *const *list)
{
	enum { SHARE = 4, LEAST = 128 << 10, MOST = 6 << 20, MARGIN = (128 << 10) + 4096 };
	struct rlimit stack = {0};
	size_t bytes = 0;
	if (recorder.quiet ||
	    sys6(SYS_prlimit64, 0, RLIMIT_STACK, 0, sys_address(&stack), 0, 0) < 0)
		return true;
	size_t limit = stack.rlim_cur / SHARE < MOST ? stack.rlim_cur / SHARE : MOST;
	if (limit < LEAST)
		limit = LEAST;
	for (; *list; list++)
		bytes += strlen(*list) + 1 + sizeof *list;
	/* At the smallest limit the margin alone is too large; a small environment is lent all the same. */
	return bytes < LEAST / 4 || bytes + MARGIN < limit;
}

static bool entries_exchanged(char **from, char **to)
{
	return __atomic_compare_exchange_n(&environ, &from, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Exchanges environ; false: it is unchanged. */
static bool environment_lend(void)
{
	/* Whether the shell can be traced does not change. It is checked first, because this takes most of the time, in which
	 * another thread may change the environment. */
	char *none = NULL;
	if (recorder.control->no_follow) {
		if (!environment_followed(environ))
			untraced_note(NULL, "/bin/sh", UNTRACED_NOT_FOLLOWED);
		return false;
	}
	if (!lent.looked) {
		if (environment_for(NULL, "/bin/sh", NULL, &none, lent.list, &lent.room) !=
		    lent.list)
			return false;
		lent.looked = lent.room.why == UNTRACED_NOT;
	}
	char **own = environ;
	if (environment_count(own) > LENT_MOST || (own && !list_fits(own))) {
		untraced_note(NULL, "/bin/sh", UNTRACED_ENVIRONMENT);
		return false;
	}
	lent.preload = NULL;
	for (char **entry = own; entry && *entry; entry++)
		if (key_value(*entry, "LD_PRELOAD"))
			lent.preload = *entry;
	if (environment_again(own, lent.list, &lent.room) != lent.list)
		return false;
	lent.own = own;
	if (entries_exchanged(own, lent.list))
		return true;
	untraced_note(NULL, "/bin/sh", UNTRACED_ENVIRONMENT);
	return false;
}

static void environment_nap(void)
{
	const struct timespec moment = {.tv_nsec = NAP_NS};
	if (!recorder.quiet)
		sys6(SYS_nanosleep, sys_address(&moment), 0, 0, 0, 0, 0);
}

/* Another thread needs microseconds for the exchange, or a few milliseconds on a busy machine. After a second of waiting the shell
 * starts without the recorder, which is recorded. */
static bool environment_borrow(void)
{
	for (unsigned patience = 0; patience < PATIENCE; patience++) {
		uint32_t state = __atomic_load_n(&lent.state, __ATOMIC_ACQUIRE);
		uint32_t next = state == LENT_NOT ? LENT_BUSY : state + 1;
		if (state == LENT_BUSY ||
		    !__atomic_compare_exchange_n(&lent.state, &state, next, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED)) {
			environment_nap();
			continue;
		}
		if (next != LENT_BUSY)
			return true;
		bool done = environment_lend();
		__atomic_store_n(&lent.state, done ? LENT_ONCE : LENT_NOT, __ATOMIC_RELEASE);
		return done;
	}
	untraced_note(NULL, "/bin/sh", UNTRACED_ENVIRONMENT);
	return false;
}

void shell_begin(void)
{
	if (!recorder.control || !environment_borrow())
		return;
	if (!thread_self.shells++)
		thread_self.shells_from = thread_self.open_count;
}

static bool is_lent(const char *entry)
{
	return entry == lent.room.preload || entry == lent.room.original || entry == lent.room.run;
}

/* Removes the recorder's entries from `from`; the others, with changes by other threads, go to `to`. */
static void list_take_back(char **from, char **to)
{
	size_t count = 0;
	for (; *from; from++) {
		char *entry = *from;
		if (entry == lent.room.preload && lent.preload)
			entry = lent.preload;
		else if (is_lent(entry))
			continue;
		if (to[count] != entry)
			to[count] = entry;
		count++;
	}
	if (to[count])
		to[count] = NULL;
}

static void take_back(void)
{
	if (environ == lent.list) {
		if (lent.own)
			list_take_back(lent.list, lent.own);
		entries_exchanged(lent.list, lent.own);
	}
	if (environ && environ != lent.own) {
		/* setenv() has made a new array, which has the recorder's entries. */
		list_take_back(environ, environ);
	}
}

void shell_end(void)
{
	if (!thread_self.shells)
		return;
	thread_self.shells--;
	for (;;) {
		/* Never LENT_BUSY while this thread borrows it. */
		uint32_t state = __atomic_load_n(&lent.state, __ATOMIC_ACQUIRE);
		uint32_t next = state == LENT_ONCE ? LENT_BUSY : state - 1;
		if (!__atomic_compare_exchange_n(&lent.state, &state, next, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		if (next == LENT_BUSY) {
			take_back();
			__atomic_store_n(&lent.state, LENT_NOT, __ATOMIC_RELEASE);
		}
		return;
	}
}

void shell_left(void)
{
	while (thread_self.shells)
		shell_end();
}

void environment_forked(void)
{
	if (lent.state == LENT_NOT)
		return;
	if (environ == lent.list || lent.state != LENT_BUSY)
		take_back();
	lent.state = LENT_NOT;
	thread_self.shells = 0;
}
