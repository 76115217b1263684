/* Command line: programs built with AddressSanitizer that need a variable to run with the preload library. */
#ifndef CLI_RECORD_SANITIZED_PROGRAM_H
#define CLI_RECORD_SANITIZED_PROGRAM_H

#include "object/elf.h"

/* The shared runtime of such a program refuses to be loaded after the preload library, and the library's hook that
 * prevents this (src/record/loader/sanitizer.c) has no effect, because the program has its own default options. */
bool sanitizer_needs_order(struct elf *elf);

/* What ASAN_OPTIONS must contain then. */
#define SANITIZER_ORDER "verify_asan_link_order=0"

#endif
