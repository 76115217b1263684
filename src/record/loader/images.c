/* Record: which loaded object contains a code address. Each object with a recorded address has a record of layer varve.
 *
 * Addresses differ between runs and between ranks; number and address in the file do not, and readers find the function's name with
 * them. A function of the loader finds the object without a lock (since glibc 2.35; before, addresses are recorded as they are).
 */
#include "record/loader/images.h"

#include "base/hash.h"
#include "call_ids.h"
#include "record/loader/symbols.h"
#include "record/wrap.h"

#include <dlfcn.h>
#include <string.h>

enum {
	IMAGES_MOST = 1024,
	NOTES_MOST = 4096,
	BUILD_MOST = 64,
	HEADERS_MOST = 64,
	OWNER = 4, /* bytes of the owner in a note; the notes that are used here have as many */
	NUMBER_SHIFT = 48
};

struct image {
	uintptr_t start, end;
	uintptr_t bias; /* what the loader added to the addresses of the file */
	uint64_t hash;	/* of its path and address */
	uint32_t epoch; /* value of `epoch` when it was found; 0: not yet */
};

static struct image images[IMAGES_MOST];
static uint32_t image_count;
static uint32_t epoch = 1;

#ifdef DLFO_STRUCT_HAS_EH_DBASE
static int (*find_object)(void *address, struct dl_find_object *found);

void images_resolve(void)
{
	static const char name[] = "_dl_find_object";
	void *found = symbol_next(name, symbol_hash(name), false);
	memcpy(&find_object, &found, sizeof found);
}
#else
void images_resolve(void)
{
}
#endif

void images_changed(void)
{
	__atomic_fetch_add(&epoch, 1, __ATOMIC_RELEASE);
}

void images_after_fork(void)
{
	uint32_t count = image_count < IMAGES_MOST ? image_count : IMAGES_MOST;
	memset(images, 0, count * sizeof *images);
	image_count = 0;
}

/* The number, from 1, of the known object that contains the address and is still loaded; 0: none. */
static uint32_t image_known(uintptr_t address)
{
	uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
	uint32_t count = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < IMAGES_MOST; i++)
		if (__atomic_load_n(&images[i].epoch, __ATOMIC_ACQUIRE) == now &&
		    address >= images[i].start && address < images[i].end)
			return i + 1;
	return 0;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* The content of the note with this owner and type; NULL: there is none. */
static const uint8_t *note_in(const char *notes, size_t size, const char owner[OWNER],
			      uint32_t type, size_t *length)
{
	size_t at = 0;
	while (size >= sizeof(ElfW(Nhdr)) && at <= size - sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		memcpy(&note, notes + at, sizeof note);
		size_t name = at + sizeof note, bytes = name + ((note.n_namesz + 3ull) & ~3ull);
		if (bytes > size || note.n_descsz > size - bytes)
			return NULL;
		*length = note.n_descsz;
		if (note.n_type == type && note.n_namesz == OWNER &&
		    !memcmp(notes + name, owner, OWNER))
			return (const uint8_t *)notes + bytes;
		at = bytes + ((note.n_descsz + 3ull) & ~3ull);
	}
	return NULL;
}

/* `self` NULL: the object cannot be unloaded. */
static bool image_readable(struct thread *self, const void *address, size_t length)
{
	return !self || memory_readable(self, address, length);
}

/* Finds a note in a loaded object. */
static const uint8_t *note_find(struct thread *self, const struct dl_find_object *found,
				const char owner[OWNER], uint32_t type, size_t *length)
{
	const ElfW(Ehdr) *head = found->dlfo_map_start;
	size_t size = (uintptr_t)found->dlfo_map_end - (uintptr_t)found->dlfo_map_start;
	if (!image_readable(self, head, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG))
		return NULL;
	const ElfW(Phdr) *parts = (const void *)((const char *)head + head->e_phoff);
	if (head->e_phnum > HEADERS_MOST || head->e_phoff > size - sizeof *head ||
	    !image_readable(self, parts, head->e_phnum * sizeof *parts))
		return NULL;
	for (unsigned i = 0; i < head->e_phnum; i++) {
		const char *notes = (const char *)(found->dlfo_link_map->l_addr + parts[i].p_vaddr);
		if (parts[i].p_type != PT_NOTE || parts[i].p_memsz > NOTES_MOST ||
		    !image_readable(self, notes, parts[i].p_memsz))
			continue;
		const uint8_t *note = note_in(notes, parts[i].p_memsz, owner, type, length);
		if (note)
			return note;
	}
	return NULL;
}

