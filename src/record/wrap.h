/* Record: the path of a recorded call, inlined into every wrapper.
 *
 * The order is wrap_enter, words, wrap_reserve, wrap_begin, the real function, wrap_return, then wrap_end or wrap_fail. The thread
 * is marked as busy during the recorder's work, but not while the real function runs, so that calls made inside it are recorded.
 */
#ifndef RECORD_WRAP_H
#define RECORD_WRAP_H

#include "record/names/handles.h"
#include "record/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <wchar.h>

#define INLINE static inline __attribute__((always_inline))

/* wrap.c, name_ids.c, system.c: what the inlined path does not handle. */
struct thread *enter_slow(struct thread *self, uintptr_t frame);
bool busy_nest(struct thread *self, uintptr_t frame);
void busy_unnest(struct thread *self);
bool calls_drop(struct thread *self, uintptr_t frame);
uint64_t *return_slow(struct thread *self, struct call *call);
unsigned vfork_mark(struct thread *self);
unsigned marks_look(struct thread *self, uint16_t id, const uint64_t *words);
uint64_t word_path_slow(struct thread *self, const char *path, int dirfd);
uint64_t word_text(struct thread *self, const char *text);
/* sync_objects.c: a number for a mutex, a condition, a thread ...; 0: there is no object, or the table is full. */
uint64_t word_object(const void *object);
uint64_t word_paths(struct thread *self, char *const *paths);
uint64_t word_ioctl(struct thread *self, unsigned long request, const void *arg);
uint64_t word_wide(struct thread *self, const wchar_t *text);
uint64_t word_waited(const siginfo_t *info);
uint64_t word_vector(struct thread *self, const struct iovec *vector, int count);

/* `frame`: of the function between the program and the real function. */
INLINE struct thread *wrap_enter_at(uintptr_t frame)
{
	struct thread *self = &thread_self;
	if (UNLIKELY(self->busy))
		return enter_slow(self, frame);
	self->busy = frame;
	BARRIER();
	/* Checked after `busy` is set: if a handler forks during the recorder's work, the child gets a lane; if it forked before,
	 * `ready` differs now. */
	if (UNLIKELY(self->ready != self->pulse->alive)) {
		self->busy = 0;
		return enter_slow(self, frame);
	}
	if (UNLIKELY(self->open_count) && !calls_drop(self, frame))
		return NULL;
	if (UNLIKELY(self->lane->position > self->limit))
		lane_cut(self);
	return self;
}

INLINE struct thread *wrap_enter(void)
{
	return wrap_enter_at((uintptr_t)__builtin_frame_address(0));
}

INLINE uint64_t *wrap_reserve(struct thread *self, unsigned words)
{
	return define_reserve(self, words);
}

INLINE void busy_release(struct thread *self)
{
	BARRIER();
	if (UNLIKELY(self->nested))
		busy_unnest(self);
	else
		self->busy = 0;
}

INLINE void open_push(struct thread *self, uint32_t index, uintptr_t frame, uint64_t *slot)
{
	self->open[index] = (struct open_call){frame, slot};
	BARRIER();
	self->open_count = index + 1;
	BARRIER();
}

INLINE void wrap_begin_at(struct thread *self, struct call *call, uint64_t *slot, uint16_t id,
			  unsigned words, uintptr_t frame)
{
	uint32_t index = self->open_count;
	unsigned depth = index;
	if (UNLIKELY(self->vfork_pid | self->runtime))
		depth |= marks_look(self, id, slot + WORD_ARGUMENTS);
	call->frame = frame;
	call->slot = slot;
	call->index = index;
	call->tag = self->tag;
	/* A handler between the first two stores uses the same place for its own call. A handler after them may drop this call as
	 * one that longjmp left. So both are stored again. */
	open_push(self, index, frame, slot);
	open_push(self, index, frame, slot);
	slot[WORD_EXIT] = 0;
	slot[WORD_RESULT] = 0;
	slot[WORD_ENTRY] = clock_count(self->pulse->tsc);
	BARRIER();
	uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
	*(volatile uint64_t *)slot =
		record_header(self->tag + (uint32_t)position, id, words, depth);
	busy_release(self);
}

