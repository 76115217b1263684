/* Record: names. A path or a string becomes a small number that is defined once in each block.
 *
 * The text is in the lane, as a definition; the thread's table finds it by its hash. The working directory is read once, and again
 * after the program has changed it.
 */
#include "record/mpi/runtime.h"
#include "record/names/identity.h"
#include "record/wrap.h"

#include "base/hash.h"
#include "base/sys.h"

#include <signal.h>
#include <string.h>
#include <sys/uio.h>

enum { PAGE = 4096, PROBES = 16 };

/* Slower than page_probe(). For valgrind, which prints a line for the call there, and may report an error. */
static __attribute__((noinline)) long page_copy(uintptr_t page)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)page, 1};
	return sys6(SYS_process_vm_readv, sys_getpid(), sys_address(&here), 1, sys_address(&there),
		    1, 0);
}

/* Whether the kernel can read the page: an address that the program passes by mistake must reach the real function, which returns
 * EFAULT. This system call reads the signal set before it checks the (invalid) command. tests/valgrind.supp has this function's
 * name. */
static __attribute__((noinline)) bool page_probe(uintptr_t page)
{
	if (recorder.quiet)
		return false;
	long got = recorder.together ? page_copy(page) : 0;
	if (got == 1 || got == -EFAULT)
		return got == 1;
	return sys6(SYS_rt_sigprocmask, 0x7fff, (long)page, 0, 8, 0, 0) != -EFAULT;
}

bool memory_readable(struct thread *self, const void *address, size_t length)
{
	uintptr_t first = (uintptr_t)address & ~(uintptr_t)(PAGE - 1);
	uintptr_t last = ((uintptr_t)address + (length ? length - 1 : 0)) & ~(uintptr_t)(PAGE - 1);
	uint64_t epoch = recorder.pages_epoch;
	if (UNLIKELY(self->pages_epoch != epoch)) {
		memset(self->known->pages, 0, sizeof self->known->pages);
		self->pages_epoch = epoch;
	}
	for (uintptr_t page = first;; page += PAGE) {
		uintptr_t *known = &self->known->pages[page / PAGE % PAGES_KNOWN];
		if (*known != page || page == 0) {
			if (page == 0 || !page_probe(page))
				return false;
			*known = page;
		}
		if (page == last)
			return true;
	}
}

long text_length(struct thread *self, const char *text, size_t most)
{
	size_t length = 0;
	while (length < most) {
		size_t piece = PAGE - ((uintptr_t)(text + length) & (PAGE - 1));
		if (!memory_readable(self, text + length, 1))
			return -1;
		size_t found = strnlen(text + length, piece);
		length += found;
		if (found < piece)
			break;
	}
	return (long)(length < most ? length : most);
}

/* After a stat of a file a program often opens the same file, or the reverse; and programs often repeat names in the order of their
 * first use. Both entries are in the cache, unlike the index. */
static inline struct name_known *name_expected(struct known *known, uint64_t hash)
{
	struct name_known *last = &known->names[known->name_last];
	if (last->hash == hash)
		return last;
	return last + 1 < known->names + NAMES_MOST && last[1].hash == hash ? last + 1 : NULL;
}

/* The slot of a name in the index; for a new name an empty slot, or the last one when all PROBES are taken. */
static inline uint32_t *name_slot(struct known *known, uint64_t hash)
{
	size_t at = (hash >> 20) % NAME_INDEX;
	for (unsigned probe = 0;; probe++) {
		uint32_t *slot = &known->name_index[(at + probe) % NAME_INDEX];
		uint32_t word = *slot;
		if (!word || probe == PROBES - 1 ||
		    (word >> 16 == hash >> 48 &&
		     LIKELY(known->names[(word & 0xffff) - 1].hash == hash)))
			return slot;
	}
}

/* The entry of a name; NULL: none. */
static struct name_known *name_find(struct known *known, uint64_t hash)
{
	struct name_known *name = name_expected(known, hash);
	if (name)
		return name;
	uint32_t word = *name_slot(known, hash);
	if (!word)
		return NULL;
	name = &known->names[(word & 0xffff) - 1];
	return name->hash == hash ? name : NULL;
}

/* An entry for a new name. When there is no room, all names are forgotten: they will be defined again. */
static struct name_known *name_add(struct known *known, uint64_t hash)
{
	uint32_t *slot = name_slot(known, hash);
	if (UNLIKELY(known->name_count >= NAMES_MOST || *slot)) {
		known->name_count = 0;
		memset(known->name_index, 0, sizeof known->name_index);
		slot = &known->name_index[(hash >> 20) % NAME_INDEX];
	}
	uint32_t number = number_take(&known->name_count);
	struct name_known *name = &known->names[number < NAMES_MOST ? number : 0];
	/* Hash 0, so that a handler does not use the entry while it is changed. */
	name->hash = 0;
	BARRIER();
	name->defined = 0;
	name->file_block = 0;
	BARRIER();
	name->hash = hash;
	*slot = (uint32_t)(hash >> 48) << 16 | (uint32_t)(name - known->names + 1);
	return name;
}