bool image_has_go(struct thread *self, const void *address)
{
	enum { GO_BUILD_ID = 4 };
	struct dl_find_object found;
	size_t length;
	return find_object && find_object((void *)(uintptr_t)address, &found) == 0 &&
	       note_find(self, &found, "Go\0", GO_BUILD_ID, &length);
}

/* The build id, as hexadecimal digits; 0: there is none. */
static size_t build_find(struct thread *self, const struct dl_find_object *found, char *text)
{
	size_t length;
	const uint8_t *bytes = note_find(self, found, "GNU", NT_GNU_BUILD_ID, &length);
	if (!bytes || length > BUILD_MOST / 2)
		return 0;
	for (size_t i = 0; i < length; i++) {
		text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	return 2 * length;
}

/* Records a new object. */
static void image_record(struct thread *self, uint32_t number, const struct dl_find_object *found)
{
	char text[BUILD_MOST];
	uint64_t from = clock_count(recorder.tsc);
	const char *path = found->dlfo_link_map->l_name;
	size_t length = build_find(self, found, text);
	uint64_t words[] = {number, path && *path ? word_path(self, path) : 0,
			    length ? name_write(self, text, length, VARVE_BASE_NONE, 0) : 0};
	_Static_assert(WORDS_varve_image == 3, "image has three words");
	own_record(self, from, CALL_varve_image, words, WORDS_varve_image);
}

/* As image_known(), but asks the loader. */
static __attribute__((noinline)) uint32_t image_find(struct thread *self, uintptr_t address)
{
	struct dl_find_object found;
	uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
	if (!find_object || find_object((void *)address, &found) != 0)
		return 0;
	const char *path = found.dlfo_link_map->l_name;
	struct image made = {(uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end,
			     found.dlfo_link_map->l_addr, 0, 0};
	made.hash = hash_name(path ? path : "", path ? strnlen(path, NAME_LONGEST) : 0, made.start);
	for (uint32_t i = 0; i < image_count && i < IMAGES_MOST; i++) {
		if (!images[i].epoch || images[i].hash != made.hash || images[i].end != made.end ||
		    images[i].bias != made.bias)
			continue;
		__atomic_store_n(&images[i].epoch, now, __ATOMIC_RELEASE);
		return i + 1;
	}
	/* The count stays within the table: a child clears that many entries. */
	if (image_count >= IMAGES_MOST)
		return 0;
	uint32_t place = __atomic_fetch_add(&image_count, 1, __ATOMIC_ACQ_REL);
	if (place >= IMAGES_MOST)
		return 0;
	images[place] = made;
	image_record(self, place + 1, &found);
	__atomic_store_n(&images[place].epoch, now, __ATOMIC_RELEASE);
	return place + 1;
}
#else
static uint32_t image_find(struct thread *self, uintptr_t address)
{
	(void)self, (void)address;
	return 0;
}

bool image_has_go(struct thread *self, const void *address)
{
	(void)self, (void)address;
	return false;
}
#endif

uint64_t image_word(struct thread *self, const void *address)
{
	uintptr_t at = (uintptr_t)address;
	uint32_t number = image_known(at);
	if (UNLIKELY(!number))
		number = image_find(self, at);
	uintptr_t bias = number ? images[number - 1].bias : 0;
	return (uint64_t)number << NUMBER_SHIFT |
	       ((uint64_t)(at - bias) & ((1ull << NUMBER_SHIFT) - 1));
}
