/* Makes requests of io_uring that do nothing, in the way of its first argument, and prints how many. Without io_uring, or without
 * the kind of ring: status 77.
 *
 * libraries: uring
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTRIES = 4, ROUNDS = 25, SETUP_NO_MMAP = 1 << 14, SETUP_NO_SQARRAY = 1 << 16 };

static struct io_uring_params params;
static char *rings;
static struct io_uring_sqe *requests;
static size_t rings_size;
static int ring_fd, made;

/* A system call by an instruction of the program; returns -errno. */
long own(long number, long a, long b, long c, long d, long e, long f);
__asm__(".text\n"
	".type own, @function\n"
	"own:\n"
	"mov %rdi, %rax\n"
	"mov %rsi, %rdi\n"
	"mov %rdx, %rsi\n"
	"mov %rcx, %rdx\n"
	"mov %r8, %r10\n"
	"mov %r9, %r8\n"
	"mov 8(%rsp), %r9\n"
	"syscall\n"
	"ret\n"
	".size own, .-own\n");

static unsigned *word(unsigned offset)
{
	return (unsigned *)(void *)(rings + offset);
}

static char *memory(bool by_own, size_t size, int fd, long offset)
{
	int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
	if (by_own)
		return (char *)own(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, flags, fd,
				   offset);
	return mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
}

static void make(unsigned flags, bool own_mapping)
{
	params.flags = flags;
	if (flags & SETUP_NO_MMAP) {
		rings = memory(false, 4096, -1, 0);
		requests = (void *)memory(false, 4096, -1, 0);
		/* `resv2` of both structures: the address of the memory. */
		params.cq_off.resv2 = (unsigned long)rings;
		params.sq_off.resv2 = (unsigned long)requests;
	}
	ring_fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &params);
	if (ring_fd < 0)
		exit(77);
	if (flags & SETUP_NO_MMAP)
		return;
	rings_size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	if (rings_size < params.sq_off.array + ENTRIES * sizeof(unsigned))
		rings_size = params.sq_off.array + ENTRIES * sizeof(unsigned);
	rings = memory(own_mapping, rings_size, ring_fd, IORING_OFF_SQ_RING);
	requests =
		(void *)memory(own_mapping, ENTRIES * sizeof *requests, ring_fd, IORING_OFF_SQES);
	if (rings == MAP_FAILED || (void *)requests == MAP_FAILED)
		exit(77);
}

/* Submits requests to the kernel, waits for them and takes their completions. */
static void ask(unsigned count, bool by_own)
{
	unsigned tail = *word(params.sq_off.tail), mask = *word(params.sq_off.ring_mask);
	for (unsigned i = 0; i < count; i++) {
		unsigned at = (tail + i) & mask;
		memset(&requests[at], 0, sizeof requests[at]);
		requests[at].opcode = IORING_OP_NOP;
		if (!(params.flags & SETUP_NO_SQARRAY))
			word(params.sq_off.array)[at] = at;
	}
	__atomic_store_n(word(params.sq_off.tail), tail + count, __ATOMIC_SEQ_CST);
	unsigned flags = IORING_ENTER_GETEVENTS |
			 (params.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0);
	long result = by_own ? own(SYS_io_uring_enter, ring_fd, count, count, flags, 0, 0)
			     : syscall(SYS_io_uring_enter, ring_fd, count, count, flags, NULL, 0);
	if (result != (long)count)
		exit(1);
	while (__atomic_load_n(word(params.sq_off.head), __ATOMIC_ACQUIRE) != tail + count)
		usleep(100);
	*word(params.cq_off.head) = __atomic_load_n(word(params.cq_off.tail), __ATOMIC_ACQUIRE);
	made += (int)count;
}

static void ask_often(bool by_own)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		ask(1 + i % ENTRIES, by_own);
}

/* A filter that permits everything; from then on the recorder makes no kind of system call for the first time. */
static void filter(void)
{
	struct sock_filter permit = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {.len = 1, .filter = &permit};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(77);
}

static int end(void)
{
	printf("%d\n", made);
	fflush(stdout);
	return 0;
}

