/* Command line: detects programs built with AddressSanitizer. See sanitized_program.h. */
#include "cli/record/sanitized_program.h"

#include <elf.h>
#include <string.h>

bool sanitizer_needs_order(struct elf *elf)
{
	char needed[ELF_NAME];
	struct elf_symbol symbol;
	bool shared = false;
	for (size_t at = 0; elf_text_next(elf, DT_NEEDED, &at, needed);)
		shared |= strstr(needed, "libasan.so") || strstr(needed, "libclang_rt.asan");
	for (size_t at = 0; shared && elf_symbol_next(elf, &at, &symbol);)
		if (!symbol.imported && !strcmp(symbol.name, "__asan_default_options"))
			return true;
	return false;
}
