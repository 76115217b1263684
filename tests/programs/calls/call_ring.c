/* Calls: liburing, with the requests and completions in its rings. See tests/calls/call.h. Without io_uring: status 77.
 * libraries: uring
 */
#include "../../calls/call_returned.h"

#include <liburing.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

static int file;
static char buffer[64];
static unsigned submitted;
static struct io_uring ring;

static const char *shown(const struct io_uring *which)
{
	return text("%d <anon_inode:[io_uring]>", which->ring_fd);
}

static void making(const struct variant *variant)
{
	bool params = !strcmp(variant->symbol, "io_uring_queue_init_params");
	int (*make)(unsigned, struct io_uring *, unsigned) = use(variant->symbol, variant);
	int (*make_params)(unsigned, struct io_uring *, struct io_uring_params *) =
		use(variant->symbol, variant);
	struct io_uring made;
	struct io_uring_params settings = {0};
	TRY(params ? make_params(8, &made, &settings) : make(8, &made, IORING_SETUP_CLAMP));
	line_returned("entries=8, ring=%d%s", made.ring_fd,
		      params ? "" : ", flags=IORING_SETUP_CLAMP");
	/* The functions of the library call each other. */
	if (!params)
		inside("io_uring_queue_init_params", " = 0", "entries=8, ring=%d", made.ring_fd);
	inside(params ? "io_uring_queue_mmap" : "  io_uring_queue_mmap", " = 0", "fd=%s",
	       shown(&made));
	say("  %ld", raw(SYS_fcntl, made.ring_fd, F_GETFD, 0, 0));
	void (*leave)(struct io_uring *) =
		use("io_uring_queue_exit", &(struct variant)LINKED(io_uring_queue_exit));
	const char *name = shown(&made);
	TRY_VOID(leave(&made));
	line_as("", "ring=%s", name);
	use(variant->symbol, variant);
	TRY(params ? make_params(0, &made, &settings) : make(0, &made, 0));
	line_returned("entries=0%s", params ? "" : ", flags=0");
	if (!params)
		inside("io_uring_queue_init_params", " = -22 EINVAL", "entries=0");
}

/* A ring that stays. */
static void make_ring(void)
{
	int (*make)(unsigned, struct io_uring *, unsigned) =
		use("io_uring_queue_init", &(struct variant)LINKED(io_uring_queue_init));
	TRY(make(8, &ring, 0));
	line_returned("entries=8, ring=%d, flags=0", ring.ring_fd);
	inside("io_uring_queue_init_params", " = 0", "entries=8, ring=%d", ring.ring_fd);
	inside("  io_uring_queue_mmap", " = 0", "fd=%s", shown(&ring));
}

static void mapping(const struct variant *variant)
{
	struct io_uring_params params = {0};
	struct io_uring made;
	int (*set_up)(unsigned, struct io_uring_params *) =
		use("io_uring_setup", &(struct variant)LINKED(io_uring_setup));
	int number = (int)TRY(set_up(4, &params));
	facts("\"kind\":\"anonymous\"");
	line_returned("entries=4");
	TRY(set_up(0, &params));
	line_returned("entries=0");
	int (*map)(int, struct io_uring_params *, struct io_uring *) =
		use("io_uring_queue_mmap", variant);
	TRY(map(number, &params, &made));
	line_returned("fd=%d <anon_inode:[io_uring]>", number);
	int (*keep)(struct io_uring *) =
		use("io_uring_ring_dontfork", &(struct variant)LINKED(io_uring_ring_dontfork));
	TRY(keep(&made));
	line_returned("ring=%s", shown(&made));
	struct io_uring empty = {.ring_fd = 99};
	TRY(keep(&empty));
	line_returned("ring=99");
	void (*leave)(struct io_uring *) =
		use("io_uring_queue_exit", &(struct variant)LINKED(io_uring_queue_exit));
	const char *name = shown(&made);
	TRY_VOID(leave(&made));
	line_as("", "ring=%s", name);
	use("io_uring_queue_mmap", variant);
	TRY(map(0, &params, &made));
	line_returned("fd=%s", fd(0));
}

/* A request, and its line, which appears after the request is submitted to the kernel. */
static const char *prepare(uint8_t opcode, int number, unsigned size, long offset, const char *name)
{
	struct io_uring_sqe *request = io_uring_get_sqe(&ring);
	io_uring_prep_rw(opcode, request, number, buffer, size, (uint64_t)offset);
	io_uring_sqe_set_data64(request, ++submitted);
	return text("request=%u, opcode=%s, fd=%s, offset=%ld, size=%u, flags=0", submitted, name,
		    fd(number), offset, size);
}

