/* Record: hooks of calls on descriptors and names. See ops.h. */
#include "record/ops.h"

#include "base/sys.h"
#include "record/async/rings.h"
#include "record/inner.h"
#include "record/names/handles.h"
#include "record/names/identity.h"
#include "record/words.h"
#include "record/wrap.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Finds the file of a descriptor that was opened by this name: assumed from the last time the name was seen, or by fstat. */
static void descriptor_identify(struct thread *self, struct name_place place, int fd, long flags,
				struct fd_birth *birth)
{
	if (!(flags & (O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)))) {
		bool defined = false;
		birth->how = VARVE_IDENTITY_ASSUMED;
		if (LIKELY(name_file(self, place, &birth->file, &defined)) ||
		    (place.hash && identity_find(place, &birth->file))) {
			if (UNLIKELY(!defined))
				name_identity(self, place, birth->file, VARVE_IDENTITY_ASSUMED);
			return;
		}
	}
	struct stat found;
	if (recorder.quiet || sys_fstat(fd, &found) != 0) {
		birth->how = VARVE_IDENTITY_NONE;
		return;
	}
	birth->how = VARVE_IDENTITY_SEEN;
	birth->file = file_id_of(&found);
	if (!place.hash)
		return;
	identity_keep(place, birth->file);
	name_identity(self, place, birth->file, VARVE_IDENTITY_SEEN);
}

/* The absolute path of the folder that a relative path starts from; NULL: not known. */
static const char *folder_of(int dirfd, size_t *length)
{
	if (dirfd == AT_FDCWD) {
		const char *text = folder_text(length);
		return *length ? text : NULL;
	}
	const struct fd_entry *entry = handle_of(dirfd) ? fd_entry(dirfd) : NULL;
	*length = entry ? entry->path_length : 0;
	const char *text = *length ? fd_path_text(dirfd, entry) : NULL;
	return text && text[0] == '/' ? text : NULL;
}

uint32_t opened(struct thread *self, int fd, int dirfd, const char *path, struct name_place place,
		long flags)
{
	struct fd_birth birth = {.path = path, .origin = VARVE_ORIGIN_CALL};
	if (path)
		birth.length = place.hash ? place.length : strnlen(path, NAME_LONGEST);
	if (path && path[0] != '/') {
		birth.folder = folder_of(dirfd, &birth.folder_length);
		if (!birth.folder)
			birth.path = NULL;
	}
	descriptor_identify(self, place, fd, flags, &birth);
	return handle_new_fd(self, fd, &birth);
}

void after_open(struct thread *self, struct op *op)
{
	if (op->failed)
		return;
	int fd = (int)op->result;
	bool unnamed = (op->flags & O_TMPFILE) == O_TMPFILE;
	struct name_place place = unnamed ? (struct name_place){0} : op->place;
	op->handle = opened(self, fd, op->dirfd, unnamed ? NULL : op->path, place, op->flags);
	/* Defines what the record does not contain: a different name (a template, shared memory), or a kind other than a file. */
	const struct fd_entry *entry = fd_entry(fd);
	if (entry && op->handle && !op->hidden &&
	    (!place.hash || entry->kind != VARVE_HANDLE_FILE)) {
		handle_unmark(self, op->handle);
		handle_define_fd(self, fd);
	}
}

void before_close(struct thread *self, struct op *op)
{
	(void)self;
	/* Before the real close: afterwards the number may already be another thread's new file. */
	handle_forget_fd(op->fd);
	if (UNLIKELY(rings_count))
		ring_forget(op->fd);
}

void before_close_range(struct thread *self, struct op *op)
{
	(void)self;
	if (!(op->flags & CLOSE_RANGE_CLOEXEC))
		handle_forget_range(op->first, op->last);
	if (UNLIKELY(rings_count) && !(op->flags & CLOSE_RANGE_CLOEXEC))
		rings_forget_range(op->first, op->last);
}

void after_dup(struct thread *self, struct op *op)
{
	if (!op->failed)
		op->handle = handle_copy_fd(self, op->fd, (int)op->result);
	if (UNLIKELY(rings_count) && !op->failed)
		ring_duplicated(op->fd, (int)op->result);
}

static bool is_lock(long cmd)
{
	return cmd == F_SETLK || cmd == F_SETLKW || cmd == F_GETLK || cmd == F_OFD_SETLK ||
	       cmd == F_OFD_SETLKW || cmd == F_OFD_GETLK;
}

