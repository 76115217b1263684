/* Object: reads ELF files. See elf.h. */
#include "object/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A larger table of symbols is not trusted. */
enum { SYMBOLS_MOST = 1 << 24, DYNAMIC_MOST = 1 << 16, VERSION_NEEDS_MOST = 4096 };

/* `length` bytes at `offset`, valid until the window is used again; NULL: the file does not have them. */
static const void *window_bytes(const struct elf *elf, struct elf_window *window, uint64_t offset,
				size_t length)
{
	if (length > ELF_WINDOW || offset > elf->size || elf->size - offset < length)
		return NULL;
	if (offset < window->at || offset - window->at > window->length ||
	    window->length - (offset - window->at) < length) {
		ssize_t got = pread(elf->fd, window->bytes, ELF_WINDOW, (off_t)offset);
		window->at = offset;
		window->length = got > 0 ? (size_t)got : 0;
		if (window->length < length)
			return NULL;
	}
	return window->bytes + (offset - window->at);
}

static bool elf_read(struct elf *elf, uint64_t offset, void *into, size_t length)
{
	const void *bytes = window_bytes(elf, elf->structure, offset, length);
	if (bytes)
		memcpy(into, bytes, length);
	return bytes != NULL;
}

/* Reads a text that ends in the file, and cuts it to `room`. False: there is none. */
static bool read_text(struct elf *elf, uint64_t offset, char *into, size_t room)
{
	size_t length = 0;
	*into = 0;
	while (length + 1 < room) {
		const char *byte = window_bytes(elf, elf->text, offset + length, 1);
		if (!byte)
			return false;
		into[length] = *byte;
		if (!*byte)
			return true;
		length++;
	}
	into[length] = 0;
	return true;
}

static bool read_string(struct elf *elf, uint64_t place, char *into, size_t room)
{
	*into = 0;
	return elf->strings && place < elf->strings_size &&
	       read_text(elf, elf->strings + place, into, room);
}

/* The offset in the file of what is loaded at this address; 0: not in the file. */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		if (segment->type == PT_LOAD && address >= segment->address &&
		    address - segment->address < segment->size)
			return segment->offset + (address - segment->address);
	}
	return 0;
}

static bool read_segments(struct elf *elf, const Elf64_Ehdr *header)
{
	if (header->e_phnum && header->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned i = 0; i < header->e_phnum && i < ELF_SEGMENTS_MOST; i++) {
		Elf64_Phdr found;
		if (!elf_read(elf, header->e_phoff + i * sizeof found, &found, sizeof found))
			return false;
		struct elf_segment *segment = &elf->segments[elf->segment_count++];
		*segment = (struct elf_segment){found.p_type, found.p_flags, found.p_offset,
						found.p_vaddr, found.p_filesz};
		if (segment->offset > elf->size || elf->size - segment->offset < segment->size)
			return false;
		if (found.p_type == PT_INTERP &&
		    !read_text(elf, found.p_offset, elf->interpreter, sizeof elf->interpreter))
			return false;
		if (found.p_type == PT_DYNAMIC) {
			elf->dynamic = true;
			elf->dynamic_offset = found.p_offset;
			elf->dynamic_count = found.p_filesz / sizeof(Elf64_Dyn);
			if (elf->dynamic_count > DYNAMIC_MOST)
				return false;
		}
	}
	return true;
}

/* The number of symbols that a GNU hash table covers: the end of its last chain. */
static uint64_t count_by_gnu_hash(struct elf *elf, uint64_t table)
{
	uint32_t head[4]; /* buckets, first symbol, words of the filter, shift */
	if (!elf_read(elf, table, head, sizeof head))
		return 0;
	uint64_t buckets = table + sizeof head + (uint64_t)head[2] * 8;
	uint64_t chains = buckets + (uint64_t)head[0] * 4;
	uint32_t last = 0, word;
	for (uint32_t i = 0; i < head[0] && i < SYMBOLS_MOST; i++) {
		if (!elf_read(elf, buckets + (uint64_t)i * 4, &word, sizeof word))
			return head[1];
		last = word > last ? word : last;
	}
	if (last < head[1])
		return head[1];
	for (;; last++) {
		if (last >= SYMBOLS_MOST ||
		    !elf_read(elf, chains + (uint64_t)(last - head[1]) * 4, &word, sizeof word))
			return last;
		if (word & 1)
			return (uint64_t)last + 1;
	}
}

static void read_version_needs(struct elf *elf, uint64_t table)
{
	for (unsigned i = 0; i < VERSION_NEEDS_MOST; i++) {
		Elf64_Verneed need;
		if (!elf_read(elf, table, &need, sizeof need))
			return;
		uint64_t at = table + need.vn_aux;
		for (unsigned k = 0; k < need.vn_cnt && k < ELF_VERSIONS_MOST; k++) {
			Elf64_Vernaux version;
			if (!elf_read(elf, at, &version, sizeof version))
				return;
			if (version.vna_other < ELF_VERSIONS_MOST)
				elf->version_names[version.vna_other] = version.vna_name;
			at += version.vna_next;
			if (!version.vna_next)
				break;
		}
		table += need.vn_next;
		if (!need.vn_next)
			return;
	}
}

