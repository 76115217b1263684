/* Fuzzing: the settings of the sanitizers, and the bound of memory that may be allocated for an input. See fuzz.h.
 *
 * A block of some hundred bytes can declare millions of records. The memory that a reader allocates for it must be bounded by the
 * size of the input: each block by its own budget, and all open blocks by that of the trace, plus one that is being opened. ASan
 * counts the memory; builds without ASan do not check the bound. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#define ALLOCATION_BASE (64ll << 20)
#define ALLOCATION_SLACK (16ll << 20)
#define ALLOCATION_PER_BYTE (4096ll + 64)
/* Each block may be a stream of its own, with pages and names. */
#define ALLOCATION_STREAM (1ll << 20)

/* Declared in sanitizer/allocator_interface.h, which exists only with ASan of either compiler. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
					      void (*freed)(const volatile void *))
	__attribute__((weak));
size_t __sanitizer_get_allocated_size(const volatile void *memory) __attribute__((weak));

/* Freed memory is kept for a while, but not so long that every input gets new pages; the rest is for speed. gcc's ASan is a
 * library, and must find this function. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=2:handle_abort=1:allocator_release_to_os_interval_ms=-1:"
	       "malloc_context_size=8:use_madv_dontdump=0:clear_shadow_mmap_threshold=1048576";
}

static bool counting;
static long long live, allowed;

static void allocated(const volatile void *memory, size_t size)
{
	(void)memory;
	if (!counting)
		return;
	live += (long long)size;
	if (live <= allowed)
		return;
	counting = false;
	fprintf(stderr,
		"fuzz: %lld bytes are allocated, the input allows %lld: the last were %zu\n", live,
		allowed, size);
	abort();
}

static void freed(const volatile void *memory)
{
	if (counting && memory)
		live -= (long long)__sanitizer_get_allocated_size(memory);
}

void bound_begin(size_t size, size_t blocks)
{
	static bool installed;
	if (!__sanitizer_install_malloc_and_free_hooks)
		return;
	if (!installed)
		__sanitizer_install_malloc_and_free_hooks(allocated, freed);
	installed = true;
	live = 0;
	long long count = blocks ? (long long)blocks : 1, length = (long long)size;
	long long each = ALLOCATION_BASE * count + ALLOCATION_PER_BYTE * length;
	long long together =
		2 * ALLOCATION_BASE + ALLOCATION_STREAM * count + 4 * ALLOCATION_PER_BYTE * length;
	allowed = ALLOCATION_SLACK + (each < together ? each : together);
	counting = true;
}

void bound_end(void)
{
	counting = false;
}
