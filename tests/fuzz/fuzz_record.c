/* Fuzzing: a data.0 of several blocks, read as a trace.
 * flags: -Wl,--wrap=mmap -Wl,--wrap=munmap
 *
 * Input: a byte of flags, then the file. A mapping ends with a page, not with the file: the rest of the page is poisoned, so that
 * reads beyond the file are detected. */
#include "fuzz.h"

#include "trace/trace.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { REPAIR = 1, KEEP_LENGTHS = 2, CHECK = 4, NEWER = 8 };

enum { PAGE = 4096 };

void __asan_poison_memory_region(const volatile void *memory, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *memory, size_t size) __attribute__((weak));
void *__real_mmap(void *at, size_t length, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t length);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t length);

void *__wrap_mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
	char *memory = __real_mmap(at, length, protection, flags, file, offset);
	if (memory != MAP_FAILED && file >= 0 && length % PAGE && __asan_poison_memory_region)
		__asan_poison_memory_region(memory + length, PAGE - length % PAGE);
	return memory;
}

int __wrap_munmap(void *at, size_t length)
{
	if (length % PAGE && __asan_unpoison_memory_region)
		__asan_unpoison_memory_region((char *)at + length, PAGE - length % PAGE);
	return __real_munmap(at, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	uint8_t flags = input_byte(&input);
	size_t length = input.left;
	uint8_t *data = part_copy(input_rest(&input));
	unsigned how = (flags & KEEP_LENGTHS ? REPAIR_KEEP_LENGTH : 0) |
		       (flags & NEWER ? REPAIR_NEWER : 0);
	size_t blocks =
		flags & REPAIR ? repair_blocks(data, length, how) : count_blocks(data, length);
	folder_write("data.0", data, length);
	free(data);
	bound_begin(size, blocks);
	read_trace(folder_path(), flags & CHECK ? TRACE_CHECK : 0, READ_WHAT(flags));
	bound_end();
	return 0;
}