static void read_dynamic(struct elf *elf)
{
	uint64_t hash = 0, gnu_hash = 0, needs = 0;
	for (uint64_t i = 0; i < elf->dynamic_count; i++) {
		Elf64_Dyn entry;
		if (!elf_read(elf, elf->dynamic_offset + i * sizeof entry, &entry, sizeof entry) ||
		    entry.d_tag == DT_NULL)
			break;
		uint64_t value = entry.d_un.d_val;
		if (entry.d_tag == DT_STRTAB)
			elf->strings = offset_of(elf, value);
		else if (entry.d_tag == DT_STRSZ)
			elf->strings_size = value;
		else if (entry.d_tag == DT_SYMTAB)
			elf->symbols = offset_of(elf, value);
		else if (entry.d_tag == DT_HASH)
			hash = offset_of(elf, value);
		else if (entry.d_tag == DT_GNU_HASH)
			gnu_hash = offset_of(elf, value);
		else if (entry.d_tag == DT_VERSYM)
			elf->symbol_versions = offset_of(elf, value);
		else if (entry.d_tag == DT_VERNEED)
			needs = offset_of(elf, value);
		else if (entry.d_tag == DT_FLAGS_1)
			elf->position_independent_program = value & DF_1_PIE;
	}
	uint32_t counts[2];
	if (hash && elf_read(elf, hash, counts, sizeof counts))
		elf->symbol_count = counts[1];
	else if (gnu_hash)
		elf->symbol_count = count_by_gnu_hash(elf, gnu_hash);
	if (needs)
		read_version_needs(elf, needs);
}