/* The ways to leave a ring that stays. */
static int leave(const char *way, char **words)
{
	if (!strcmp(way, "unmap")) {
		munmap(rings, rings_size);
		munmap(requests, ENTRIES * sizeof *requests);
		close(ring_fd);
	}
	if (!strcmp(way, "close") || !strcmp(way, "copy"))
		close(ring_fd);
	if (!strcmp(way, "range"))
		close_range((unsigned)ring_fd, (unsigned)ring_fd, 0);
	if (!strcmp(way, "own-close"))
		own(SYS_close, ring_fd, 0, 0, 0, 0, 0);
	end();
	if (!strcmp(way, "_exit"))
		_exit(0);
	if (!strcmp(way, "quick"))
		quick_exit(0);
	if (!strcmp(way, "exec"))
		execl(words[0], words[0], "nothing", NULL);
	if (!strcmp(way, "exec-fails"))
		execl("/nothing", "nothing", NULL);
	if (!strcmp(way, "killed") || !strcmp(way, "exec-fails"))
		raise(SIGKILL);
	return 0;
}

static int library_ask(struct io_uring *ring, int fd)
{
	static char byte;
	struct io_uring_sqe *request = io_uring_get_sqe(ring);
	if (fd < 0)
		io_uring_prep_nop(request);
	else
		io_uring_prep_read(request, fd, &byte, 1, 0);
	int result = io_uring_submit_and_wait(ring, 1);
	io_uring_cq_advance(ring, io_uring_cq_ready(ring));
	return result;
}

static void *library_wait(void *ring)
{
	int ends[2];
	if (pipe(ends) == 0)
		library_ask(ring, ends[0]);
	return NULL;
}

/* "-asks": a child uses the ring. "-last": the caller is a child itself from here on, and ends before its own children, while the
 * first process waits for all. */
static void library_fork(const char *way, struct io_uring *ring)
{
	bool asks = !strcmp(way, "library-fork-asks"), last = !strcmp(way, "library-fork-last");
	int all[2], parent[2];
	char byte;
	if (pipe(all) || pipe(parent))
		exit(1);
	if (last && fork() > 0) {
		close(all[1]);
		close(parent[1]);
		while (read(all[0], &byte, 1) > 0)
			;
		_exit(0);
	}
	pid_t child = fork();
	if (child == 0) {
		close(parent[1]);
		while (last && read(parent[0], &byte, 1) > 0)
			;
		if (asks)
			library_ask(ring, -1);
		_exit(0);
	}
	if (!last)
		waitpid(child, NULL, 0);
}

/* A child still uses the ring, while this process has another one. */
static void library_fork_next(struct io_uring *ring)
{
	int begin[2], done[2];
	char byte = 0;
	if (pipe(begin) || pipe(done))
		exit(1);
	if (fork() == 0) {
		if (read(begin[0], &byte, 1) == 1)
			for (unsigned i = 0; i < ROUNDS; i++)
				library_ask(ring, -1);
		if (write(done[1], &byte, 1) == 1)
			_exit(0);
		_exit(1);
	}
	io_uring_queue_exit(ring);
	if (io_uring_queue_init(ENTRIES, ring, 0) || write(begin[1], &byte, 1) != 1 ||
	    read(done[0], &byte, 1) != 1)
		exit(1);
	made += ROUNDS;
	for (unsigned i = 0; i < ROUNDS; i++, made++)
		library_ask(ring, -1);
	wait(NULL);
}

/* A child closes the ring, when the requests of this process are complete. */
static void library_fork_closes(struct io_uring *ring)
{
	int data[2], begin[2];
	char byte = 0;
	if (pipe(data) || pipe(begin))
		exit(1);
	io_uring_prep_read(io_uring_get_sqe(ring), data[0], &byte, 1, 0);
	if (io_uring_submit(ring) != 1)
		exit(1);
	made++;
	if (fork() == 0) {
		if (read(begin[0], &byte, 1) == 1)
			io_uring_queue_exit(ring);
		_exit(0);
	}
	if (write(data[1], &byte, 1) != 1)
		exit(1);
	while (!io_uring_cq_ready(ring))
		usleep(100);
	if (write(begin[1], &byte, 1) != 1)
		exit(1);
	wait(NULL);
	io_uring_cq_advance(ring, 1);
}

