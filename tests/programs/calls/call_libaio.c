/* Calls: libaio, with its requests and events. See tests/calls/call.h.
 * libraries: aio
 */
#include "../../calls/call_returned.h"

#include <libaio.h>

int old_io_queue_wait(io_context_t context, struct timespec *timeout) __asm__("io_queue_wait");

static int file;
static char buffer[64];
static io_context_t context;
static unsigned submitted;

static void making(const struct variant *variant)
{
	int (*make)(int, io_context_t *) = use(variant->symbol, variant);
	io_context_t made = NULL;
	TRY(make(8, &made));
	line_returned("count=8");
	/* The simpler one calls the other, inside the library. */
	if (!strcmp(variant->symbol, "io_queue_init"))
		inside("io_setup", " = 0", "count=8");
	if (context)
		raw(SYS_io_destroy, (long)made, 0, 0, 0);
	else
		context = made;
	made = NULL;
	TRY(make(0, &made));
	line_returned("count=0");
}

static void leaving(const struct variant *variant)
{
	bool queue = !strcmp(variant->symbol, "io_queue_release");
	int (*leave)(io_context_t) = use(variant->symbol, variant);
	long made = 0;
	raw(SYS_io_setup, 8, (long)&made, 0, 0);
	TRY(leave((io_context_t)made));
	line_returned("%s", "");
	if (queue)
		inside("io_destroy", " = 0", "%s", "");
	TRY(leave((io_context_t)8));
	line_returned("%s", "");
	if (queue)
		inside("io_destroy", " = -22 EINVAL", "%s", "");
}

static void submit(struct iocb *request, const char *opcode, long offset, size_t size)
{
	const char *function = call.function, *symbol = call.symbol;
	struct iocb *list[] = {request};
	int (*submit_it)(io_context_t, long, struct iocb **) =
		use("io_submit", &(struct variant)LINKED(io_submit));
	TRY(submit_it(context, 1, list));
	line_returned("count=1");
	inside("io_request", "", "request=%u, opcode=%s, fd=%s, offset=%ld, size=%zu", ++submitted,
	       opcode, fd(request->aio_fildes), offset, size);
	call.function = function;
	call.symbol = symbol;
}

/* Takes this number of events, without any wrapper. */
static void reap(unsigned count)
{
	struct io_event events[8];
	long result = SYS_io_getevents;
	register struct io_event *place __asm__("r10") = events;
	register long timeout __asm__("r8") = 0;
	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(context), "S"((long)count), "d"(8L), "r"(place), "r"(timeout)
			 : "rcx", "r11", "memory");
}

static void submitting(const struct variant *variant)
{
	struct iocb first, second, third, *list[] = {&first, &second, &third};
	struct iovec pieces[2] = {{buffer, 5}, {buffer + 5, 6}};
	int (*submit_it)(io_context_t, long, struct iocb **) = use("io_submit", variant);
	strcpy(buffer, "written");
	io_prep_pwrite(&first, file, buffer, 7, 4);
	io_prep_preadv(&second, file, pieces, 2, 1);
	io_prep_fdsync(&third, file);
	TRY(submit_it(context, 3, list));
	line_returned("count=3");
	inside("io_request", "", "request=%u, opcode=IO_CMD_PWRITE, fd=%s, offset=4, size=7",
	       ++submitted, fd(file));
	inside("io_request", "", "request=%u, opcode=IO_CMD_PREADV, fd=%s, offset=1, size=11",
	       ++submitted, fd(file));
	inside("io_request", "", "request=%u, opcode=IO_CMD_FDSYNC, fd=%s, offset=0, size=0",
	       ++submitted, fd(file));
	reap(3);
	say_file("data");
	io_prep_pread(&first, 99, buffer, 7, 4);
	TRY(submit_it(context, 1, list));
	line_returned("count=1");
	inside("io_request", "", "request=%u, opcode=IO_CMD_PREAD, fd=99, offset=4, size=7",
	       ++submitted);
	TRY(submit_it(context, 1, (void *)8));
	line_returned("count=1");
	TRY(submit_it(context, 1, (struct iocb *[]){(void *)8}));
	line_returned("count=1");
	TRY(submit_it(NULL, 0, list));
	line_returned("count=0");
}

