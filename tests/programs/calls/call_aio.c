/* Calls: asynchronous I/O of the C library. See tests/calls/call.h.
 *
 * Requests are numbered by Varve in order of submission: so does this program.
 */
#include "../../calls/call.h"

#include <aio.h>

static int file;
static char buffer[64];
static unsigned submitted;
static struct aiocb request;

static struct aiocb *request_of(int number, long offset, size_t size)
{
	memset(&request, 0, sizeof request);
	request.aio_fildes = number;
	request.aio_offset = offset;
	request.aio_nbytes = size;
	request.aio_buf = buffer;
	request.aio_sigevent.sigev_notify = SIGEV_NONE;
	return &request;
}

/* Until it is complete, without any call that is recorded. */
static void settle(const struct aiocb *pending)
{
	while (*(volatile const int *)&pending->__error_code == EINPROGRESS)
		raw(SYS_sched_yield, 0, 0, 0, 0);
}

static void submitting(const struct variant *variant)
{
	bool reading = !strncmp(variant->symbol, "aio_read", 8);
	const char *name = reading ? "aio_read" : "aio_write";
	const char *direction = reading ? "read" : "write";
	int (*submit)(struct aiocb *) = use(name, variant);
	strcpy(buffer, "written");
	TRY(submit(request_of(file, 3, 7)));
	settle(&request);
	line("request=%u, fd=%s, offset=3, size=7", ++submitted, fd(file));
	say("  %.7s", buffer);
	say_file("data");
	ssize_t (*finish)(struct aiocb *) =
		use("aio_return", &(struct variant){"aio_return", (void (*)(void))aio_return});
	TRY(finish(&request));
	line("request=%u, fd=%s, direction=%s", submitted, fd(file), direction);
	/* The number is not used again. */
	TRY(finish(&request));
	line("request=0, fd=-1, direction=none");
	submit = use(name, variant);
	TRY(submit(request_of(99, 0, 7)));
	settle(&request);
	line("request=%u, fd=99, offset=0, size=7", ++submitted);
	finish = use("aio_return", &(struct variant){"aio_return", (void (*)(void))aio_return});
	call.error = (int)TRY(finish(&request)) < 0 ? request.__error_code : 0;
	line("request=%u, fd=99, direction=%s", submitted, direction);
	request_of(file, 0, 7)->aio_reqprio = -1;
	submit = use(name, variant);
	TRY(submit(&request));
	line("request=%u, fd=%s, offset=0, size=7", ++submitted, fd(file));
}

static void syncing(const struct variant *variant)
{
	int (*sync_it)(int, struct aiocb *) = use("aio_fsync", variant);
	TRY(sync_it(O_DSYNC, request_of(file, 0, 0)));
	settle(&request);
	line("cmd=O_DSYNC, request=%u, fd=%s, offset=0, size=0", ++submitted, fd(file));
	TRY(sync_it(4711, request_of(file, 0, 0)));
	line("cmd=4711, request=%u, fd=%s, offset=0, size=0", ++submitted, fd(file));
}

static void submit_one(void)
{
	const char *function = call.function, *symbol = call.symbol;
	int (*submit)(struct aiocb *) =
		use("aio_read", &(struct variant){"aio_read", (void (*)(void))aio_read});
	TRY(submit(request_of(file, 1, 5)));
	settle(&request);
	line("request=%u, fd=%s, offset=1, size=5", ++submitted, fd(file));
	call.function = function;
	call.symbol = symbol;
}

static void asking(const struct variant *variant)
{
	int (*ask)(const struct aiocb *) = use("aio_error", variant);
	struct aiocb unknown = {0};
	submit_one();
	TRY(ask(&request));
	line_as(" = done", "request=%u", submitted);
	unknown.__error_code = EINPROGRESS;
	TRY(ask(&unknown));
	line_as(" = EINPROGRESS", "request=0");
	unknown.__error_code = EBADF;
	TRY(ask(&unknown));
	line_as(" = 9", "request=0");
}