/* A vfork child closes all, and does not affect its parent's descriptors. */
static void library_vfork(struct io_uring *ring)
{
	int before = ring->ring_fd;
	ring->ring_fd = ring->enter_ring_fd = dup(before);
	pid_t child = vfork();
	if (child == 0) {
		close_range(3, ~0u, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	close(before);
}

/* Another ring gets the number and the memory of one that was closed without a recorded call. */
static void library_again(struct io_uring *ring)
{
	munmap(ring->sq.sqes, ENTRIES * sizeof *ring->sq.sqes);
	munmap(ring->sq.ring_ptr, ring->sq.ring_sz);
	own(SYS_close, ring->ring_fd, 0, 0, 0, 0, 0);
	if (io_uring_queue_init(ENTRIES, ring, 0))
		exit(1);
}

/* By liburing: no request counts as missed. */
static int library(const char *way)
{
	struct io_uring ring;
	pthread_t thread;
	unsigned flags = !strcmp(way, "library-poll") ? IORING_SETUP_SQPOLL : 0;
	if (io_uring_queue_init(ENTRIES, &ring, flags))
		return 77;
	if (!strcmp(way, "library-registers") && io_uring_register_ring_fd(&ring) != 1)
		return 77;
	for (made = 0; made < 20; made++)
		library_ask(&ring, -1);
	if (!strcmp(way, "library-waits")) {
		pthread_create(&thread, NULL, library_wait, &ring);
		while (__atomic_load_n(ring.sq.khead, __ATOMIC_ACQUIRE) != 21)
			usleep(100);
		made++;
	}
	if (!strcmp(way, "library-fork-next"))
		library_fork_next(&ring);
	else if (!strcmp(way, "library-fork-closes"))
		library_fork_closes(&ring);
	else if (!strncmp(way, "library-fork", 12))
		library_fork(way, &ring);
	if (!strcmp(way, "library-vfork"))
		library_vfork(&ring);
	if (!strcmp(way, "library-again"))
		library_again(&ring);
	if (!strcmp(way, "library-copies"))
		dup(ring.ring_fd);
	if (!strcmp(way, "library-moves")) {
		int before = ring.ring_fd;
		ring.ring_fd = ring.enter_ring_fd = dup(before);
		close(before);
	}
	/* liburing stores a part of a ring's state in each process: only one of them can continue. */
	if (strcmp(way, "library-fork-asks"))
		library_ask(&ring, -1);
	made++;
	if (!strcmp(way, "library-filter"))
		filter();
	if (!strcmp(way, "library-unsubmitted"))
		io_uring_prep_nop(io_uring_get_sqe(&ring));
	if (!strcmp(way, "library-exit") || !strcmp(way, "library-copies"))
		io_uring_queue_exit(&ring);
	/* By instructions of the program: neither is recorded. */
	if (!strcmp(way, "library-gone")) {
		own(SYS_munmap, (long)ring.sq.sqes, ENTRIES * sizeof *ring.sq.sqes, 0, 0, 0, 0);
		own(SYS_munmap, (long)ring.sq.ring_ptr, (long)ring.sq.ring_sz, 0, 0, 0, 0);
		own(SYS_close, ring.ring_fd, 0, 0, 0, 0, 0);
	}
	return end();
}

int main(int count, char **words)
{
	const char *way = count > 1 ? words[1] : "";
	if (!strcmp(way, "nothing"))
		return 0;
	if (!strncmp(way, "library", 7))
		return library(way);
	make(!strcmp(way, "no-array")  ? SETUP_NO_SQARRAY
	     : !strcmp(way, "no-mmap") ? SETUP_NO_MMAP
	     : !strcmp(way, "poll")    ? IORING_SETUP_SQPOLL
				       : 0,
	     !strcmp(way, "own-mapping"));
	if (!strcmp(way, "unused"))
		return leave("close", words);
	ask_often(strcmp(way, "shown") != 0);
	if (!strcmp(way, "mixed")) {
		ask(1, false);
		ask_often(true);
	}
	if (!strncmp(way, "fork", 4)) {
		bool asks = !strcmp(way, "fork-asks");
		pid_t child = fork();
		if (child == 0) {
			if (asks)
				ask(2, true);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		made += asks ? 2 : 0;
	}
	if (!strcmp(way, "copy")) {
		int before = ring_fd;
		ring_fd = fcntl(before, F_DUPFD_CLOEXEC, 50);
		close(before);
		ask_often(true);
	}
	if (!strcmp(way, "filter"))
		filter();
	if (!strcmp(way, "spawn") && system("true"))
		return 1;
	return leave(way, words);
}
