/* Calls: mappings. Addresses are recorded only on request. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

static int file;

static void line_map(const char *arguments)
{
	bool failed = call.result == -1;
	line_as(failed ? text(" = 0xffffffffffffffff %s", strerrorname_np(call.error)) : " = NULL",
		"%s", arguments);
}

static void unmap(void *address)
{
	raw(SYS_munmap, (long)address, PAGE, 0, 0);
}

static void mapping(const struct variant *variant)
{
	void *(*map)(void *, size_t, int, int, int, off_t) = use("mmap", variant);
	char *found = (char *)TRY(map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
	line_map(text("addr=NULL, length=4096, prot=PROT_READ|PROT_WRITE, flags=MAP_SHARED, fd=%s, "
		      "offset=0",
		      fd(file)));
	say("  %.4s", found);
	unmap(found);
	found = (char *)TRY(
		map(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	line_map("addr=NULL, length=4096, prot=PROT_NONE, "
		 "flags=MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE, fd=-1, "
		 "offset=0");
	unmap(found);
	TRY(map(NULL, 0, PROT_EXEC, MAP_SHARED_VALIDATE, file, 0));
	line_map(text(
		"addr=NULL, length=0, prot=PROT_EXEC, flags=MAP_SHARED_VALIDATE, fd=%s, offset=0",
		fd(file)));
	TRY(map(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 1));
	line_map(text("addr=NULL, length=4096, prot=PROT_READ, flags=MAP_PRIVATE|MAP_POPULATE, "
		      "fd=%s, offset=1",
		      fd(file)));
	TRY(map(NULL, PAGE, PROT_READ, MAP_PRIVATE, 95, 0));
	line_map("addr=NULL, length=4096, prot=PROT_READ, flags=MAP_PRIVATE, fd=95, offset=0");
}

static char *mapped(void)
{
	void *(*map)(void *, size_t, int, int, int, off_t) =
		use("mmap", &(struct variant)LINKED(mmap));
	char *found = (char *)TRY(map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
	line_map(text("addr=NULL, length=4096, prot=PROT_READ|PROT_WRITE, flags=MAP_SHARED, fd=%s, "
		      "offset=0",
		      fd(file)));
	return found;
}

static void unmapping(const struct variant *variant)
{
	char *found = mapped();
	int (*forget)(void *, size_t) = use("munmap", variant);
	TRY(forget(found, PAGE));
	line("addr=NULL, length=4096");
	TRY(forget((void *)1, PAGE));
	line("addr=NULL, length=4096");
}

static void syncing(const struct variant *variant)
{
	char *found = mapped();
	int (*sync_it)(void *, size_t, int) = use("msync", variant);
	memcpy(found, "MAPS", 4);
	TRY(sync_it(found, PAGE, MS_SYNC | MS_INVALIDATE));
	line("addr=NULL, length=4096, flags=MS_INVALIDATE|MS_SYNC");
	say_file("data");
	TRY(sync_it(found, PAGE, MS_SYNC | MS_ASYNC));
	line("addr=NULL, length=4096, flags=MS_ASYNC|MS_SYNC");
	unmap(found);
}

static void resizing(const struct variant *variant)
{
	char *found = mapped();
	void *(*resize)(void *, size_t, size_t, int, ...) = use("mremap", variant);
	char *moved = (char *)TRY(resize(found, PAGE, 3 * PAGE, MREMAP_MAYMOVE));
	line_map("addr=NULL, length=4096, newlength=12288, flags=MREMAP_MAYMOVE, newaddr=NULL");
	say("  %.4s", moved);
	void *(*map)(void *, size_t, int, int, int, off_t) =
		use("mmap", &(struct variant)LINKED(mmap));
	char *place =
		(char *)TRY(map(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	line_map("addr=NULL, length=16384, prot=PROT_NONE, flags=MAP_PRIVATE|MAP_ANONYMOUS, fd=-1, "
		 "offset=0");
	use("mremap", variant);
	TRY(resize(moved, 3 * PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place + PAGE));
	line_map("addr=NULL, length=12288, newlength=4096, flags=MREMAP_MAYMOVE|MREMAP_FIXED, "
		 "newaddr=NULL");
	say("  %d", (char *)call.result == place + PAGE);
	unmap((void *)call.result);
	TRY(resize((void *)1, PAGE, PAGE, 0x80));
	line_map("addr=NULL, length=4096, newlength=4096, flags=0x80, newaddr=NULL");
}

static void advising(const struct variant *variant)
{
	char *found = mapped();
	int (*advise)(void *, size_t, int) = use("madvise", variant);
	static const struct {
		int advice;
		const char *shown;
	} tries[] = {{MADV_NORMAL, "MADV_NORMAL"},
		     {MADV_RANDOM, "MADV_RANDOM"},
		     {MADV_WILLNEED, "MADV_WILLNEED"},
		     {MADV_DONTNEED, "MADV_DONTNEED"},
		     {MADV_FREE, "MADV_FREE"},
		     {MADV_DONTFORK, "MADV_DONTFORK"},
		     {MADV_COLD, "MADV_COLD"},
		     {MADV_POPULATE_READ, "MADV_POPULATE_READ"},
		     {4711, "4711"}};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		TRY(advise(found, PAGE, tries[i].advice));
		line("addr=NULL, length=4096, advice=%s", tries[i].shown);
	}
	unmap(found);
}

static void advising_portably(const struct variant *variant)
{
	char *found = mapped();
	int (*advise)(void *, size_t, int) = use("posix_madvise", variant);
	TRY(advise(found, PAGE, POSIX_MADV_SEQUENTIAL));
	line_errno("addr=NULL, length=4096, advice=POSIX_MADV_SEQUENTIAL");
	TRY(advise(found, PAGE, 99));
	line_errno("addr=NULL, length=4096, advice=99");
	unmap(found);
}

static void protecting(const struct variant *variant)
{
	char *found = mapped();
	int (*protect)(void *, size_t, int) = use("mprotect", variant);
	TRY(protect(found, PAGE, PROT_READ));
	line("addr=NULL, length=4096, prot=PROT_READ");
	TRY(protect(found + 1, PAGE, PROT_READ));
	line("addr=NULL, length=4096, prot=PROT_READ");
	unmap(found);
}

int main(void)
{
	put_file("data", "0123456789abcdef");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(mapping, LINKED(mmap), LINKED(mmap64));
	RUN(unmapping, LINKED(munmap));
	RUN(syncing, LINKED(msync));
	RUN(resizing, LINKED(mremap));
	RUN(advising, LINKED(madvise));
	RUN(advising_portably, LINKED(posix_madvise));
	RUN(protecting, LINKED(mprotect));
	return 0;
}
