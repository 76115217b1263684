/* Record: the handles of descriptors, FILEs and DIRs. See handles.h. */
#include "record/names/handles.h"

#include "base/sys.h"
#include "base/text.h"
#include "record/names/identity.h"
#include "record/process/vfork_tables.h"
#include "record/wrap.h"

#include <string.h>
#include <unistd.h>

struct handle_tables handles;

enum varve_handle_kind handle_kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return VARVE_HANDLE_FILE;
	case S_IFDIR:
		return VARVE_HANDLE_FOLDER;
	case S_IFSOCK:
		return VARVE_HANDLE_SOCKET;
	case S_IFIFO:
		return VARVE_HANDLE_PIPE;
	case S_IFCHR:
	case S_IFBLK:
		return VARVE_HANDLE_DEVICE;
	case 0:
		return VARVE_HANDLE_ANONYMOUS;
	default:
		return VARVE_HANDLE_UNKNOWN;
	}
}

/* The entry of a descriptor; makes its chunk when it is the first one there. */
static struct fd_entry *entry_make(int fd)
{
	if ((unsigned)fd >= FD_CHUNK * FD_CHUNKS)
		return NULL;
	struct fd_entry **chunk = &handles.chunk[(unsigned)fd / FD_CHUNK];
	if (!*chunk) {
		if (recorder.quiet)
			return NULL;
		struct fd_entry *made = sys_memory(FD_CHUNK * sizeof *made), *none = NULL;
		if (!made)
			return NULL;
		if (!__atomic_compare_exchange_n(chunk, &none, made, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			sys_munmap(made, FD_CHUNK * sizeof *made);
	}
	return fd_entry(fd);
}

/* A vfork child uses its parent's table. */
static void fd_changes(int fd)
{
	struct thread *self = &thread_self;
	if (UNLIKELY(self->vfork_pid) && vfork_mark(self))
		vfork_tables_save(self, fd);
}

uint32_t handle_next(void)
{
	return __atomic_add_fetch(&recorder.next_handle, 1, __ATOMIC_RELAXED);
}

static void known_mark(struct thread *self, uint32_t handle)
{
	self->known->handles[handle % HANDLE_SLOTS] = handle;
}

/* Where a path of this length is stored; NULL: nowhere. A vfork child stores no long path, because only the entry is restored after
 * it. */
static char *fd_path_room(struct thread *self, int fd, struct fd_entry *entry, size_t length)
{
	if (LIKELY(length <= FD_PATH))
		return entry->path;
	char **longer = &handles.longer[(unsigned)fd / FD_CHUNK], *none = NULL;
	if (length > FD_PATH_LONG || (self->vfork_pid && vfork_mark(self)))
		return NULL;
	if (!*longer) {
		size_t size = (size_t)FD_CHUNK * FD_PATH_LONG;
		char *made = recorder.quiet ? NULL : sys_memory(size);
		if (!made)
			return NULL;
		if (!__atomic_compare_exchange_n(longer, &none, made, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			sys_munmap(made, size);
	}
	return *longer + (unsigned)fd % FD_CHUNK * FD_PATH_LONG;
}

static void fd_path_put(struct thread *self, int fd, struct fd_entry *entry,
			const struct fd_birth *birth)
{
	size_t folder = birth->folder_length;
	/* The path of the root ends in its slash. */
	size_t given = folder > 1 ? folder + 1 : folder, length = given + birth->length;
	char *path = birth->path && birth->length && folder <= NAME_LONGEST
			     ? fd_path_room(self, fd, entry, length)
			     : NULL;
	entry->path_length = 0;
	if (!path)
		return;
	if (folder) {
		memcpy(path, birth->folder, folder);
		path[given - 1] = '/';
	}
	memcpy(path + given, birth->path, birth->length);
	BARRIER();
	entry->given = (uint16_t)given;
	entry->path_length = (uint16_t)length;
}

/* The number means another file now: a stream over it gets another handle at its next use. */
static void streams_change(struct thread *self, int fd)
{
	for (size_t i = 0; i < POINTER_SLOTS; i++) {
		struct pointer_entry *entry = &handles.pointers[i];
		const FILE *stream = (const FILE *)entry->pointer;
		if (stream && entry->fd == fd && memory_readable(self, stream, sizeof *stream) &&
		    stream_fd(stream) == fd)
			entry->pointer = 0;
	}
}

uint32_t handle_new_fd(struct thread *self, int fd, const struct fd_birth *birth)
{
	fd_changes(fd);
	/* A new descriptor has the number of an open stream only if the program closed the descriptor of that stream; this is usual
	 * for standard streams only. */
	if (UNLIKELY(fd <= STDERR_FILENO))
		streams_change(self, fd);
	struct fd_entry *entry = entry_make(fd);
	if (!entry) {
		loss_count(LOSS_UNTRACKED, 1);
		return 0;
	}
	handles.of_fd[fd] = 0;
	entry->handle = 0;
	entry->kind = (uint8_t)birth->file.kind;
	entry->how = (uint8_t)birth->how;
	entry->origin = (uint8_t)birth->origin;
	entry->verdict = VERDICT_UNKNOWN;
	entry->device = birth->file.device;
	entry->inode = birth->file.inode;
	fd_path_put(self, fd, entry, birth);
	uint32_t handle = handle_next();
	entry->handle = handle;
	__atomic_store_n(&handles.of_fd[fd], handle, __ATOMIC_RELEASE);
	known_mark(self, handle);
	return handle;
}

uint32_t handle_copy_fd(struct thread *self, int from, int to)
{
	fd_changes(to);
	if (from != to)
		streams_change(self, to);
	const struct fd_entry *old = fd_entry(from);
	struct fd_entry *entry = entry_make(to);
	if (!entry) {
		loss_count(LOSS_UNTRACKED, 1);
		return 0;
	}
	if (!old || !handle_of(from)) {
		handles.of_fd[to] = 0;
		return 0;
	}
	if (from == to)
		return handle_of(from);
	struct fd_entry copy = *old;
	uint32_t handle = handle_next();
	handles.of_fd[to] = 0;
	copy.origin = VARVE_ORIGIN_DUPLICATE;
	copy.handle = handle;
	*entry = copy;
	if (UNLIKELY(copy.path_length > FD_PATH)) {
		char *path = fd_path_room(self, to, entry, copy.path_length);
		if (path)
			memcpy(path, fd_path_text(from, &copy), copy.path_length);
		else
			entry->path_length = 0;
	}
	__atomic_store_n(&handles.of_fd[to], handle, __ATOMIC_RELEASE);
	known_mark(self, handle);
	return handle;
}

/* Status and path of a descriptor, from the kernel; false when it is not open. */
static bool fd_ask(int fd, char *path, size_t room, size_t *length, struct stat *found)
{
	char link[32];
	text_add_number(text_add(link, link + sizeof link, "/proc/self/fd/"), link + sizeof link,
			(uint64_t)fd);
	if (fd < 0 || recorder.quiet || sys_fstat(fd, found) != 0)
		return false;
	long got = sys_readlink(link, path, room);
	*length = got > 0 ? (size_t)got : 0;
	return true;
}

static void handle_emit(struct thread *self, uint32_t handle, const struct fd_entry *entry, int fd,
			uint64_t name, uint32_t kind, uint32_t other)
{
	uint64_t *define = define_reserve(self, 9);
	define[2] = handle;
	define[3] = kind | (uint64_t)(entry ? entry->how : 0) << 8 |
		    (uint64_t)(entry ? entry->origin : 0) << 16;
	define[4] = (uint64_t)(int64_t)fd;
	define[5] = name;
	define[6] = other;
	define[7] = entry ? entry->device : 0;
	define[8] = entry ? entry->inode : 0;
	define_seal(self, define, DEFINE_HANDLE, 9);
	known_mark(self, handle);
}

size_t handle_ask_path(int fd, char *path, size_t room)
{
	struct stat found;
	size_t length;
	return fd_ask(fd, path, room, &length, &found) ? length : 0;
}

/* Gives a handle to a descriptor whose opening was not recorded. 0: it is not open. */
static uint32_t handle_learn(struct thread *self, int fd, char *path, size_t room, size_t *length)
{
	struct stat found;
	if (!fd_ask(fd, path, room, length, &found))
		return 0;
	struct fd_birth birth = {
		.path = path,
		.length = *length,
		.origin = VARVE_ORIGIN_INHERITED,
		.how = VARVE_IDENTITY_SEEN,
		.file = file_id_of(&found),
	};
	return handle_new_fd(self, fd, &birth);
}

uint32_t handle_meet(struct thread *self, int fd)
{
	char path[NAME_LONGEST];
	size_t length;
	uint32_t handle = handle_of(fd);
	if (!handle) {
		handle = handle_learn(self, fd, path, sizeof path, &length);
		if (handle)
			handle_unmark(self, handle);
	}
	return handle;
}

/* Keeps the first path that the kernel returned, for all threads and children: after the file is removed, the kernel's path
 * contains a note of this. A path that fills the buffer may be cut. */
static void path_keep(struct thread *self, int fd, struct fd_entry *entry, const char *path,
		      size_t length)
{
	if (length && length < NAME_LONGEST && path[0] == '/' && !self->vfork_pid)
		fd_path_put(self, fd, entry, &(struct fd_birth){.path = path, .length = length});
}

uint64_t handle_define_fd(struct thread *self, int fd)
{
	char path[NAME_LONGEST];
	size_t length = 0;
	struct name_place place = self->place;
	uint32_t handle = handle_of(fd);
	if (!handle)
		handle = handle_learn(self, fd, path, sizeof path, &length);
	struct fd_entry *entry = fd_entry(fd);
	if (!handle || !entry)
		return pair_make(fd, 0);
	uint64_t name = 0;
	if (entry->path_length) {
		name = name_of_path(self, fd_path_text(fd, entry), entry->path_length, entry->given,
				    path);
	} else {
		if (!length) {
			length = handle_ask_path(fd, path, sizeof path);
			path_keep(self, fd, entry, path, length);
		}
		name = length ? name_define(self, path, length, VARVE_BASE_NONE, 0, 0) : 0;
	}
	handle_emit(self, handle, entry, fd, name, entry->kind, 0);
	/* The caller may still need the place of its path word. */
	self->place = place;
	return pair_make(fd, handle);
}

uint64_t word_fd_then(struct thread *self, int fd, uint32_t handle)
{
	char path[NAME_LONGEST];
	const struct fd_entry *entry = fd_entry(fd);
	if (!handle)
		return pair_make(fd, 0);
	if (self->known->handles[handle % HANDLE_SLOTS] == handle)
		return pair_make(fd, handle);
	if (handle_of(fd) == handle)
		return handle_define_fd(self, fd);
	if (!entry || entry->handle != handle)
		return pair_make(fd, 0);
	struct name_place place = self->place;
	uint64_t name = entry->path_length ? name_of_path(self, fd_path_text(fd, entry),
							  entry->path_length, entry->given, path)
					   : 0;
	handle_emit(self, handle, entry, fd, name, entry->kind, 0);
	self->place = place;
	return pair_make(fd, handle);
}

uint32_t handle_ask_fd(struct thread *self, int fd, enum varve_handle_kind kind, const char *name,
		       size_t length)
{
	char path[FD_PATH + 1];
	struct stat found;
	struct fd_birth birth = {.origin = VARVE_ORIGIN_CALL, .file = {.kind = kind}};
	size_t asked = 0;
	handle_forget_fd(fd);
	if (fd_ask(fd, path, sizeof path, &asked, &found)) {
		birth.how = VARVE_IDENTITY_SEEN;
		birth.file = file_id_of(&found);
	}
	/* A path that fills the buffer may be cut. */
	birth.path = name && length ? name : asked < sizeof path ? path : NULL;
	birth.length = name && length ? length : asked;
	uint32_t handle = handle_new_fd(self, fd, &birth);
	if (handle) {
		handle_unmark(self, handle);
		handle_define_fd(self, fd);
	}
	return handle;
}

void handle_rename_fd(struct thread *self, int fd, const char *name, size_t length)
{
	struct fd_entry *entry = fd_entry(fd);
	uint32_t handle = handle_of(fd);
	if (!entry || !handle || length > FD_PATH)
		return;
	entry->path_length = 0;
	BARRIER();
	memcpy(entry->path, name, length);
	entry->given = 0;
	BARRIER();
	entry->path_length = (uint16_t)length;
	handle_unmark(self, handle);
}

int handle_pointer_fd(const void *pointer)
{
	const struct pointer_entry *entry = &handles.pointers[pointer_slot(pointer)];
	return entry->pointer == (uintptr_t)pointer ? entry->fd : -1;
}

uint32_t handle_new_pointer(struct thread *self, const void *pointer, int fd)
{
	struct pointer_entry *entry = &handles.pointers[pointer_slot(pointer)];
	uint32_t handle = handle_next();
	entry->pointer = 0;
	entry->handle = handle;
	entry->fd = fd;
	__atomic_store_n(&entry->pointer, (uintptr_t)pointer, __ATOMIC_RELEASE);
	known_mark(self, handle);
	return handle;
}

uint64_t handle_define_pointer(struct thread *self, const void *pointer,
			       enum varve_handle_kind kind)
{
	if (!pointer)
		return 0;
	uint32_t handle = handle_of_pointer(pointer);
	int fd;
	if (!handle) {
		/* Its opening was not recorded, or another pointer uses its slot of the table. */
		if (!memory_readable(self, pointer, sizeof(FILE)))
			return 0;
		fd = kind == VARVE_HANDLE_STREAM ? stream_fd(pointer) : -1;
		handle = handle_new_pointer(self, pointer, fd);
	} else {
		fd = handle_pointer_fd(pointer);
	}
	uint32_t other = fd >= 0 ? pair_handle(word_fd(self, fd)) : 0;
	handle_emit(self, handle, NULL, fd, 0, kind, other);
	return handle;
}

void handle_forget_fd(int fd)
{
	if ((unsigned)fd >= FD_CHUNK * FD_CHUNKS)
		return;
	fd_changes(fd);
	handles.of_fd[fd] = 0;
}

void handle_restore(int fd, uint32_t handle, const struct fd_entry *entry)
{
	struct fd_entry *there = fd_entry(fd);
	if ((unsigned)fd >= FD_CHUNK * FD_CHUNKS)
		return;
	handles.of_fd[fd] = 0;
	if (there)
		*there = *entry;
	__atomic_store_n(&handles.of_fd[fd], there ? handle : 0, __ATOMIC_RELEASE);
}

void handle_forget_range(unsigned first, unsigned last)
{
	if (last >= FD_CHUNK * FD_CHUNKS)
		last = FD_CHUNK * FD_CHUNKS - 1;
	for (unsigned fd = first; fd <= last && fd < FD_CHUNK * FD_CHUNKS; fd++) {
		if (!handles.chunk[fd / FD_CHUNK]) {
			fd |= FD_CHUNK - 1;
			continue;
		}
		handle_forget_fd((int)fd);
	}
}

void handle_forget_pointer(const void *pointer)
{
	struct pointer_entry *entry = &handles.pointers[pointer_slot(pointer)];
	if (entry->pointer == (uintptr_t)pointer)
		entry->pointer = 0;
}

void handle_identity(struct thread *self, int fd, const struct stat *found)
{
	struct fd_entry *entry = fd_entry(fd);
	if (!entry || !handle_of(fd))
		return;
	bool confirmed = entry->how != VARVE_IDENTITY_NONE && entry->device == found->st_dev &&
			 entry->inode == found->st_ino;
	entry->how = VARVE_IDENTITY_SEEN;
	/* An assumption that was right is not stored again for each opening of the same name. */
	if (LIKELY(confirmed))
		return;
	entry->device = found->st_dev;
	entry->inode = found->st_ino;
	entry->kind = (uint8_t)handle_kind_of(found->st_mode);
	/* Not defined in this block: its definition will have the identity. */
	uint32_t handle = handle_of(fd);
	if (self->known->handles[handle % HANDLE_SLOTS] != handle)
		return;
	uint64_t *define = define_reserve(self, 7);
	define[2] = 1;
	define[3] = handle;
	define[4] = found->st_dev;
	define[5] = found->st_ino;
	define[6] = VARVE_IDENTITY_SEEN;
	define_seal(self, define, DEFINE_IDENTITY, 7);
}