static enum elf_status elf_read_file(struct elf *elf)
{
	Elf64_Ehdr header;
	struct stat found;
	if (fstat(elf->fd, &found))
		return ELF_UNREADABLE;
	elf->size = (uint64_t)found.st_size;
	unsigned char head[EI_NIDENT + 4];
	if (!elf_read(elf, 0, head, sizeof head) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return ELF_NONE;
	bool little = head[EI_DATA] == ELFDATA2LSB;
	elf->small = head[EI_CLASS] == ELFCLASS32;
	elf->type = (uint16_t)(little ? head[EI_NIDENT] | head[EI_NIDENT + 1] << 8
				      : head[EI_NIDENT] << 8 | head[EI_NIDENT + 1]);
	elf->machine = (uint16_t)(little ? head[EI_NIDENT + 2] | head[EI_NIDENT + 3] << 8
					 : head[EI_NIDENT + 2] << 8 | head[EI_NIDENT + 3]);
	elf->wide = head[EI_CLASS] == ELFCLASS64 && little;
	if (!elf->wide)
		return ELF_OK;
	if (!elf_read(elf, 0, &header, sizeof header) || !read_segments(elf, &header))
		return ELF_BROKEN;
	if (elf->dynamic)
		read_dynamic(elf);
	return ELF_OK;
}

enum elf_status elf_open(const char *path, struct elf *elf)
{
	*elf = (struct elf){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	if (elf->fd < 0)
		return ELF_UNREADABLE;
	elf->structure = malloc(sizeof *elf->structure);
	elf->text = malloc(sizeof *elf->text);
	enum elf_status status = ELF_UNREADABLE;
	if (elf->structure && elf->text) {
		elf->structure->at = elf->text->at = 0;
		elf->structure->length = elf->text->length = 0;
		status = elf_read_file(elf);
	} else {
		errno = ENOMEM;
	}
	int error = errno;
	if (status != ELF_OK)
		elf_close(elf);
	errno = error;
	return status;
}

void elf_close(struct elf *elf)
{
	close(elf->fd);
	free(elf->structure);
	free(elf->text);
	elf->structure = elf->text = NULL;
}

bool elf_text_next(struct elf *elf, int64_t tag, size_t *at, char text[ELF_NAME])
{
	while (*at < elf->dynamic_count) {
		Elf64_Dyn entry;
		if (!elf_read(elf, elf->dynamic_offset + (*at)++ * sizeof entry, &entry,
			      sizeof entry) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == tag && read_string(elf, entry.d_un.d_val, text, ELF_NAME))
			return true;
	}
	*at = (size_t)elf->dynamic_count;
	return false;
}

static void read_version(struct elf *elf, size_t place, struct elf_symbol *symbol)
{
	uint16_t index;
	symbol->version[0] = 0;
	if (!elf->symbol_versions ||
	    !elf_read(elf, elf->symbol_versions + place * sizeof index, &index, sizeof index))
		return;
	index &= 0x7fff;
	if (index < ELF_VERSIONS_MOST && elf->version_names[index])
		read_string(elf, elf->version_names[index], symbol->version,
			    sizeof symbol->version);
}

bool elf_symbol_next(struct elf *elf, size_t *at, struct elf_symbol *symbol)
{
	if (!elf->symbols)
		return false;
	/* The first symbol is always empty. */
	for (*at += !*at; *at < elf->symbol_count && *at < SYMBOLS_MOST;) {
		Elf64_Sym found;
		size_t place = (*at)++;
		if (!elf_read(elf, elf->symbols + place * sizeof found, &found, sizeof found))
			return false;
		if (!read_string(elf, found.st_name, symbol->name, sizeof symbol->name) ||
		    !symbol->name[0])
			continue;
		symbol->imported = found.st_shndx == SHN_UNDEF;
		symbol->weak = ELF64_ST_BIND(found.st_info) == STB_WEAK;
		symbol->version[0] = 0;
		if (symbol->imported)
			read_version(elf, place, symbol);
		return true;
	}
	return false;
}

bool elf_has_go(struct elf *elf)
{
	enum { GO_BUILD_ID = 4, NOTES_MOST = 4096 };
	static const char owner[4] = "Go\0";
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		uint64_t at = segment->offset, end = at + segment->size;
		if (segment->type != PT_NOTE || segment->size > NOTES_MOST)
			continue;
		struct {
			Elf64_Nhdr head;
			char owner[sizeof owner];
		} note;
		while (at + sizeof note <= end && elf_read(elf, at, &note, sizeof note)) {
			if (note.head.n_type == GO_BUILD_ID && note.head.n_namesz == sizeof owner &&
			    !memcmp(note.owner, owner, sizeof owner))
				return true;
			at += sizeof note.head + ((note.head.n_namesz + 3ull) & ~3ull) +
			      ((note.head.n_descsz + 3ull) & ~3ull);
		}
	}
	return false;
}

enum { LOOK_BACK = 24, LOOK_AHEAD = 16, UNCOMMON = 400 };

static uint32_t number_at(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* The number that is loaded into eax before the instruction at `at`: the nearest one; -1: none found. The two bytes may be part
 * of another instruction, and small numbers are common, so these only count directly before it, or if the result is `checked`. */
static int number_before(const uint8_t *bytes, size_t at, bool checked)
{
	for (size_t back = 2; back <= LOOK_BACK && back <= at; back++) {
		const uint8_t *code = bytes + at - back;
		bool move = back >= 5 && code[0] == 0xb8;
		bool wide = back >= 7 && code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc0;
		if (move || wide) {
			uint32_t number = number_at(code + (move ? 1 : 3));
			bool near = back == (move ? 5 : 7);
			if (number < ELF_SYSTEM_CALLS && (checked || near || number >= UNCOMMON))
				return (int)number;
		}
		if ((checked || back == 2) && (code[0] == 0x31 || code[0] == 0x33) &&
		    code[1] == 0xc0)
			return 0;
	}
	return -1;
}

/* Whether the result is compared with -4095 after the instruction at `at`, as after every system call. */
static bool error_checked(const uint8_t *bytes, size_t at, size_t length)
{
	for (size_t i = at + 2; i + 5 <= length && i < at + LOOK_AHEAD; i++)
		if (bytes[i] == 0x3d && (bytes[i + 1] & 0xfe) == 0 && bytes[i + 2] == 0xf0 &&
		    bytes[i + 3] == 0xff && bytes[i + 4] == 0xff)
			return true;
	return false;
}

static void instructions_scan(const uint8_t *bytes, size_t length, struct elf_kernel_entries *found)
{
	for (const uint8_t *at = bytes; (at = memchr(at, 0x0f, length - (size_t)(at - bytes)));
	     at++) {
		size_t place = (size_t)(at - bytes);
		if (place + 1 >= length)
			return;
		if (at[1] != 0x05)
			continue;
		bool checked = error_checked(bytes, place, length);
		int number = number_before(bytes, place, checked);
		if (number >= 0)
			found->numbers[number] = true;
		else if (checked)
			found->any = true;
	}
}

void elf_kernel_entries(struct elf *elf, struct elf_kernel_entries *found)
{
	enum { OVERLAP = LOOK_BACK + LOOK_AHEAD };
	*found = (struct elf_kernel_entries){0};
	if (elf->machine != EM_X86_64)
		return;
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		if (segment->type != PT_LOAD || !(segment->flags & PF_X))
			continue;
		uint64_t at = segment->offset, end = segment->offset + segment->size;
		while (at < end) {
			size_t length = end - at < ELF_WINDOW ? (size_t)(end - at) : ELF_WINDOW;
			const uint8_t *bytes = window_bytes(elf, elf->text, at, length);
			if (!bytes)
				break;
			instructions_scan(bytes, length, found);
			/* Windows overlap, so that instructions at their border are found. */
			at += length > OVERLAP && at + length < end ? length - OVERLAP : length;
		}
	}
}
