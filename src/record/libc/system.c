/* Record: hooks of calls that are not about files: descriptors of other things, terminals, walks, the root. See ops.h. */
#include "record/ops.h"

#include "record/names/handles.h"
#include "record/names/identity.h"
#include "record/wrap.h"

#include <linux/fs.h>
#include <linux/nsfs.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

/* A descriptor that was not opened by a path: its kind is read from the kernel and defined, because the record does not contain
 * it. */
static uint32_t made_descriptor(struct thread *self, int fd)
{
	uint32_t handle = opened(self, fd, AT_FDCWD, NULL, (struct name_place){0}, O_CREAT);
	if (!handle)
		return 0;
	handle_unmark(self, handle);
	handle_define_fd(self, fd);
	return handle;
}

void after_make(struct thread *self, struct op *op)
{
	if (!op->failed)
		op->handle = made_descriptor(self, (int)op->result);
}

/* These requests return a descriptor. */
void after_ioctl(struct thread *self, struct op *op)
{
	uint32_t request = (uint32_t)op->cmd;
	if (!op->failed &&
	    (request == TIOCGPTPEER || request == NS_GET_USERNS || request == NS_GET_PARENT))
		op->handle = made_descriptor(self, (int)op->result);
}

/* The word of the third argument of ioctl, depending on the request: 0, a number, the number at an address, or the address. */
uint64_t word_ioctl(struct thread *self, unsigned long request, const void *arg)
{
	/* The kernel uses only the lower half; programs that keep the request in an int extend its sign. */
	switch ((uint32_t)request) {
	case TIOCEXCL:
	case TIOCNXCL:
	case TIOCNOTTY:
	case TIOCCONS:
	case TIOCSBRK:
	case TIOCCBRK:
	case TIOCVHANGUP:
	case FIOCLEX:
	case FIONCLEX:
	case BLKRRPART:
	case BLKFLSBUF:
	case NS_GET_USERNS:
	case NS_GET_PARENT:
	case NS_GET_NSTYPE:
		return 0;
	case TCSBRK:
	case TCSBRKP:
	case TCXONC:
	case TCFLSH:
	case TIOCSCTTY:
	case TIOCMIWAIT:
	case TIOCGPTPEER:
	case FICLONE:
		return (uint64_t)(int)(intptr_t)
			arg; /* passed as an int: the rest of the word is undefined */
	case FIONBIO:
	case FIOASYNC:
	case FIOSETOWN:
	case TIOCSPTLCK:
	case TIOCPKT:
	case TIOCSPGRP:
	case TIOCSETD:
	case BLKROSET:
		return arg && memory_readable(self, arg, sizeof(int))
			       ? (uint64_t) * (const int *)arg
			       : 0;
	default:
		return word_pointer(self, arg);
	}
}

/* The terminal becomes the standard streams; its own descriptor is closed. */
void after_login_tty(struct thread *self, struct op *op)
{
	if (op->failed)
		return;
	for (int fd = 0; fd <= 2; fd++)
		handle_unmark(self, handle_copy_fd(self, op->fd, fd));
	if (op->fd > 2)
		handle_forget_fd(op->fd);
}

/* Every name may mean another file from now on. */
void after_chroot(struct thread *self, struct op *op)
{
	(void)self;
	if (op->failed)
		return;
	identity_forget_all();
	folder_changed();
}

/* wordexp() may run a shell. */
void before_expand(struct thread *self, struct op *op)
{
	(void)self;
	(void)op;
	__atomic_fetch_add(&recorder.control->children, 1, __ATOMIC_RELAXED);
}

uint64_t word_paths(struct thread *self, char *const *paths)
{
	if (!paths || !memory_readable(self, paths, sizeof *paths))
		return 0;
	return word_path(self, paths[0]);
}

void after_fts_open(struct thread *self, struct op *op)
{
	const void *walk = (const void *)(uintptr_t)op->result;
	if (!op->failed && walk)
		op->handle = handle_new_pointer(self, walk, -1);
}

void before_fts_close(struct thread *self, struct op *op)
{
	(void)self;
	if (op->walk)
		handle_forget_pointer(op->walk);
}
