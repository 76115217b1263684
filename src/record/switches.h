/* Record: the switch of each row, which its wrapper reads first.
 *
 * 0: the call is recorded without further checks. Any other value leads to call_switched(): rows that are off, patterns of paths, a
 * pause, a process that does not record. The table is mapped from the control page, so that it can be changed from outside.
 */
#ifndef RECORD_SWITCHES_H
#define RECORD_SWITCHES_H

#include "record/wrap.h"

extern uint8_t call_switch[SWITCHES];

enum switched {
	SWITCHED_RECORD,
	SWITCHED_PASS, /* call the real function only */
	SWITCHED_HIDE, /* run the hooks, but leave no record */
};

/* A file that a call uses. */
struct about {
	enum about_kind { ABOUT_FD, ABOUT_PATH, ABOUT_STREAM, ABOUT_DIR } kind;
	int fd; /* for a path: the folder it starts from */
	const void *pointer;
};

INLINE struct about about_fd(int fd)
{
	return (struct about){ABOUT_FD, fd, NULL};
}

INLINE struct about about_path(int dirfd, const char *path)
{
	return (struct about){ABOUT_PATH, dirfd, path};
}

INLINE struct about about_stream(const FILE *stream)
{
	return (struct about){ABOUT_STREAM, -1, stream};
}

INLINE struct about about_dir(const DIR *dir)
{
	return (struct about){ABOUT_DIR, -1, dir};
}

/* What to do with a call whose switch is not 0. `hooked`: the row has hooks, which change the recorder's tables. */
enum switched call_switched(uint16_t id, bool hooked, const struct about *about, unsigned count);

/* Before and after the real function of a call that leaves no record. wrap_reveal() returns false when nothing remains to be
 * done. */
INLINE void wrap_hide(struct thread *self, struct call *call)
{
	call->frame = (uintptr_t)__builtin_frame_address(0);
	busy_release(self);
}

bool wrap_reveal(struct thread *self, const struct call *call);

/* After a pause: makes the record of it in the lane of this thread. The thread is busy. */
void pause_record(struct thread *self);

/* From now on a child of clone() may run beside the calling thread with the same thread data, so every call of the process checks
 * which of them makes it. False: this check is not possible. */
bool switches_share(const void *stack);
/* Whether the caller is such a child, whose calls are not recorded. */
bool shared_caller(const struct thread *self);

/* As wrap_enter(), for callers that have not read a switch before. */
INLINE struct thread *checked_enter(void)
{
	if (UNLIKELY(recorder.sharing) && shared_caller(&thread_self))
		return NULL;
	return wrap_enter();
}

/* Called by start.c: maps the switches of the run, or marks that this process does not record. */
void switches_map(const struct run *run);
void switches_dead(void);

#endif
