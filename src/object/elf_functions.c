/* Object: names of functions from an ELF file. See elf_functions.h.
 *
 * Reads the table of all symbols if the file was not stripped, else that of exported ones. The file may have changed since the
 * run: the build id shows this. Like all files it is hostile input; see elf.h.
 */
#include "object/elf_functions.h"

#include "object/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTIONS_MOST = 4096, NOTES_MOST = 1 << 16 };
#define TABLE_MOST (UINT64_C(1) << 30)

/* Reads a part of the file into allocated memory, with a zero byte behind it; NULL: it is not in the file. */
static void *bytes_read(const struct elf *elf, uint64_t offset, uint64_t size)
{
	if (offset > elf->size || elf->size - offset < size || size > TABLE_MOST)
		return NULL;
	char *bytes = calloc(size + 1, 1);
	size_t done = 0;
	while (bytes && done < size) {
		ssize_t got = pread(elf->fd, bytes + done, size - done, (off_t)(offset + done));
		if (got <= 0) {
			free(bytes);
			return NULL;
		}
		done += (size_t)got;
	}
	return bytes;
}

/* Whether the notes contain a build id, and whether it is equal to `build`. */
static bool build_in(const uint8_t *notes, size_t size, const char *build, bool *same)
{
	for (size_t at = 0; size - at >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr note;
		memcpy(&note, notes + at, sizeof note);
		size_t name = at + sizeof note, bytes = name + ((note.n_namesz + 3ull) & ~3ull);
		if (bytes > size || note.n_descsz > size - bytes)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4)) {
			*same = strlen(build) == 2 * (size_t)note.n_descsz;
			for (size_t i = 0; *same && i < note.n_descsz; i++) {
				const char digits[] = "0123456789abcdef";
				*same = build[2 * i] == digits[notes[bytes + i] >> 4] &&
					build[2 * i + 1] == digits[notes[bytes + i] & 15];
			}
			return true;
		}
		at = bytes + ((note.n_descsz + 3ull) & ~3ull);
		if (at > size)
			return false;
	}
	return false;
}

static bool build_fits(const struct elf *elf, const char *build)
{
	bool same = false;
	if (!*build)
		return true;
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		if (segment->type != PT_NOTE || segment->size > NOTES_MOST)
			continue;
		uint8_t *notes = bytes_read(elf, segment->offset, segment->size);
		bool found = notes && build_in(notes, segment->size, build, &same);
		free(notes);
		if (found)
			break;
	}
	return same;
}

static int by_address(const void *left, const void *right)
{
	const struct elf_function *a = left, *b = right;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool table_take(const struct elf *elf, const Elf64_Shdr *table, const Elf64_Shdr *texts,
		       struct elf_functions *functions)
{
	size_t count = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym *symbols = bytes_read(elf, table->sh_offset, count * sizeof *symbols);
	functions->texts = bytes_read(elf, texts->sh_offset, texts->sh_size);
	functions->list = malloc(count * sizeof *functions->list + 1);
	for (size_t i = 0; symbols && functions->texts && functions->list && i < count; i++) {
		const Elf64_Sym *symbol = &symbols[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
		    symbol->st_name >= texts->sh_size)
			continue;
		functions->list[functions->count++] = (struct elf_function){
			symbol->st_value, symbol->st_size, symbol->st_name, (uint32_t)i};
	}
	free(symbols);
	if (!functions->list || !functions->count) {
		elf_functions_clear(functions);
		return false;
	}
	qsort(functions->list, functions->count, sizeof *functions->list, by_address);
	return true;
}

static bool sections_look(const struct elf *elf, struct elf_functions *functions)
{
	Elf64_Ehdr *head = bytes_read(elf, 0, sizeof *head);
	uint64_t at = head ? head->e_shoff : 0;
	size_t count = head && head->e_shentsize == sizeof(Elf64_Shdr) ? head->e_shnum : 0;
	free(head);
	if (count > SECTIONS_MOST)
		return false;
	Elf64_Shdr *sections = count ? bytes_read(elf, at, count * sizeof *sections) : NULL;
	bool done = false;
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	for (size_t k = 0; k < 2 && sections && !done; k++)
		for (size_t i = 0; i < count && !done; i++)
			if (sections[i].sh_type == types[k] && sections[i].sh_link < count)
				done = table_take(elf, &sections[i], &sections[sections[i].sh_link],
						  functions);
	free(sections);
	return done;
}

bool elf_functions_read(const char *path, const char *build, struct elf_functions *functions)
{
	struct elf elf;
	*functions = (struct elf_functions){0};
	if (elf_open(path, &elf) != ELF_OK)
		return false;
	bool done = elf.wide && build_fits(&elf, build) && sections_look(&elf, functions);
	elf_close(&elf);
	return done;
}

void elf_functions_clear(struct elf_functions *functions)
{
	free(functions->list);
	free(functions->texts);
	*functions = (struct elf_functions){0};
}

const char *elf_function_at(const struct elf_functions *functions, uint64_t address,
			    uint64_t *offset)
{
	size_t low = 0, high = functions->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (functions->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	const struct elf_function *found = &functions->list[--low];
	while (low && functions->list[low - 1].address == found->address)
		found = &functions->list[--low];
	if (found->size && address - found->address >= found->size)
		return NULL;
	*offset = address - found->address;
	return functions->texts + found->name;
}
