/* Object: reads ELF files: the kind of a program, what it needs, which symbols it imports.
 *
 * Files are hostile input: every offset is compared with the size of the file, and content is read into our own memory, never
 * mapped, so that a file that is truncated meanwhile does no harm. Only 64-bit little-endian files are read; of others only the
 * header.
 */
#ifndef OBJECT_ELF_H
#define OBJECT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_WINDOW = 65536,
	ELF_SEGMENTS_MOST = 64,
	ELF_VERSIONS_MOST = 256,
	ELF_NAME = 512,
	ELF_SYSTEM_CALLS = 1024,
};

/* A part of the file that was read. */
struct elf_window {
	uint64_t at;
	size_t length;
	uint8_t bytes[ELF_WINDOW];
};

struct elf_segment {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t size; /* in the file */
};

struct elf {
	int fd;
	uint64_t size;
	bool wide;  /* 64-bit and little-endian: the members below are set */
	bool small; /* 32-bit */
	uint16_t machine;
	uint16_t type;
	char interpreter[ELF_NAME]; /* "": none */
	bool dynamic;		    /* has a dynamic section */
	bool position_independent_program;
	struct elf_segment segments[ELF_SEGMENTS_MOST];
	size_t segment_count;

	/* internal: of the dynamic section */
	uint64_t dynamic_offset;
	uint64_t dynamic_count;
	uint64_t strings; /* offsets in the file; 0: none */
	uint64_t strings_size;
	uint64_t symbols;
	uint64_t symbol_count;
	uint64_t symbol_versions;
	uint32_t version_names[ELF_VERSIONS_MOST]; /* offsets in the strings, by index of version */
	struct elf_window *structure, *text;
};

struct elf_symbol {
	char name[ELF_NAME];
	char version[64]; /* "": none */
	bool imported;
	bool weak;
};

enum elf_status { ELF_OK, ELF_NONE, ELF_BROKEN, ELF_UNREADABLE };

/* ELF_NONE: not an ELF file. ELF_BROKEN: its tables contradict each other. ELF_UNREADABLE: errno has the reason. After ELF_OK,
 * elf_close() is required. */
enum elf_status elf_open(const char *path, struct elf *elf);
void elf_close(struct elf *elf);

/* The next text of dynamic entries with this tag (DT_NEEDED, DT_RUNPATH ...); begin with *at = 0. */
bool elf_text_next(struct elf *elf, int64_t tag, size_t *at, char text[ELF_NAME]);

/* The next dynamic symbol; begin with *at = 0. */
bool elf_symbol_next(struct elf *elf, size_t *at, struct elf_symbol *symbol);

/* Whether it contains the runtime of Go, shown by the note of Go's linker. */
bool elf_has_go(struct elf *elf);

/* Code that enters the kernel directly. */
struct elf_kernel_entries {
	bool numbers[ELF_SYSTEM_CALLS]; /* of system calls */
	bool any;			/* a number that is only known at run time */
};
void elf_kernel_entries(struct elf *elf, struct elf_kernel_entries *found);

#endif