uint32_t name_write(struct thread *self, const char *text, size_t length, enum varve_base kind,
		    uint32_t base)
{
	size_t words = 6 + (length + 7) / 8;
	uint64_t *define = define_reserve(self, words);
	uint32_t id = number_take(&self->next_name);
	define[2] = id;
	define[3] = kind;
	define[4] = base;
	define[5] = length;
	if (length) {
		define[words - 1] = 0;
		memcpy(define + 6, text, length);
	}
	define_seal(self, define, DEFINE_NAME, words);
	return id;
}

uint64_t name_define(struct thread *self, const char *text, size_t length, enum varve_base kind,
		     uint32_t base, uint64_t folder)
{
	struct known *known = self->known;
	uint64_t hash = hash_name(text, length, (folder << 2) + kind) | 1;
	struct name_place made = {
		.hash = hash,
		.epoch = __atomic_load_n(&recorder.names_epoch, __ATOMIC_RELAXED),
		.length = (uint32_t)length,
	};
	struct name_known *name = name_find(known, hash);
	if (LIKELY(name)) {
		uint64_t defined = name->defined;
		BARRIER();
		/* Checked again: a handler may have emptied the table for its own names. */
		if (LIKELY(defined >> 32 == known->block && name->hash == hash)) {
			__builtin_prefetch(name + 1);
			__builtin_prefetch((const char *)(name + 2) - 1);
			known->name_last = made.number = (uint32_t)(name - known->names);
			self->place = made;
			return (uint32_t)defined;
		}
	}
	uint32_t id = name_write(self, text, length, kind, base);
	if (!name)
		name = name_add(known, hash);
	known->name_last = made.number = (uint32_t)(name - known->names);
	self->place = made;
	BARRIER();
	name->defined = (uint64_t)known->block << 32 | id;
	BARRIER();
	/* A handler may have defined the file with another id, or used the entry for another name. */
	if (name->file_block == known->block)
		name->file_block = 0;
	if (UNLIKELY(name->hash != hash))
		name->defined = 0;
	return id;
}

bool name_file(const struct thread *self, struct name_place place, struct file_id *file,
	       bool *defined)
{
	const struct name_known *name = &self->known->names[place.number];
	uint64_t epoch = __atomic_load_n(&recorder.names_epoch, __ATOMIC_RELAXED);
	uint32_t block = name->file_block;
	if (!place.hash || name->hash != place.hash || !block || name->epoch != epoch)
		return false;
	*file = (struct file_id){name->device, name->inode, name->kind};
	BARRIER();
	if (UNLIKELY(name->hash != place.hash || name->file_block != block))
		return false;
	*defined = block == self->known->block;
	return true;
}

void name_identity(struct thread *self, struct name_place place, struct file_id file,
		   enum varve_identity how)
{
	struct name_known *name = &self->known->names[place.number];
	uint32_t block = self->known->block;
	/* If the lane was cut inside the call, the name belongs to an earlier block. */
	uint64_t defined = name->defined;
	BARRIER();
	if (name->hash != place.hash || defined >> 32 != block)
		return;
	if (name->file_block == block && name->device == file.device && name->inode == file.inode) {
		name->epoch = place.epoch;
		return;
	}
	uint32_t id = (uint32_t)defined;
	name->file_block = 0;
	BARRIER();
	name->epoch = place.epoch;
	name->device = file.device;
	name->inode = file.inode;
	name->kind = file.kind;
	BARRIER();
	name->file_block = block;
	BARRIER();
	if (UNLIKELY(name->hash != place.hash))
		name->file_block = 0;
	uint64_t *define = define_reserve(self, 7);
	define[2] = 0;
	define[3] = id;
	define[4] = file.device;
	define[5] = file.inode;
	define[6] = how;
	define_seal(self, define, DEFINE_IDENTITY, 7);
}

/* The name of one part of a path; `room`: for a copy, or NULL. */
static uint64_t name_part(struct thread *self, const char *text, size_t length,
			  enum varve_base kind, uint32_t base, uint64_t folder, char *room)
{
	if (length > NAME_LONGEST)
		length = NAME_LONGEST;
	if (room)
		text = memcpy(room, text, length);
	return name_define(self, text, length, kind, base, folder);
}

uint64_t name_of_path(struct thread *self, const char *path, size_t length, size_t given,
		      char *room)
{
	/* The name of the root folder is its slash. */
	size_t folder = given > 1 ? given - 1 : given;
	if (!folder || given >= length)
		return length ? name_part(self, path, length, VARVE_BASE_NONE, 0, 0, room) : 0;
	uint64_t base = name_part(self, path, folder, VARVE_BASE_NONE, 0, 0, room);
	uint64_t hash = hash_name(room ? room : path, folder, 0);
	return name_part(self, path + given, length - given, VARVE_BASE_NAME, (uint32_t)base, hash,
			 room);
}