static void finishing(const struct variant *variant)
{
	ssize_t (*finish)(struct aiocb *) = use("aio_return", variant);
	submit_one();
	TRY(finish(&request));
	line("request=%u, fd=%s, direction=read", submitted, fd(file));
}

static void suspending(const struct variant *variant)
{
	int (*suspend)(const struct aiocb *const *, int, const struct timespec *) =
		use("aio_suspend", variant);
	const struct timespec wait = {.tv_nsec = 1000};
	submit_one();
	const struct aiocb *list[] = {&request, NULL};
	TRY(suspend(list, 2, NULL));
	line("count=2, timeout=-1");
	TRY(suspend(list, 2, &wait));
	line("count=2, timeout=1000");
	TRY(suspend(list, -1, NULL));
	line("count=-1, timeout=-1");
}

static void cancelling(const struct variant *variant)
{
	int (*cancel)(int, struct aiocb *) = use("aio_cancel", variant);
	submit_one();
	TRY(cancel(file, &request));
	line_as(" = AIO_ALLDONE", "fd=%s, request=%u", fd(file), submitted);
	TRY(cancel(file, NULL));
	line_as(" = AIO_ALLDONE", "fd=%s, request=0", fd(file));
	TRY(cancel(-1, NULL));
	line_as(" = -1 EBADF", "fd=-1, request=0");
}

static void listing(const struct variant *variant)
{
	struct aiocb first, second, idle;
	char other[8] = "other";
	int (*submit)(int, struct aiocb *const *, int, struct sigevent *) =
		use("lio_listio", variant);
	first = *request_of(file, 2, 4);
	first.aio_lio_opcode = LIO_READ;
	second = *request_of(file, 20, 5);
	second.aio_lio_opcode = LIO_WRITE;
	second.aio_buf = other;
	idle = *request_of(file, 9, 9);
	idle.aio_lio_opcode = LIO_NOP;
	struct aiocb *list[] = {&first, NULL, &idle, &second};
	TRY(submit(LIO_WAIT, list, 4, NULL));
	line("mode=LIO_WAIT, count=4");
	call.function = "  aio_request";
	call.symbol = "";
	expect_as("", "request=%u, opcode=LIO_READ, fd=%s, offset=2, size=4", ++submitted,
		  fd(file));
	expect_as("", "request=%u, opcode=LIO_WRITE, fd=%s, offset=20, size=5", ++submitted,
		  fd(file));
	say_file("data");
	ssize_t (*finish)(struct aiocb *) =
		use("aio_return", &(struct variant){"aio_return", (void (*)(void))aio_return});
	TRY(finish(&second));
	line("request=%u, fd=%s, direction=write", submitted, fd(file));
	use("lio_listio", variant);
	TRY(submit(LIO_NOWAIT, list, 0, NULL));
	line("mode=LIO_NOWAIT, count=0");
	TRY(submit(77, list, 0, NULL));
	line("mode=77, count=0");
}

static void preparing(const struct variant *variant)
{
	void (*prepare)(const struct aioinit *) = use("aio_init", variant);
	const struct aioinit settings = {.aio_threads = 2, .aio_num = 4};
	TRY_VOID(prepare(&settings));
	line_as("", "%s", "");
}

int main(void)
{
	put_file("data", "0123456789abcdefghijklmnop");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(preparing, LINKED(aio_init));
	RUN(submitting, LINKED(aio_read), LINKED(aio_read64), LINKED(aio_write),
	    LINKED(aio_write64));
	RUN(syncing, LINKED(aio_fsync), LINKED(aio_fsync64));
	RUN(asking, LINKED(aio_error), LINKED(aio_error64));
	RUN(finishing, LINKED(aio_return), LINKED(aio_return64));
	RUN(suspending, LINKED(aio_suspend), LINKED(aio_suspend64));
	RUN(cancelling, LINKED(aio_cancel), LINKED(aio_cancel64));
	RUN(listing, LINKED(lio_listio), LINKED(lio_listio64));
	return 0;
}
