/* Calls: position, size, allocation and syncing. See tests/calls/call.h. */
#include "../../calls/call.h"

static int file;

static void seeking(const struct variant *variant)
{
	off_t (*seek)(int, off_t, int) = use("lseek", variant);
	TRY(seek(file, 7, SEEK_SET));
	line("fd=%s, offset=7, whence=SEEK_SET", fd(file));
	TRY(seek(file, -3, SEEK_CUR));
	line("fd=%s, offset=-3, whence=SEEK_CUR", fd(file));
	TRY(seek(file, 1ll << 40, SEEK_END));
	line("fd=%s, offset=1099511627776, whence=SEEK_END", fd(file));
	TRY(seek(file, 0, SEEK_DATA));
	line("fd=%s, offset=0, whence=SEEK_DATA", fd(file));
	TRY(seek(file, 0, SEEK_HOLE));
	line("fd=%s, offset=0, whence=SEEK_HOLE", fd(file));
	TRY(seek(file, -1, SEEK_SET));
	line("fd=%s, offset=-1, whence=SEEK_SET", fd(file));
	TRY(seek(file, 0, 99));
	line("fd=%s, offset=0, whence=99", fd(file));
	TRY(seek(-1, 0, SEEK_SET));
	line("fd=-1, offset=0, whence=SEEK_SET");
	raw(SYS_lseek, file, 0, SEEK_SET, 0);
}

static void truncating(const struct variant *variant)
{
	int (*set)(const char *, off_t) = use("truncate", variant);
	TRY(set("data", 10));
	line("path=\"data\", length=10");
	say_name("data");
	TRY(set("missing", 1ll << 40));
	line("path=\"missing\", length=1099511627776");
	TRY(set(".", 0));
	line("path=\".\", length=0");
}

static void truncating_file(const struct variant *variant)
{
	int (*set)(int, off_t) = use("ftruncate", variant);
	TRY(set(file, 100));
	line("fd=%s, length=100", fd(file));
	say_name("data");
	TRY(set(-1, 5));
	line("fd=-1, length=5");
	TRY(set(0, 5));
	line("fd=%s, length=5", fd(0));
}

/* A negative length is invalid; it is shown as the number that was passed. */
static void allocating(const struct variant *variant)
{
	int (*allocate)(int, int, off_t, off_t) = use("fallocate", variant);
	TRY(allocate(file, FALLOC_FL_KEEP_SIZE, 0, 4096));
	line("fd=%s, mode=FALLOC_FL_KEEP_SIZE, offset=0, length=4096", fd(file));
	TRY(allocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 50));
	line("fd=%s, mode=FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, offset=0, length=50", fd(file));
	TRY(allocate(file, 0, 10, 0));
	line("fd=%s, mode=0, offset=10, length=0", fd(file));
	TRY(allocate(-1, 0x1000, 10, 4));
	line("fd=-1, mode=0x1000, offset=10, length=4");
}

static void allocating_portably(const struct variant *variant)
{
	int (*allocate)(int, off_t, off_t) = use("posix_fallocate", variant);
	TRY(allocate(file, 0, 200));
	line_errno("fd=%s, offset=0, length=200", fd(file));
	say_name("data");
	TRY(allocate(file, -1, 200));
	line_errno("fd=%s, offset=-1, length=200", fd(file));
	TRY(allocate(-1, 0, 200));
	line_errno("fd=-1, offset=0, length=200");
}

static void advising(const struct variant *variant)
{
	int (*advise)(int, off_t, off_t, int) = use("posix_fadvise", variant);
	static const char *const names[] = {"NORMAL",	"RANDOM",   "SEQUENTIAL",
					    "WILLNEED", "DONTNEED", "NOREUSE"};
	for (int i = 0; i < 6; i++) {
		TRY(advise(file, i, 4096, i));
		line_errno("fd=%s, offset=%d, length=4096, advice=POSIX_FADV_%s", fd(file), i,
			   names[i]);
	}
	TRY(advise(file, 0, 0, 42));
	line_errno("fd=%s, offset=0, length=0, advice=42", fd(file));
	TRY(advise(-1, 0, 0, 0));
	line_errno("fd=-1, offset=0, length=0, advice=POSIX_FADV_NORMAL");
}

static void reading_ahead(const struct variant *variant)
{
	ssize_t (*read_ahead)(int, off64_t, size_t) = use("readahead", variant);
	TRY(read_ahead(file, 0, 100));
	line("fd=%s, offset=0, count=100", fd(file));
	TRY(read_ahead(-1, 0, 100));
	line("fd=-1, offset=0, count=100");
}

static void syncing_all(const struct variant *variant)
{
	void (*sync_all)(void) = use("sync", variant);
	TRY_VOID(sync_all());
	line_as("", "%s", "");
}

static void syncing(const struct variant *variant)
{
	int (*sync_it)(int) = use(variant->symbol, variant);
	TRY(sync_it(file));
	line("fd=%s", fd(file));
	TRY(sync_it(-1));
	line("fd=-1");
	TRY(sync_it(99));
	line("fd=99");
}

static void syncing_range(const struct variant *variant)
{
	int (*sync_it)(int, off64_t, off64_t, unsigned) = use("sync_file_range", variant);
	TRY(sync_it(file, 0, 10, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
	line("fd=%s, offset=0, length=10, flags=SYNC_FILE_RANGE_WRITE|SYNC_FILE_RANGE_WAIT_AFTER",
	     fd(file));
	TRY(sync_it(file, 0, 10, 0x40));
	line("fd=%s, offset=0, length=10, flags=0x40", fd(file));
	TRY(sync_it(-1, 0, 10, SYNC_FILE_RANGE_WAIT_BEFORE));
	line("fd=-1, offset=0, length=10, flags=SYNC_FILE_RANGE_WAIT_BEFORE");
}

int main(void)
{
	put_file("data", "0123456789abcdef");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(seeking, LINKED(lseek), LINKED(lseek64), HIDDEN(__lseek));
	RUN(truncating, LINKED(truncate), LINKED(truncate64));
	RUN(truncating_file, LINKED(ftruncate), LINKED(ftruncate64));
	RUN(allocating, LINKED(fallocate), LINKED(fallocate64));
	RUN(allocating_portably, LINKED(posix_fallocate), LINKED(posix_fallocate64));
	RUN(advising, LINKED(posix_fadvise), LINKED(posix_fadvise64));
	RUN(reading_ahead, LINKED(readahead));
	RUN(syncing_all, LINKED(sync));
	RUN(syncing, LINKED(fsync), LINKED(fdatasync), LINKED(syncfs));
	RUN(syncing_range, LINKED(sync_file_range));
	return 0;
}