/* The working directory: two copies that are written in turn, so that a reader on another thread gets a complete one. */
static struct {
	uint32_t serial; /* 0: not known yet */
	char text[2][NAME_LONGEST];
	uint32_t length[2]; /* 0: it has no path */
	uint64_t hash[2];
} folder;

void folder_changed(void)
{
	uint32_t next = folder.serial + 1;
	char *text = folder.text[next & 1];
	long length =
		recorder.quiet ? 0 : sys6(SYS_getcwd, sys_address(text), NAME_LONGEST, 0, 0, 0, 0);
	folder.length[next & 1] = length > 1 && text[0] == '/' ? (uint32_t)(length - 1) : 0;
	folder.hash[next & 1] = hash_name(text, folder.length[next & 1], 0);
	folder.serial = next;
}

const char *folder_text(size_t *length)
{
	if (!folder.serial)
		folder_changed();
	uint32_t serial = folder.serial;
	*length = folder.length[serial & 1];
	return folder.text[serial & 1];
}

uint32_t folder_copy(char *text, size_t room, size_t *length)
{
	folder_text(length);
	uint32_t serial = folder.serial;
	if (*length >= room)
		*length = 0;
	memcpy(text, folder.text[serial & 1], *length);
	return serial;
}

/* Name id of the working directory in this block, and the hash of its path; 0: it has no path. */
static uint32_t folder_name(struct thread *self, uint64_t *hash)
{
	if (!folder.serial)
		folder_changed();
	uint32_t serial = folder.serial;
	if (LIKELY(self->folder_serial == serial)) {
		uint32_t id = self->folder_name;
		*hash = self->folder_hash;
		BARRIER();
		/* A handler may have changed the working directory between the two reads. */
		if (LIKELY(self->folder_serial == serial))
			return id;
		serial = folder.serial;
	}
	uint32_t length = folder.length[serial & 1];
	*hash = folder.hash[serial & 1];
	uint64_t id =
		length ? name_define(self, folder.text[serial & 1], length, VARVE_BASE_NONE, 0, 0)
		       : 0;
	self->folder_serial = 0;
	BARRIER();
	self->folder_hash = *hash;
	self->folder_name = (uint32_t)id;
	BARRIER();
	self->folder_serial = serial;
	return (uint32_t)id;
}

/* The length of the text that is kept; negative: it cannot be read. */
static long kept_length(struct thread *self, const char *text)
{
	long length = text_length(self, text, NAME_LONGEST + 1);
	if (length <= NAME_LONGEST)
		return length;
	loss_count(LOSS_NAME, 1);
	return NAME_LONGEST;
}

uint64_t word_path_slow(struct thread *self, const char *path, int dirfd)
{
	self->place.hash = 0;
	if (!path)
		return 0;
	long length = kept_length(self, path);
	if (length < 0)
		return 0;
	if (UNLIKELY(self->runtime))
		runtime_name(self, path, (size_t)length);
	if (path[0] == '/')
		return name_define(self, path, (size_t)length, VARVE_BASE_NONE, 0, 0);
	bool here = dirfd == AT_FDCWD;
	uint64_t hash;
	uint32_t base = here ? folder_name(self, &hash) : pair_handle(word_fd(self, dirfd));
	if (LIKELY(base))
		return name_define(self, path, (size_t)length,
				   here ? VARVE_BASE_NAME : VARVE_BASE_HANDLE, base,
				   here ? hash : base);
	uint64_t name = name_define(self, path, (size_t)length, VARVE_BASE_UNKNOWN, 0, 0);
	/* Without a folder, any file of that name is possible. */
	self->place.hash = 0;
	return name;
}

uint64_t word_text(struct thread *self, const char *text)
{
	if (!text)
		return 0;
	long length = kept_length(self, text);
	return length < 0 ? 0 : name_define(self, text, (size_t)length, VARVE_BASE_NONE, 0, 0);
}

/* Writes one character as UTF-8, at most four bytes; invalid ones become the replacement character. */
static size_t utf8_put(char *at, uint32_t code)
{
	if (code < 0x80) {
		at[0] = (char)code;
		return 1;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	at[0] = (char)(0xff00u >> (more + 1) | code >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		at[i] = (char)(0x80u | (code >> 6 * (more - i) & 0x3fu));
	return more + 1;
}

uint64_t word_wide(struct thread *self, const wchar_t *text)
{
	char made[NAME_LONGEST];
	size_t length = 0;
	if (!text)
		return 0;
	for (const wchar_t *at = text;; at++) {
		size_t within = (uintptr_t)at & (PAGE - 1);
		bool fresh = at == text || within < sizeof *at || within > PAGE - sizeof *at;
		if (fresh && !memory_readable(self, at, sizeof *at))
			return 0;
		if (!*at)
			break;
		if (length + 4 > sizeof made) {
			loss_count(LOSS_NAME, 1);
			break;
		}
		length += utf8_put(made + length, (uint32_t)*at);
	}
	return name_define(self, made, length, VARVE_BASE_NONE, 0, 0);
}