INLINE void wrap_begin(struct thread *self, struct call *call, uint64_t *slot, uint16_t id,
		       unsigned words)
{
	wrap_begin_at(self, call, slot, id, words, (uintptr_t)__builtin_frame_address(0));
}

/* The record to complete, or NULL. Takes the exit time first. */
INLINE uint64_t *wrap_return(struct thread *self, struct call *call)
{
	call->exit = clock_count(self->pulse->tsc);
	if (UNLIKELY(self->busy))
		return return_slow(self, call);
	self->busy = call->frame;
	BARRIER();
	if (UNLIKELY(self->ready != self->pulse->alive)) {
		self->busy = 0;
		return NULL;
	}
	uint32_t index = call->index;
	if (UNLIKELY(self->open_count != index + 1 || self->open[index].frame != call->frame))
		return return_slow(self, call);
	return self->open[index].slot;
}

INLINE void wrap_end(struct thread *self, struct call *call, uint64_t *slot, int64_t result)
{
	slot[WORD_RESULT] = (uint64_t)result;
	BARRIER();
	*(volatile uint64_t *)&slot[WORD_EXIT] = call->exit;
	self->open_count = call->index;
	busy_release(self);
}

INLINE void wrap_fail(struct thread *self, struct call *call, uint64_t *slot, int64_t result,
		      int error)
{
	slot[WORD_RESULT] = (uint64_t)error << 48 | ((uint64_t)result & 0xffffffffffffull);
	BARRIER();
	*(volatile uint64_t *)&slot[WORD_EXIT] = call->exit | EXIT_FAILED;
	self->open_count = call->index;
	busy_release(self);
}

/* Words of arguments. Those that may write definitions are made before the slot of the record is reserved. */

INLINE uint64_t word_fd(struct thread *self, int fd)
{
	uint32_t handle = handle_of(fd);
	if (LIKELY(handle && self->known->handles[handle % HANDLE_SLOTS] == handle))
		return pair_make(fd, handle);
	return handle_define_fd(self, fd);
}

INLINE uint64_t word_path(struct thread *self, const char *path)
{
	return word_path_slow(self, path, AT_FDCWD);
}

INLINE uint64_t word_path_at(struct thread *self, int dirfd, const char *path)
{
	return word_path_slow(self, path, dirfd);
}

INLINE uint64_t word_string(struct thread *self, const char *text)
{
	return word_text(self, text);
}

INLINE uint64_t word_stream(struct thread *self, FILE *stream)
{
	uint32_t handle = handle_of_pointer(stream);
	if (LIKELY(handle && self->known->handles[handle % HANDLE_SLOTS] == handle))
		return handle;
	return handle_define_pointer(self, stream, VARVE_HANDLE_STREAM);
}

INLINE uint64_t word_dir(struct thread *self, DIR *dir)
{
	uint32_t handle = handle_of_pointer(dir);
	if (LIKELY(handle && self->known->handles[handle % HANDLE_SLOTS] == handle))
		return handle;
	return handle_define_pointer(self, dir, VARVE_HANDLE_DIR);
}

INLINE uint64_t word_walk(struct thread *self, const void *walk)
{
	uint32_t handle = handle_of_pointer(walk);
	if (LIKELY(handle && self->known->handles[handle % HANDLE_SLOTS] == handle))
		return handle;
	return handle_define_pointer(self, walk, VARVE_HANDLE_DIR);
}

INLINE uint64_t word_pointer(struct thread *self, const void *pointer)
{
	return UNLIKELY(self->pulse->pointers) ? (uint64_t)(uintptr_t)pointer : 0;
}

INLINE uint64_t word_iovec(struct thread *self, const struct iovec *vector, int count)
{
	return word_vector(self, vector, count);
}

/* Whether the stream's error flag is set: then a short result is a failure, otherwise the end of the file. */
INLINE bool stream_error(FILE *stream)
{
	return stream && (stream->_flags & 0x20);
}

/* Bytes of a line that gets() has stored without its newline; at the end of the file (0x10) there was no newline. */
INLINE uint64_t line_length(const char *line, FILE *stream)
{
	return strlen(line) + !(stream && (stream->_flags & 0x10));
}

#endif
