/* Calls: read and write in all forms, and copies between descriptors. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

static char data[64];
static int file, pipes[2];

static void say_data(void)
{
	say("  %.20s", data);
	memset(data, 0, sizeof data);
}

static void reading(const struct variant *variant)
{
	ssize_t (*read_it)(int, void *, size_t, size_t) = use("read", variant);
	raw(SYS_lseek, file, 0, SEEK_SET, 0);
	TRY(read_it(file, data, 5, sizeof data));
	line("fd=%s, count=5", fd(file));
	say_data();
	raw(SYS_lseek, file, 1000, SEEK_SET, 0);
	TRY(read_it(file, data, 64, sizeof data));
	line("fd=%s, count=64", fd(file));
	TRY(read_it(-1, data, 5, sizeof data));
	line("fd=-1, count=5");
	raw(SYS_lseek, file, 0, SEEK_SET, 0);
	TRY(read_it(file, (void *)8, 5, sizeof data));
	line("fd=%s, count=5", fd(file));
}

static void writing(const struct variant *variant)
{
	ssize_t (*write_it)(int, const void *, size_t) = use("write", variant);
	raw(SYS_lseek, file, 3, SEEK_SET, 0);
	TRY(write_it(file, "WXYZ", 4));
	line("fd=%s, count=4", fd(file));
	say_file("data");
	TRY(write_it(file, NULL, 0));
	line("fd=%s, count=0", fd(file));
	TRY(write_it(777, "x", 1));
	line("fd=777, count=1");
	TRY(write_it(file, (void *)8, 9));
	line("fd=%s, count=9", fd(file));
}

static void reading_at(const struct variant *variant)
{
	ssize_t (*read_it)(int, void *, size_t, off_t, size_t) = use("pread", variant);
	TRY(read_it(file, data, 6, 2, sizeof data));
	line("fd=%s, count=6, offset=2", fd(file));
	say_data();
	TRY(read_it(file, data, 6, 1ll << 40, sizeof data));
	line("fd=%s, count=6, offset=1099511627776", fd(file));
	TRY(read_it(file, data, 6, -1, sizeof data));
	line("fd=%s, count=6, offset=-1", fd(file));
	TRY(read_it(pipes[0], data, 6, 0, sizeof data));
	line("fd=%s, count=6, offset=0", fd(pipes[0]));
}

static void writing_at(const struct variant *variant)
{
	ssize_t (*write_it)(int, const void *, size_t, off_t) = use("pwrite", variant);
	TRY(write_it(file, "12", 2, 5));
	line("fd=%s, count=2, offset=5", fd(file));
	say_file("data");
	TRY(write_it(file, "12", 2, -7));
	line("fd=%s, count=2, offset=-7", fd(file));
	TRY(write_it(pipes[1], "12", 2, 0));
	line("fd=%s, count=2, offset=0", fd(pipes[1]));
}

static struct iovec vector[3] = {{data, 4}, {data + 4, 0}, {data + 4, 5}};

static void reading_vector(const struct variant *variant)
{
	ssize_t (*read_it)(int, const struct iovec *, int) = use("readv", variant);
	raw(SYS_lseek, file, 0, SEEK_SET, 0);
	TRY(read_it(file, vector, 3));
	line("fd=%s, iov=9, count=3", fd(file));
	say_data();
	TRY(read_it(file, vector, 0));
	line("fd=%s, iov=0, count=0", fd(file));
	TRY(read_it(file, vector, -1));
	line("fd=%s, iov=0, count=-1", fd(file));
	TRY(read_it(file, (void *)8, 2));
	line("fd=%s, iov=0, count=2", fd(file));
	TRY(read_it(file, NULL, 2));
	line("fd=%s, iov=0, count=2", fd(file));
	TRY(read_it(-5, vector, 1));
	line("fd=-5, iov=4, count=1");
}

static void writing_vector(const struct variant *variant)
{
	ssize_t (*write_it)(int, const struct iovec *, int) = use("writev", variant);
	memcpy(data, "vectorize", 9);
	raw(SYS_lseek, file, 0, SEEK_SET, 0);
	TRY(write_it(file, vector, 3));
	line("fd=%s, iov=9, count=3", fd(file));
	say_file("data");
	TRY(write_it(file, vector, 5000));
	line("fd=%s, iov=0, count=5000", fd(file));
	TRY(write_it(file, (void *)~15ul, 1));
	line("fd=%s, iov=0, count=1", fd(file));
}

static void reading_vector_at(const struct variant *variant)
{
	ssize_t (*read_it)(int, const struct iovec *, int, off_t) = use("preadv", variant);
	TRY(read_it(file, vector, 3, 1));
	line("fd=%s, iov=9, count=3, offset=1", fd(file));
	say_data();
	TRY(read_it(file, vector, 1, -2));
	line("fd=%s, iov=4, count=1, offset=-2", fd(file));
}

static void writing_vector_at(const struct variant *variant)
{
	ssize_t (*write_it)(int, const struct iovec *, int, off_t) = use("pwritev", variant);
	memcpy(data, "displaced", 9);
	TRY(write_it(file, vector, 3, 2));
	line("fd=%s, iov=9, count=3, offset=2", fd(file));
	say_file("data");
	TRY(write_it(pipes[1], vector, 1, 0));
	line("fd=%s, iov=4, count=1, offset=0", fd(pipes[1]));
}

static void reading_flags(const struct variant *variant)
{
	ssize_t (*read_it)(int, const struct iovec *, int, off_t, int) = use("preadv2", variant);
	TRY(read_it(file, vector, 3, 0, RWF_HIPRI));
	line("fd=%s, iov=9, count=3, offset=0, flags=RWF_HIPRI", fd(file));
	say_data();
	raw(SYS_lseek, file, 4, SEEK_SET, 0);
	TRY(read_it(file, vector, 1, -1, 0));
	line("fd=%s, iov=4, count=1, offset=-1, flags=0", fd(file));
	say_data();
	TRY(read_it(file, vector, 1, 0, 0x40000000));
	line("fd=%s, iov=4, count=1, offset=0, flags=0x40000000", fd(file));
}

static void writing_flags(const struct variant *variant)
{
	ssize_t (*write_it)(int, const struct iovec *, int, off_t, int) = use("pwritev2", variant);
	memcpy(data, "important", 9);
	TRY(write_it(file, vector, 3, 0, RWF_DSYNC | RWF_SYNC));
	line("fd=%s, iov=9, count=3, offset=0, flags=RWF_DSYNC|RWF_SYNC", fd(file));
	TRY(write_it(file, vector, 1, 0, RWF_APPEND));
	line("fd=%s, iov=4, count=1, offset=0, flags=RWF_APPEND", fd(file));
	say_file("data");
	TRY(write_it(-1, vector, 1, 0, RWF_APPEND | 0x40000000));
	line("fd=-1, iov=4, count=1, offset=0, flags=RWF_APPEND|0x40000000");
}

static void copying_range(const struct variant *variant)
{
	ssize_t (*copy)(int, off_t *, int, off_t *, size_t, unsigned) =
		use("copy_file_range", variant);
	off_t from = 2, to = 1;
	int other = open_fd("other", O_RDWR, "O_RDWR");
	TRY(copy(file, &from, other, &to, 6, 0));
	line("fd=%s, offset=2, newfd=%s, newoffset=1, count=6, flags=0", fd(file), fd(other));
	say_file("other");
	say("  %ld %ld", (long)from, (long)to);
	raw(SYS_lseek, file, 0, SEEK_SET, 0);
	TRY(copy(file, NULL, other, &to, 2, 0));
	line("fd=%s, offset=NULL, newfd=%s, newoffset=7, count=2, flags=0", fd(file), fd(other));
	TRY(copy(file, &from, -1, &to, 6, 0));
	line("fd=%s, offset=8, newfd=-1, newoffset=9, count=6, flags=0", fd(file));
	TRY(copy(file, &from, other, &to, 6, 77));
	line("fd=%s, offset=8, newfd=%s, newoffset=9, count=6, flags=77", fd(file), fd(other));
	close_fd(other);
}

static void sending(const struct variant *variant)
{
	ssize_t (*send)(int, int, off_t *, size_t) = use("sendfile", variant);
	off_t from = 3;
	TRY(send(pipes[1], file, &from, 4));
	line("newfd=%s, fd=%s, offset=3, count=4", fd(pipes[1]), fd(file));
	raw(SYS_read, pipes[0], (long)data, 4, 0);
	say_data();
	TRY(send(pipes[1], -1, NULL, 4));
	line("newfd=%s, fd=-1, offset=NULL, count=4", fd(pipes[1]));
}

static void splicing(const struct variant *variant)
{
	ssize_t (*splice_it)(int, off_t *, int, off_t *, size_t, unsigned) = use("splice", variant);
	off_t from = 1;
	TRY(splice_it(file, &from, pipes[1], NULL, 3, SPLICE_F_MOVE | SPLICE_F_MORE));
	line("fd=%s, offset=1, newfd=%s, newoffset=NULL, count=3, "
	     "flags=SPLICE_F_MOVE|SPLICE_F_MORE",
	     fd(file), fd(pipes[1]));
	raw(SYS_read, pipes[0], (long)data, 3, 0);
	say_data();
	TRY(splice_it(file, &from, file, &from, 3, 0));
	line("fd=%s, offset=4, newfd=%s, newoffset=4, count=3, flags=0", fd(file), fd(file));
}

static void doubling(const struct variant *variant)
{
	int ends[2];
	ssize_t (*tee_it)(int, int, size_t, unsigned) = use("tee", variant);
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	raw(SYS_write, pipes[1], (long)"through", 7, 0);
	TRY(tee_it(pipes[0], ends[1], 7, SPLICE_F_NONBLOCK));
	line("fd=%s, newfd=%s, count=7, flags=SPLICE_F_NONBLOCK", fd(pipes[0]), fd(ends[1]));
	raw(SYS_read, pipes[0], (long)data, 7, 0);
	TRY(tee_it(file, ends[1], 7, 0));
	line("fd=%s, newfd=%s, count=7, flags=0", fd(file), fd(ends[1]));
	close_fd(ends[0]);
	close_fd(ends[1]);
}

static void gifting(const struct variant *variant)
{
	ssize_t (*give)(int, const struct iovec *, size_t, unsigned) = use("vmsplice", variant);
	TRY(give(pipes[1], vector, 3, SPLICE_F_NONBLOCK));
	line("fd=%s, iov=9, count=3, flags=SPLICE_F_NONBLOCK", fd(pipes[1]));
	raw(SYS_read, pipes[0], (long)data, 9, 0);
	TRY(give(file, vector, 1, 0));
	line("fd=%s, iov=4, count=1, flags=0", fd(file));
}

int main(void)
{
	put_file("data", "0123456789abcdef");
	put_file("other", "....................");
	file = open_fd("data", O_RDWR, "O_RDWR");
	raw(SYS_pipe2, (long)pipes, 0, 0, 0);
	RUN(reading, LINKED(read), HIDDEN(__read), HIDDEN(__read_chk));
	RUN(writing, LINKED(write), HIDDEN(__write));
	RUN(reading_at, LINKED(pread), LINKED(pread64), HIDDEN(__pread64), HIDDEN(__pread_chk),
	    HIDDEN(__pread64_chk));
	RUN(writing_at, LINKED(pwrite), LINKED(pwrite64), HIDDEN(__pwrite64));
	RUN(reading_vector, LINKED(readv));
	RUN(writing_vector, LINKED(writev));
	RUN(reading_vector_at, LINKED(preadv), LINKED(preadv64));
	RUN(writing_vector_at, LINKED(pwritev), LINKED(pwritev64));
	RUN(reading_flags, LINKED(preadv2), LINKED(preadv64v2));
	RUN(writing_flags, LINKED(pwritev2), LINKED(pwritev64v2));
	RUN(copying_range, LINKED(copy_file_range));
	RUN(sending, LINKED(sendfile), LINKED(sendfile64));
	RUN(splicing, LINKED(splice));
	RUN(doubling, LINKED(tee));
	RUN(gifting, LINKED(vmsplice));
	return 0;
}