/* All available completions, taken without a recorded call, as programs do. */
static void take_all(void)
{
	struct io_uring_cqe *completion;
	unsigned head, count = 0;
	io_uring_for_each_cqe(&ring, head, completion)
	{
		say("  %llu: %d", (unsigned long long)completion->user_data, completion->res);
		count++;
	}
	io_uring_cq_advance(&ring, count);
}

/* By one of the functions that submit or wait. */
static long submit_by(const char *symbol, const void *function, unsigned least)
{
	struct io_uring_cqe *completion = NULL;
	struct __kernel_timespec wait = {.tv_sec = 5};
	union {
		const void *address;
		int (*plain)(struct io_uring *);
		int (*waiting)(struct io_uring *, unsigned);
		int (*timed)(struct io_uring *, struct io_uring_cqe **, unsigned,
			     struct __kernel_timespec *, sigset_t *);
		int (*timeout)(struct io_uring *, struct io_uring_cqe **,
			       struct __kernel_timespec *);
		int (*get)(struct io_uring *, struct io_uring_cqe **, unsigned, unsigned,
			   sigset_t *);
	} as = {.address = function};
	if (!strcmp(symbol, "io_uring_submit_and_wait"))
		return as.waiting(&ring, least);
	if (!strcmp(symbol, "io_uring_submit_and_wait_timeout") ||
	    !strcmp(symbol, "io_uring_wait_cqes"))
		return as.timed(&ring, &completion, least, &wait, NULL);
	if (!strcmp(symbol, "io_uring_wait_cqe_timeout"))
		return as.timeout(&ring, &completion, &wait);
	if (!strcmp(symbol, "__io_uring_get_cqe"))
		return as.get(&ring, &completion, 0, least, NULL);
	return as.plain(&ring);
}

static const char *submit_fields(const char *symbol)
{
	if (!strcmp(symbol, "io_uring_submit_and_wait"))
		return ", least=2";
	if (!strcmp(symbol, "io_uring_submit_and_wait_timeout") ||
	    !strcmp(symbol, "io_uring_wait_cqes"))
		return ", least=2, timeout=5000000000";
	if (!strcmp(symbol, "io_uring_wait_cqe_timeout"))
		return ", timeout=5000000000";
	return !strcmp(symbol, "__io_uring_get_cqe") ? ", submit=0, least=2" : "";
}

/* Both requests are complete before the call returns: the file is in memory. */
static void submitting(const struct variant *variant)
{
	const void *function = use(variant->symbol, variant);
	const char *first = prepare(IORING_OP_READ, file, 7, 4, "IORING_OP_READ");
	const char *second = prepare(IORING_OP_READ, 99, 6, 3, "IORING_OP_READ");
	TRY(submit_by(variant->symbol, function, 2));
	line_returned("ring=%s%s", shown(&ring), submit_fields(variant->symbol));
	inside("ring_request", "", "%s", first);
	inside("ring_request", "", "%s", second);
	inside("ring_event", " = 7", "request=%u, fd=%s, direction=read, bytes=7", submitted - 1,
	       fd(file));
	inside("ring_event", " = -9 EBADF", "request=%u, fd=99, direction=read", submitted);
	take_all();
	say("  %.7s", buffer);
}

/* The waiting functions do not submit the prepared requests: these are submitted before. */
static void awaiting(const struct variant *variant)
{
	bool outer = !strcmp(variant->symbol, "io_uring_wait_cqe_timeout");
	const char *one = prepare(IORING_OP_NOP, -1, 0, 0, "IORING_OP_NOP");
	const char *other = prepare(IORING_OP_NOP, -1, 0, 0, "IORING_OP_NOP");
	int (*submit)(struct io_uring *) =
		use("io_uring_submit", &(struct variant)LINKED(io_uring_submit));
	TRY(submit(&ring));
	line_returned("ring=%s", shown(&ring));
	inside("ring_request", "", "%s", one);
	inside("ring_request", "", "%s", other);
	inside("ring_event", " = 0", "request=%u, fd=-1, direction=none, bytes=0", submitted - 1);
	inside("ring_event", " = 0", "request=%u, fd=-1, direction=none, bytes=0", submitted);
	const void *function = use(variant->symbol, variant);
	TRY(submit_by(variant->symbol, function, 2));
	line_returned("ring=%s%s", shown(&ring), submit_fields(variant->symbol));
	if (outer)
		inside("io_uring_wait_cqes", " = 0", "ring=%s, least=1, timeout=5000000000",
		       shown(&ring));
	take_all();
}

