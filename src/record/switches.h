/* Record: the switch of each row, which its wrapper looks at first.
 *
 * 0 is the straight way. Anything else leads to call_switched(): rows that are off, patterns of paths, a pause, a process
 * that does not record. The table is mapped from the control page, so that it can be changed from outside.
 */
#ifndef RECORD_SWITCHES_H
#define RECORD_SWITCHES_H

#include "record/wrap.h"

extern uint8_t call_switch[SWITCHES];

enum switched {
	SWITCHED_RECORD,
	SWITCHED_PASS, /* straight to the real function */
	SWITCHED_HIDE, /* with its hooks, but without a record */
};

/* A file that a call names. */
struct about {
	enum about_kind { ABOUT_FD, ABOUT_PATH, ABOUT_STREAM, ABOUT_DIR } kind;
	int fd; /* of a path: the folder */
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

/* What to do with a call whose switch is not 0. `hooked`: it changes our tables. */
enum switched call_switched(uint16_t id, bool hooked, const struct about *about, unsigned count);

/* Before the real function of a call that leaves no record, and after it: false: there is nothing to do any more. */
INLINE void wrap_hide(struct thread *self, struct call *call)
{
	call->frame = (uintptr_t)__builtin_frame_address(0);
	busy_release(self);
}

bool wrap_reveal(struct thread *self, const struct call *call);

/* After a pause: records in the lane of this thread that recording goes on. Own work. */
void pause_record(struct thread *self);

/* From now on a child of clone() may run on the data of the calling thread, beside it: each call of the process looks at who
 * makes it. False: that cannot be had any more. */
bool switches_share(const void *stack);
/* Whether the caller is such a child: nothing of its calls is recorded. */
bool shared_caller(const struct thread *self);

/* As wrap_enter(), where no switch was looked at before. */
INLINE struct thread *checked_enter(void)
{
	if (UNLIKELY(recorder.sharing) && shared_caller(&thread_self))
		return NULL;
	return wrap_enter();
}

/* start.c: maps the switches of the run, or marks that this process does not record. */
void switches_map(const struct run *run);
void switches_dead(void);

#endif
