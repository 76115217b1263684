/* Object: the functions in the symbol tables of an ELF file, by address. See elf_functions.c. */
#ifndef OBJECT_ELF_FUNCTIONS_H
#define OBJECT_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_function {
	uint64_t address;
	uint64_t size;	/* 0: unknown */
	uint32_t name;	/* where it begins in the texts */
	uint32_t order; /* if several have the same address, the first in the table counts */
};

struct elf_functions {
	struct elf_function *list; /* by address */
	size_t count;
	char *texts; /* with a zero byte at its end */
};

/* False: there is no such file, it has no functions, or its build id is not `build` (hexadecimal; "": unknown, not compared).
 * After true, elf_functions_clear() is required. */
bool elf_functions_read(const char *path, const char *build, struct elf_functions *functions);
void elf_functions_clear(struct elf_functions *functions);

/* The function that contains this address; NULL: none. */
const char *elf_function_at(const struct elf_functions *functions, uint64_t address,
			    uint64_t *offset);

#endif