/* Completions are recorded at the next call on the ring, also those that the program has taken. */
static void reaping(const struct variant *variant)
{
	bool batch = !strcmp(variant->symbol, "io_uring_peek_batch_cqe");
	int (*ask)(struct io_uring *) = use(variant->symbol, variant);
	unsigned (*peek)(struct io_uring *, struct io_uring_cqe **, unsigned) =
		use(variant->symbol, variant);
	struct io_uring_cqe *completions[4];
	int ends[2];
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	const char *one = prepare(IORING_OP_READ, ends[0], 3, 0, "IORING_OP_READ");
	int (*submit)(struct io_uring *) =
		use("io_uring_submit", &(struct variant)LINKED(io_uring_submit));
	TRY(submit(&ring));
	line_returned("ring=%s", shown(&ring));
	inside("ring_request", "", "%s", one);
	raw(SYS_write, ends[1], (long)"abc", 3, 0);
	while (*(volatile unsigned *)ring.cq.ktail == *ring.cq.khead)
		raw(SYS_sched_yield, 0, 0, 0, 0);
	take_all();
	use(variant->symbol, variant);
	TRY(batch ? (int)peek(&ring, completions, 4) : ask(&ring));
	line_returned(batch ? "ring=%s, count=4" : "ring=%s", shown(&ring));
	inside("ring_event", " = 3", "request=%u, fd=%s, direction=read, bytes=3", submitted,
	       fd(ends[0]));
	close_fd(ends[0]);
	raw(SYS_close, ends[1], 0, 0, 0);
}

/* Requests that the program submits to the kernel itself. */
static void entering(const struct variant *variant)
{
	bool two = !strcmp(variant->symbol, "io_uring_enter2");
	int (*enter)(unsigned, unsigned, unsigned, unsigned, sigset_t *) =
		use("io_uring_enter", variant);
	int (*enter_two)(unsigned, unsigned, unsigned, unsigned, sigset_t *, size_t) =
		use("io_uring_enter", variant);
	const char *one = prepare(IORING_OP_NOP, -1, 0, 0, "IORING_OP_NOP");
	unsigned tail = *ring.sq.ktail;
	ring.sq.array[tail & *ring.sq.kring_mask] = ring.sq.sqe_head & *ring.sq.kring_mask;
	ring.sq.sqe_head++;
	__atomic_store_n(ring.sq.ktail, tail + 1, __ATOMIC_RELEASE);
	TRY(two ? enter_two((unsigned)ring.ring_fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 8)
		: enter((unsigned)ring.ring_fd, 1, 1, IORING_ENTER_GETEVENTS, NULL));
	line_returned("fd=%s, submit=1, least=1, flags=IORING_ENTER_GETEVENTS", shown(&ring));
	inside("ring_request", "", "%s", one);
	inside("ring_event", " = 0", "request=%u, fd=-1, direction=none, bytes=0", submitted);
	take_all();
	TRY(two ? enter_two(99, 1, 1, 0, NULL, 8) : enter(99, 1, 1, 0, NULL));
	line_returned("fd=99, submit=1, least=1, flags=0");
}

