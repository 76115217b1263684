/* Base: the kernel's clocks, read without the C library. See clock.h.
 *
 * The kernel maps an object with the function into each process (the vDSO). If the vDSO is missing (valgrind) or has no symbol
 * table, a system call is used.
 */
#include "base/clock.h"

#include "base/sys.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__aarch64__)
#define KERNEL_CLOCK "__kernel_clock_gettime"
#else
#define KERNEL_CLOCK "__vdso_clock_gettime"
#endif

typedef int clock_function(clockid_t, struct timespec *);

static int clock_by_number(clockid_t id, struct timespec *now)
{
	return (int)sys6(SYS_clock_gettime, id, sys_address(now), 0, 0, 0, 0);
}

/* Parts of the kernel's object (vDSO); pointers are NULL when it has no such entry. */
struct vdso {
	uintptr_t base; /* addresses in the object are relative to this */
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Word) * hash; /* DT_HASH: [1] is the number of symbols */
};

static struct vdso vdso_read(uintptr_t image)
{
	struct vdso vdso = {0};
	const ElfW(Ehdr) *header = (const void *)image;
	const ElfW(Phdr) *segment = (const void *)(image + header->e_phoff);
	const ElfW(Dyn) *entry = NULL;
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD && !vdso.base)
			vdso.base = image + segment[i].p_offset - segment[i].p_vaddr;
		else if (segment[i].p_type == PT_DYNAMIC)
			entry = (const void *)(image + segment[i].p_offset);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		const void *at = (const void *)(vdso.base + entry->d_un.d_ptr);
		if (entry->d_tag == DT_SYMTAB)
			vdso.symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			vdso.strings = at;
		else if (entry->d_tag == DT_HASH)
			vdso.hash = at;
	}
	return vdso;
}

static clock_function *clock_find(void)
{
	uintptr_t image = getauxval(AT_SYSINFO_EHDR);
	if (!image)
		return clock_by_number;
	struct vdso vdso = vdso_read(image);
	if (!vdso.symbols || !vdso.strings || !vdso.hash)
		return clock_by_number;
	for (ElfW(Word) i = 0; i < vdso.hash[1]; i++) {
		const ElfW(Sym) *symbol = &vdso.symbols[i];
		if (symbol->st_shndx != SHN_UNDEF &&
		    !strcmp(vdso.strings + symbol->st_name, KERNEL_CLOCK))
			return (clock_function *)(vdso.base + symbol->st_value);
	}
	return clock_by_number;
}

/* Not inlined: every wrapper reads the time twice, and usually from the processor's counter, which does not need this code. */
__attribute__((noinline)) int64_t clock_ns(clockid_t id)
{
	static clock_function *function;
	struct timespec now;
	clock_function *known = __atomic_load_n(&function, __ATOMIC_RELAXED);
	if (__builtin_expect(!known, 0)) {
		known = clock_find();
		__atomic_store_n(&function, known, __ATOMIC_RELAXED);
	}
	if (known(id, &now))
		return 0;
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
