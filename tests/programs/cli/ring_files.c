/* Writes and reads by io_uring, and prints the bytes read and written for each file: `file NAME READ WRITTEN`, then `none BYTES`
 * for those that cannot be attributed. The argument names the way. Without io_uring: status 77.
 * libraries: uring
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct io_uring ring;
static char block[500];
static int one, other;

static struct io_uring_sqe *request(int fd, unsigned flags, unsigned long key)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	io_uring_prep_write(sqe, fd, block, sizeof block, 0);
	sqe->flags = (unsigned char)flags;
	sqe->user_data = key;
	return sqe;
}

/* All prepared requests; when it returns they are complete, and a call has shown that. */
static void done(unsigned count)
{
	io_uring_submit_and_wait(&ring, count);
	io_uring_get_events(&ring);
	io_uring_cq_advance(&ring, count);
}

static void equal_keys(void)
{
	for (int i = 0; i < 4; i++)
		request(one, 0, 0);
	io_uring_prep_fsync(io_uring_get_sqe(&ring), other, 0);
	done(5);
	/* The same key again, on the other file. */
	request(other, 0, 0);
	request(other, 0, 0);
	done(2);
	puts("file one 0 2000\nfile other 0 1000\nnone 0");
}

static void several_files(void)
{
	request(one, 0, 0);
	request(other, 0, 0);
	request(other, 0, 7);
	done(3);
	request(one, 0, 0);
	done(1);
	puts("file one 0 500\nfile other 0 500\nnone 2");
}

static void both_directions(void)
{
	request(one, 0, 7);
	done(1);
	request(one, 0, 0);
	io_uring_prep_read(io_uring_get_sqe(&ring), one, block, sizeof block, 0);
	done(2);
	puts("file one 0 500\nfile other 0 0\nnone 2");
}

static void registered(void)
{
	int files[2] = {one, other}, empty = -1;
	io_uring_register_files(&ring, files, 2);
	request(0, IOSQE_FIXED_FILE, 1);
	request(1, IOSQE_FIXED_FILE, 2);
	request(1, IOSQE_FIXED_FILE, 3);
	request(2, IOSQE_FIXED_FILE, 4);
	done(4);
	io_uring_register_files_update(&ring, 0, &other, 1);
	io_uring_register_files_update(&ring, 1, &empty, 1);
	request(0, IOSQE_FIXED_FILE, 1);
	request(1, IOSQE_FIXED_FILE, 2);
	done(2);
	io_uring_unregister_files(&ring);
	puts("file one 0 500\nfile other 0 1500\nnone 0");
}

/* By the system call. The descriptors may be closed then. */
static void registered_by_call(void)
{
	int files[2] = {one, other};
	struct io_uring_files_update change = {.offset = 1, .fds = (unsigned long)&files[0]};
	struct io_uring_rsrc_register made = {.nr = 2, .data = (unsigned long)files};
	struct io_uring_rsrc_update2 newer = {
		.offset = 0, .nr = 1, .data = (unsigned long)&files[1]};
	syscall(SYS_io_uring_register, ring.ring_fd, IORING_REGISTER_FILES, files, 2);
	syscall(SYS_io_uring_register, ring.ring_fd, IORING_REGISTER_FILES_UPDATE, &change, 1);
	request(1, IOSQE_FIXED_FILE, 1);
	done(1);
	syscall(SYS_io_uring_register, ring.ring_fd, IORING_UNREGISTER_FILES, NULL, 0);
	syscall(SYS_io_uring_register, ring.ring_fd, IORING_REGISTER_FILES2, &made, sizeof made);
	syscall(SYS_io_uring_register, ring.ring_fd, IORING_REGISTER_FILES_UPDATE2, &newer,
		sizeof newer);
	close(one);
	close(other);
	request(0, IOSQE_FIXED_FILE, 2);
	request(1, IOSQE_FIXED_FILE, 3);
	done(2);
	puts("file one 0 500\nfile other 0 1000\nnone 0");
}

/* If the kernel opens a file into the table, only the kernel has its name. */
static void opened_by_ring(void)
{
	io_uring_register_files_sparse(&ring, 2);
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	io_uring_prep_openat_direct(sqe, AT_FDCWD, "third", O_CREAT | O_WRONLY, 0600, 1);
	sqe->user_data = 5;
	done(1);
	request(1, IOSQE_FIXED_FILE, 1);
	done(1);
	puts("file one 0 0\nfile other 0 0\nnone 1");
}

static void splices(void)
{
	int ends[2];
	if (pipe(ends) || write(one, block, sizeof block) != (int)sizeof block)
		abort();
	io_uring_prep_splice(io_uring_get_sqe(&ring), one, 0, ends[1], -1, 100, 0);
	done(1);
	puts("file one 0 0\nfile other 0 0\nnone 1");
}

/* A ring that is closed with a request in flight; the next one gets its descriptor. */
static void next_ring(void)
{
	int ends[2];
	if (pipe(ends))
		abort();
	io_uring_prep_read(io_uring_get_sqe(&ring), ends[0], block, 5, 0);
	io_uring_submit(&ring);
	io_uring_queue_exit(&ring);
	io_uring_queue_init(8, &ring, 0);
	request(one, 0, 0);
	done(1);
	puts("file one 0 500\nfile other 0 0\nnone 0");
}

enum { WRITERS = 3, WRITES = 4000, KEYS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static unsigned long keys[KEYS] = {1, 2, 3, 4};
static int free_keys = KEYS;

/* Takes a free key, and submits; the key that became free last is used first. */
static void *writer(void *file)
{
	for (int i = 0; i < WRITES; i++) {
		pthread_mutex_lock(&lock);
		while (!free_keys)
			pthread_cond_wait(&given, &lock);
		request(*(int *)file, 0, keys[--free_keys]);
		io_uring_submit(&ring);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* Like database servers: several threads submit, one takes completions, by inline functions if possible. */
static void threads(void)
{
	pthread_t made[WRITERS];
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&made[i], NULL, writer, i ? &other : &one);
	for (int i = 0; i < WRITERS * WRITES; i++) {
		struct io_uring_cqe *cqe;
		while (io_uring_wait_cqe(&ring, &cqe))
			;
		unsigned long key = cqe->user_data;
		io_uring_cqe_seen(&ring, cqe);
		pthread_mutex_lock(&lock);
		keys[free_keys++] = key;
		pthread_cond_signal(&given);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(made[i], NULL);
	puts("file one 0 2000000\nfile other 0 4000000\nnone 0");
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*way)(void);
	} ways[] = {{"equal_keys", equal_keys},
		    {"several_files", several_files},
		    {"both_directions", both_directions},
		    {"registered", registered},
		    {"registered_by_call", registered_by_call},
		    {"opened_by_ring", opened_by_ring},
		    {"splices", splices},
		    {"next_ring", next_ring},
		    {"threads", threads}};
	if (io_uring_queue_init(8, &ring, 0))
		return 77;
	one = open("one", O_CREAT | O_TRUNC | O_RDWR, 0600);
	other = open("other", O_CREAT | O_TRUNC | O_RDWR, 0600);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (count > 1 && !strcmp(arguments[1], ways[i].name))
			ways[i].way();
	io_uring_queue_exit(&ring);
	return 0;
}