/* Registrations of a ring: each works once if the kernel allows it, and fails once. */
static void registering(void)
{
	static char memory[4096] __attribute__((aligned(4096)));
	struct iovec pieces[1] = {{memory, sizeof memory}};
	int files[2] = {file, -1}, events = (int)raw(SYS_eventfd2, 0, 0, 0, 0);
	__u64 tags[2] = {0};
	unsigned workers[2] = {0, 0};
	cpu_set_t cpus;
	const char *me = strdup(shown(&ring));
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
#define ONE(name, fields, ...)                                                                     \
	(use(#name, &(struct variant)LINKED(name)), TRY(name(__VA_ARGS__)),                        \
	 line_returned("ring=%s" fields, me))
	ONE(io_uring_register_buffers, ", count=1", &ring, pieces, 1);
	ONE(io_uring_register_buffers, ", count=1", &ring, pieces, 1);
	ONE(io_uring_unregister_buffers, "", &ring);
	ONE(io_uring_unregister_buffers, "", &ring);
	ONE(io_uring_register_buffers_sparse, ", count=2", &ring, 2);
	ONE(io_uring_register_buffers_update_tag, ", first=0, count=1", &ring, 0, pieces, tags, 1);
	ONE(io_uring_unregister_buffers, "", &ring);
	ONE(io_uring_register_buffers_tags, ", count=1", &ring, pieces, tags, 1);
	ONE(io_uring_unregister_buffers, "", &ring);
	ONE(io_uring_register_files, ", count=2", &ring, files, 2);
	ONE(io_uring_register_files_update, ", first=1, count=1", &ring, 1, files, 1);
	ONE(io_uring_register_files_update_tag, ", first=1, count=1", &ring, 1, files, tags, 1);
	ONE(io_uring_unregister_files, "", &ring);
	ONE(io_uring_unregister_files, "", &ring);
	ONE(io_uring_register_files_tags, ", count=2", &ring, files, tags, 2);
	ONE(io_uring_unregister_files, "", &ring);
	ONE(io_uring_register_files_sparse, ", count=4", &ring, 4);
	ONE(io_uring_register_file_alloc_range, ", first=1, count=2", &ring, 1, 2);
	ONE(io_uring_unregister_files, "", &ring);
	use("io_uring_register_eventfd", &(struct variant)LINKED(io_uring_register_eventfd));
	TRY(io_uring_register_eventfd(&ring, events));
	line_returned("ring=%s, fd=%s", me, fd(events));
	ONE(io_uring_unregister_eventfd, "", &ring);
	use("io_uring_register_eventfd_async",
	    &(struct variant)LINKED(io_uring_register_eventfd_async));
	TRY(io_uring_register_eventfd_async(&ring, 99));
	line_returned("ring=%s, fd=99", me);
	TRY(io_uring_register_eventfd_async(&ring, events));
	line_returned("ring=%s, fd=%s", me, fd(events));
	ONE(io_uring_unregister_eventfd, "", &ring);
	struct io_uring_probe *probe = calloc(1, sizeof *probe + 256 * sizeof probe->ops[0]);
	ONE(io_uring_register_probe, ", count=256", &ring, probe, 256);
	ONE(io_uring_register_personality, "", &ring);
	int id = (int)call.result;
	use("io_uring_unregister_personality",
	    &(struct variant)LINKED(io_uring_unregister_personality));
	TRY(io_uring_unregister_personality(&ring, id));
	line_returned("ring=%s, id=%d", me, id);
	ONE(io_uring_unregister_personality, ", id=77", &ring, 77);
	ONE(io_uring_register_iowq_aff, ", size=128", &ring, sizeof cpus, &cpus);
	ONE(io_uring_unregister_iowq_aff, "", &ring);
	ONE(io_uring_register_iowq_max_workers, "", &ring, workers);
	ONE(io_uring_register_ring_fd, "", &ring);
	ONE(io_uring_unregister_ring_fd, "", &ring);
	struct io_uring_buf_reg settings = {
		.ring_addr = (__u64)(uintptr_t)memory, .ring_entries = 4, .bgid = 3};
	ONE(io_uring_register_buf_ring, ", flags=0", &ring, &settings, 0);
	ONE(io_uring_unregister_buf_ring, ", group=3", &ring, 3);
	ONE(io_uring_unregister_buf_ring, ", group=3", &ring, 3);
	struct io_uring_sync_cancel_reg cancel = {.flags = IORING_ASYNC_CANCEL_ANY,
						  .timeout = {-1, -1}};
	ONE(io_uring_register_sync_cancel, "", &ring, &cancel);
	use("io_uring_register", &(struct variant)LINKED(io_uring_register));
	TRY(io_uring_register((unsigned)ring.ring_fd, IORING_REGISTER_PROBE, probe, 256));
	line_returned("fd=%s, opcode=%d, count=256", me, IORING_REGISTER_PROBE);
	TRY(io_uring_register((unsigned)ring.ring_fd, 4711, NULL, 0));
	line_returned("fd=%s, opcode=4711, count=0", me);
	use("__io_uring_sqring_wait", &(struct variant)LINKED(__io_uring_sqring_wait));
	TRY(__io_uring_sqring_wait(&ring));
	line_returned("ring=%s", me);
	raw(SYS_close, events, 0, 0, 0);
}

int main(void)
{
	struct io_uring_params params = {0};
	long number = raw(SYS_io_uring_setup, 4, (long)&params, 0, 0);
	if (number < 0)
		return 77;
	raw(SYS_close, number, 0, 0, 0);
	put_file("data", "0123456789abcdefghijklmnop");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(making, LINKED(io_uring_queue_init), LINKED(io_uring_queue_init_params));
	RUN(mapping, LINKED(io_uring_queue_mmap));
	make_ring();
	RUN(submitting, LINKED(io_uring_submit), LINKED(io_uring_submit_and_wait),
	    LINKED(io_uring_submit_and_wait_timeout), LINKED(io_uring_submit_and_get_events));
	RUN(awaiting, LINKED(io_uring_wait_cqes), LINKED(io_uring_wait_cqe_timeout),
	    LINKED(__io_uring_get_cqe));
	RUN(reaping, LINKED(io_uring_get_events), LINKED(io_uring_peek_batch_cqe));
	RUN(entering, LINKED(io_uring_enter), LINKED(io_uring_enter2));
	registering();
	void (*leave)(struct io_uring *) =
		use("io_uring_queue_exit", &(struct variant)LINKED(io_uring_queue_exit));
	const char *name = shown(&ring);
	TRY_VOID(leave(&ring));
	line_as("", "ring=%s", name);
	return 0;
}