static void reaping(const struct variant *variant)
{
	bool masked = !strcmp(variant->symbol, "io_pgetevents");
	int (*take)(io_context_t, long, long, struct io_event *, struct timespec *) =
		use(variant->symbol, variant);
	int (*take_masked)(io_context_t, long, long, struct io_event *, struct timespec *,
			   sigset_t *) = use(variant->symbol, variant);
	struct io_event events[8];
	struct iocb first, second;
	struct timespec wait = {.tv_sec = 5};
	io_prep_pread(&first, file, buffer, 7, 4);
	io_prep_pread(&second, file, (void *)8, 7, 4);
	submit(&first, "IO_CMD_PREAD", 4, 7);
	TRY(masked ? take_masked(context, 1, 8, events, NULL, NULL)
		   : take(context, 1, 8, events, NULL));
	line_returned("least=1, count=8, timeout=-1");
	inside("io_event", " = 7", "request=%u, fd=%s, direction=read, bytes=7", submitted,
	       fd(file));
	submit(&second, "IO_CMD_PREAD", 4, 7);
	TRY(masked ? take_masked(context, 1, 8, events, &wait, NULL)
		   : take(context, 1, 8, events, &wait));
	line_returned("least=1, count=8, timeout=5000000000");
	inside("io_event", " = -14 EFAULT", "request=%u, fd=%s, direction=read", submitted,
	       fd(file));
	TRY(masked ? take_masked(NULL, 0, 8, events, NULL, NULL) : take(NULL, 0, 8, events, NULL));
	line_returned("least=0, count=8, timeout=-1");
}

static void cancelling(const struct variant *variant)
{
	int (*cancel)(io_context_t, struct iocb *, struct io_event *) = use("io_cancel", variant);
	struct io_event event;
	struct iocb request;
	int ends[2];
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	io_prep_poll(&request, ends[0], 1);
	submit(&request, "IO_CMD_POLL", 0, 0);
	TRY(cancel(context, &request, &event));
	line_returned("request=%u", submitted);
	if (call.result == 0)
		inside("io_event", text(" = %ld", (long)event.res),
		       "request=%u, fd=%s, direction=none, bytes=0", submitted, fd(ends[0]));
	else
		reap(1);
	TRY(cancel(context, NULL, &event));
	line_returned("request=0");
	close_fd(ends[0]);
	raw(SYS_close, ends[1], 0, 0, 0);
}

static void running(const struct variant *variant)
{
	int (*run_it)(io_context_t) = use("io_queue_run", variant);
	TRY(run_it(context));
	line_returned("%s", "");
	inside("io_getevents", " = 0", "least=0, count=1, timeout=0");
}

static void awaiting(const struct variant *variant)
{
	int (*await)(io_context_t, struct timespec *) = use("io_queue_wait", variant);
	struct timespec wait = {.tv_nsec = 1000};
	TRY(await(context, &wait));
	line_returned("timeout=1000");
	inside("io_getevents", " = 0", "least=0, count=0, timeout=1000");
}

int main(void)
{
	put_file("data", "0123456789abcdefghijklmnop");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(making, LINKED(io_setup), LINKED(io_queue_init));
	RUN(submitting, LINKED(io_submit));
	RUN(reaping, LINKED(io_getevents), LINKED(io_pgetevents));
	RUN(cancelling, LINKED(io_cancel));
	RUN(running, LINKED(io_queue_run));
	RUN(awaiting, {"io_queue_wait", (void (*)(void))old_io_queue_wait});
	RUN(leaving, LINKED(io_destroy), LINKED(io_queue_release));
	return 0;
}
