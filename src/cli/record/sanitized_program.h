/* Command line: programs built with AddressSanitizer that need a variable to run with the preload library. */
#ifndef CLI_RECORD_SANITIZED_PROGRAM_H
#define CLI_RECORD_SANITIZED_PROGRAM_H

#include "object/elf.h"

/* Its shared runtime would refuse to be loaded after our library, and the library's hook that prevents this
 * (src/record/loader/sanitizer.c) has no effect: the program has default options of its own. */
bool sanitizer_needs_order(struct elf *elf);

/* What ASAN_OPTIONS must hold then. */
#define SANITIZER_ORDER "verify_asan_link_order=0"

#endif