INNER void inner_lock(const struct flock *lock)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	if (!memory_readable(self, lock, sizeof *lock)) {
		busy_release(self);
		return;
	}
	uint64_t words[] = {(uint64_t)lock->l_type, (uint64_t)lock->l_whence,
			    (uint64_t)lock->l_start, (uint64_t)lock->l_len, (uint64_t)lock->l_pid};
	_Static_assert(WORDS_posix_lock == 5, "a lock has five words");
	inner_record(self, CALL_posix_lock, words, WORDS_posix_lock, 0);
}

void begun_fcntl(const struct op *op)
{
	if (is_lock(op->cmd))
		inner_lock((const struct flock *)op->number);
}

void returned_fcntl(const struct op *op)
{
	if ((op->cmd == F_GETLK || op->cmd == F_OFD_GETLK) && op->result == 0)
		inner_lock((const struct flock *)op->number);
}

void after_fcntl(struct thread *self, struct op *op)
{
	if (op->cmd == F_DUPFD || op->cmd == F_DUPFD_CLOEXEC)
		after_dup(self, op);
}

void after_pipe(struct thread *self, struct op *op)
{
	(void)self;
	if (op->failed)
		return;
	handle_forget_fd(op->fds[0]);
	handle_forget_fd(op->fds[1]);
}

void after_stat_fd(struct thread *self, struct op *op)
{
	if (!op->failed && op->buf)
		handle_identity(self, op->fd, op->buf);
}

/* The program itself got the status of a name: the best source for its file. */
static void name_seen(struct thread *self, const struct op *op, const struct stat *found)
{
	if (!op->place.hash || op->flags & AT_SYMLINK_NOFOLLOW)
		return;
	struct file_id known;
	bool defined = false;
	bool same = name_file(self, op->place, &known, &defined) && known.device == found->st_dev &&
		    known.inode == found->st_ino;
	if (LIKELY(same && defined))
		return;
	if (!same)
		identity_keep(op->place, file_id_of(found));
	name_identity(self, op->place, file_id_of(found), VARVE_IDENTITY_SEEN);
}

void after_stat_path(struct thread *self, struct op *op)
{
	if (!op->failed && op->buf)
		name_seen(self, op, op->buf);
}

void after_statx(struct thread *self, struct op *op)
{
	const struct statx *filled = op->buf;
	if (op->failed || !filled || !(filled->stx_mask & STATX_INO) ||
	    !(filled->stx_mask & STATX_TYPE))
		return;
	struct stat found = {0};
	found.st_dev = (dev_t)(filled->stx_dev_major & 0xfff) << 8 |
		       (filled->stx_dev_minor & 0xff) |
		       (dev_t)(filled->stx_dev_minor & ~0xffu) << 12 |
		       (dev_t)(filled->stx_dev_major & ~0xfffu) << 32;
	found.st_ino = filled->stx_ino;
	found.st_mode = filled->stx_mode;
	if (op->path && op->path[0] == 0 && op->flags & AT_EMPTY_PATH)
		handle_identity(self, op->dirfd, &found);
	else
		name_seen(self, op, &found);
}

void after_unlink(struct thread *self, struct op *op)
{
	(void)self;
	if (!op->failed)
		identity_forget_all();
}

void after_unmap(struct thread *self, struct op *op)
{
	(void)self;
	if (!op->failed)
		__atomic_fetch_add(&recorder.pages_epoch, 1, __ATOMIC_RELAXED);
}

/* MAP_FIXED replaces older mappings. */
void after_map(struct thread *self, struct op *op)
{
	if (UNLIKELY(rings_count) && !op->failed)
		ring_mapped(op->fd, (uint64_t)op->number, (const void *)(uintptr_t)op->result);
	if (op->flags & MAP_FIXED)
		after_unmap(self, op);
}

void after_chdir(struct thread *self, struct op *op)
{
	(void)self;
	if (!op->failed)
		folder_changed();
}

uint64_t word_offset_given(struct thread *self, const void *offset)
{
	int64_t copy;
	if (!offset || !memory_readable(self, offset, sizeof copy))
		return (uint64_t)INT64_MIN;
	memcpy(&copy, offset, sizeof copy);
	return (uint64_t)copy;
}
