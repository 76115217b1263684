/* Record: the handles of descriptors, FILEs and DIRs.
 *
 * A handle is a number, given in order of creation and never used twice in a process. Tables are of fixed size and are read without
 * locks; a path that does not fit is read again in each block, from /proc/self/fd.
 */
#ifndef RECORD_NAMES_HANDLES_H
#define RECORD_NAMES_HANDLES_H

#include "record/recorder.h"

#include <stdio.h>
#include <sys/stat.h>

enum {
	FD_CHUNK = 64,
	FD_CHUNKS =
		2048, /* descriptors up to 131072 are tracked; memory is only used for chunks that have open descriptors */
	FD_PATH = 96, /* longer paths are in `longer` */
	FD_PATH_LONG = 2 * NAME_LONGEST,
	POINTER_SLOTS = 1024,
};

/* Whether the patterns of paths exclude a file. */
enum verdict { VERDICT_UNKNOWN, VERDICT_IN, VERDICT_OUT, VERDICT_NONE };

struct fd_entry {
	uint8_t kind;
	uint8_t how;
	uint8_t origin;
	uint8_t verdict;      /* enum verdict */
	uint16_t path_length; /* 0: the path is not known here; ask the kernel */
	uint16_t
		given; /* where the part that the program passed begins in the path; the folder is before it */
	uint32_t handle; /* the handle that the entry describes, even if it was closed since */
	uint64_t device;
	uint64_t inode;
	char path[FD_PATH]; /* absolute; a longer path is elsewhere, see fd_path_text() */
};

struct pointer_entry {
	uintptr_t pointer;
	uint32_t handle;
	int32_t fd;
};

struct handle_tables {
	uint32_t of_fd
		[FD_CHUNK *
		 FD_CHUNKS]; /* 0: unknown; separate from the entries, because every call reads this */
	struct fd_entry *chunk[FD_CHUNKS];
	char *longer
		[FD_CHUNKS]; /* FD_PATH_LONG for each descriptor of the chunk; made for the first long path there */
	struct pointer_entry pointers[POINTER_SLOTS];
};

extern struct handle_tables handles;

static inline struct fd_entry *fd_entry(int fd)
{
	if (UNLIKELY((unsigned)fd >= FD_CHUNK * FD_CHUNKS))
		return NULL;
	struct fd_entry *chunk = handles.chunk[(unsigned)fd / FD_CHUNK];
	return LIKELY(chunk) ? &chunk[(unsigned)fd % FD_CHUNK] : NULL;
}

/* The path of a descriptor, path_length bytes; it must have one. */
static inline const char *fd_path_text(int fd, const struct fd_entry *entry)
{
	return entry->path_length <= FD_PATH ? entry->path
					     : handles.longer[(unsigned)fd / FD_CHUNK] +
						       (unsigned)fd % FD_CHUNK * FD_PATH_LONG;
}

static inline uint32_t handle_of(int fd)
{
	return LIKELY((unsigned)fd < FD_CHUNK * FD_CHUNKS) ? handles.of_fd[fd] : 0;
}

static inline size_t pointer_slot(const void *pointer)
{
	return ((uintptr_t)pointer >> 4 ^ (uintptr_t)pointer >> 14) % POINTER_SLOTS;
}

static inline uint32_t handle_of_pointer(const void *pointer)
{
	const struct pointer_entry *entry = &handles.pointers[pointer_slot(pointer)];
	return LIKELY(entry->pointer == (uintptr_t)pointer) ? entry->handle : 0;
}

/* A number that no handle of this process has had. */
uint32_t handle_next(void);

/* Defines the handle in the present block, and asks the kernel about a new descriptor; returns the word for the record. */
uint64_t handle_define_fd(struct thread *self, int fd);
uint64_t handle_define_pointer(struct thread *self, const void *pointer,
			       enum varve_handle_kind kind);
/* The word for a descriptor that had this handle when a request was made; the number may be closed or mean another file since. */
uint64_t word_fd_then(struct thread *self, int fd, uint32_t handle);

/* The handle of a descriptor; a new one is looked up, but not defined in a block. 0: the descriptor is not open. */
uint32_t handle_meet(struct thread *self, int fd);

/* Gets the path of a descriptor from the kernel and returns its length; 0: none. */
size_t handle_ask_path(int fd, char *path, size_t room);

/* What is known of a new descriptor. */
struct fd_birth {
	const char *path; /* as the program passed it; NULL: ask the kernel when it is needed */
	size_t length;
	const char *folder; /* absolute; a relative path starts from it */
	size_t folder_length;
	enum varve_origin origin;
	enum varve_identity how;
	struct file_id file;
};

/* For calls whose own record defines the handle in this block. */
uint32_t handle_new_fd(struct thread *self, int fd, const struct fd_birth *birth);
uint32_t handle_copy_fd(struct thread *self, int from, int to);
/* For a new descriptor that was not opened by a path: asks the kernel what it is, and writes a definition after the record. `name`:
 * better than the kernel's; NULL: none. */
uint32_t handle_ask_fd(struct thread *self, int fd, enum varve_handle_kind kind, const char *name,
		       size_t length);
/* Changes the name of a descriptor. */
void handle_rename_fd(struct thread *self, int fd, const char *name, size_t length);
uint32_t handle_new_pointer(struct thread *self, const void *pointer, int fd);

/* Marks the handle as not defined in this block: its next use defines it. */
static inline void handle_unmark(struct thread *self, uint32_t handle)
{
	self->known->handles[handle % HANDLE_SLOTS] = 0;
}

void handle_forget_fd(int fd);
/* Restores the handle that a vfork child changed. */
void handle_restore(int fd, uint32_t handle, const struct fd_entry *entry);
void handle_forget_range(unsigned first, unsigned last);
void handle_forget_pointer(const void *pointer);

/* Descriptor of a FILE; -1: none. */
int stream_fd(const FILE *stream);

/* Descriptor behind a known FILE or DIR; -1: none. */
int handle_pointer_fd(const void *pointer);

/* Device and inode from the program's own fstat. */
void handle_identity(struct thread *self, int fd, const struct stat *found);

enum varve_handle_kind handle_kind_of(mode_t mode);

static inline struct file_id file_id_of(const struct stat *found)
{
	return (struct file_id){found->st_dev, found->st_ino, handle_kind_of(found->st_mode)};
}

#endif
