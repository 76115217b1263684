/* Record: hooks of calls on FILE and DIR. See ops.h. */
#include "record/ops.h"

#include "real.h"

#include "record/names/handles.h"
#include "record/wrap.h"

/* As fileno(): streams in memory have a number too, but no descriptor. */
enum { STREAM_OF_FILE = 0x2000 };

int stream_fd(const FILE *stream)
{
	return stream && stream->_flags & STREAM_OF_FILE ? stream->_fileno : -1;
}

/* A new stream or folder over a descriptor; if it was opened by a path, the descriptor gets a handle, too. */
static uint32_t stream_made(struct thread *self, const void *pointer, int fd, const char *path,
			    struct name_place place, long flags)
{
	if (!pointer)
		return 0;
	if (path && fd >= 0)
		handle_unmark(self, opened(self, fd, AT_FDCWD, path, place, flags));
	return handle_new_pointer(self, pointer, fd);
}

/* A stream whose own record does not explain it: its first use defines it. */
static uint32_t stream_made_unseen(struct thread *self, const FILE *stream)
{
	uint32_t handle =
		stream_made(self, stream, stream_fd(stream), NULL, (struct name_place){0}, 0);
	handle_unmark(self, handle);
	return handle;
}

/* fopen() may create and truncate; only "r" does not change the file. */
void after_fopen(struct thread *self, struct op *op)
{
	FILE *stream = (FILE *)(uintptr_t)op->result;
	if (op->failed)
		return;
	op->handle = op->path ? stream_made(self, stream, stream_fd(stream), op->path, op->place,
					    O_CREAT)
			      : stream_made_unseen(self, stream);
}

void after_fdopen(struct thread *self, struct op *op)
{
	FILE *stream = (FILE *)(uintptr_t)op->result;
	if (!op->failed)
		op->handle = stream_made(self, stream, op->fd, NULL, op->place, 0);
}

void before_fclose(struct thread *self, struct op *op)
{
	(void)self;
	if (!op->stream)
		return;
	handle_forget_fd(stream_fd(op->stream));
	handle_forget_pointer(op->stream);
}

void after_popen(struct thread *self, struct op *op)
{
	FILE *stream = (FILE *)(uintptr_t)op->result;
	__atomic_fetch_add(&recorder.control->children, 1, __ATOMIC_RELAXED);
	if (!op->failed)
		op->handle = stream_made_unseen(self, stream);
}

void after_opendir(struct thread *self, struct op *op)
{
	DIR *dir = (DIR *)(uintptr_t)op->result;
	if (op->failed || !dir)
		return;
	op->handle = stream_made(self, dir, real.dirfd(dir), op->path, op->place, 0);
}

void after_fdopendir(struct thread *self, struct op *op)
{
	DIR *dir = (DIR *)(uintptr_t)op->result;
	if (!op->failed)
		op->handle = stream_made(self, dir, op->fd, NULL, op->place, 0);
}

void before_closedir(struct thread *self, struct op *op)
{
	(void)self;
	if (!op->dir)
		return;
	handle_forget_fd(handle_pointer_fd(op->dir));
	handle_forget_pointer(op->dir);
}
