/* Leaves calls, or makes them, so that the stack does not simply grow and shrink. Usage: stacks WAY COUNT [FILE]
 *
 * After each jump a write of one byte into `out` is made at depth 0; their number is printed. FILE gets the number of writes that
 * handlers made. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static int out, ends[2];
static long writes;
static volatile long handled;
static sigjmp_buf back;
static ucontext_t here, there, third;
static char near_main[65536] __attribute__((aligned(16)));
enum { ALTERNATE = 65536 };

static void mark_below(void);

/* Made from the caller's own frame. */
static inline __attribute__((always_inline)) void mark(void)
{
	if (write(out, "m", 1) != 1)
		abort();
	writes++;
}

__attribute__((noinline)) static void mark_below(void)
{
	volatile char room[256];
	room[0] = 0;
	mark();
	room[1] = room[0];
}

static void leap(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void handler_writes(int number)
{
	(void)number;
	if (pwrite(out, "h", 1, 0) != 1)
		abort();
	handled++;
}

/* A pipe without data: the alarm interrupts the read. */
static void read_and_leap(long count)
{
	volatile long i = 0;
	char byte;
	signal(SIGALRM, leap);
	for (; i < count; i++) {
		if (sigsetjmp(back, 1) == 0) {
			ualarm(1000, 0);
			if (read(ends[0], &byte, 1) >= 0)
				abort();
		}
		mark();
	}
}

/* Jumps from anywhere, also from the recorder's own work; then 1000 calls without signals. */
static void leap_from_anywhere(long count)
{
	volatile long leaps = 0;
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	signal(SIGALRM, leap);
	if (sigsetjmp(back, 1) != 0)
		leaps++;
	setitimer(ITIMER_REAL, &often, NULL);
	while (leaps < count)
		if (lseek(ends[0], 0, SEEK_CUR) >= 0)
			abort();
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	for (int i = 0; i < 1000; i++)
		mark();
}

static void deeper(int levels)
{
	volatile char room[512];
	room[0] = (char)levels;
	if (levels > 0) {
		deeper(levels - 1);
		room[1] = room[0];
		return;
	}
	char byte;
	if (read(ends[0], &byte, 1) >= 0)
		abort();
}

/* The same from a frame far below the target of the jump, 100 times without any return. */
static void read_deep_and_leap(long count)
{
	volatile long i = 0;
	signal(SIGALRM, leap);
	for (; i < count; i++) {
		if (sigsetjmp(back, 1) == 0) {
			ualarm(1000, 0);
			deeper(50);
		}
		mark();
	}
}

static int leap_out_of_walk(const char *path, const struct stat *status, int flag,
			    struct FTW *where)
{
	(void)path, (void)status, (void)flag, (void)where;
	mark();
	siglongjmp(back, 1);
}

static void walk_and_leap(long count, int below)
{
	for (volatile long i = 0; i < count; i++) {
		if (sigsetjmp(back, 1) == 0)
			nftw(".", leap_out_of_walk, 4, FTW_PHYS);
		if (below)
			mark_below();
		else
			mark();
	}
}

static void *blocked_reader(void *unused)
{
	(void)unused;
	char byte;
	mark();
	if (read(ends[0], &byte, 1) >= 0)
		abort();
	return NULL;
}

static void cleanup_writes(void *unused)
{
	(void)unused;
	mark();
}

static void *reader_with_cleanup(void *unused)
{
	pthread_cleanup_push(cleanup_writes, NULL);
	blocked_reader(unused);
	pthread_cleanup_pop(1);
	return NULL;
}

static void cancel(long count)
{
	for (long i = 0; i < count; i++) {
		pthread_t thread;
		void *value;
		long before = *(volatile long *)&writes;
		if (pthread_create(&thread, NULL, i % 2 ? reader_with_cleanup : blocked_reader,
				   NULL) != 0)
			abort();
		while (*(volatile long *)&writes == before)
			usleep(100);
		usleep(1000);
		pthread_cancel(thread);
		if (pthread_join(thread, &value) != 0 || value != PTHREAD_CANCELED)
			abort();
		mark();
	}
}

static void coroutine(void)
{
	for (;;) {
		mark();
		swapcontext(&there, &here);
	}
}

static int switch_in_walk(const char *path, const struct stat *status, int flag, struct FTW *where)
{
	(void)path, (void)status, (void)flag, (void)where;
	mark();
	swapcontext(&there, &here);
	mark();
	return 0;
}

/* A walk that is left and entered again while the other stack makes calls of its own. */
static void walking_coroutine(void)
{
	for (;;) {
		nftw(".", switch_in_walk, 4, FTW_PHYS);
		mark();
	}
}

static void context_make(ucontext_t *context, void *stack, size_t size, void (*body)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	context->uc_link = &third;
	makecontext(context, body, 0);
}

static void contexts(long count, void (*body)(void))
{
	static void *volatile stacks[3];
	stacks[0] = near_main;
	stacks[1] = mmap(NULL, sizeof near_main, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stacks[2] = malloc(sizeof near_main);
	for (int stack = 0; stack < 3; stack++) {
		context_make(&there, stacks[stack], sizeof near_main, body);
		for (long i = 0; i < count; i++) {
			swapcontext(&here, &there);
			mark();
		}
	}
}

/* A thread with handlers on another stack, above or below its own, as often as signals can be sent. */
static long thread_count;
static void *thread_alternate;
static volatile int thread_state;
static FILE *stream;

static void *thread_with_alternate(void *unused)
{
	stack_t alternate = {.ss_sp = thread_alternate, .ss_size = ALTERNATE};
	sigaltstack(&alternate, NULL);
	thread_state = 1;
	/* Buffered: a signal finds this thread in its own code, not in the kernel. */
	for (long i = 0; i < thread_count; i++) {
		if (fwrite("buffered", 8, 1, stream) != 1)
			abort();
		if (i % 16 == 0)
			mark();
	}
	thread_state = 2;
	while (thread_state == 2)
		usleep(100);
	return unused;
}

static void alternate(long count, int above)
{
	char *both =
		mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = {.sa_handler = handler_writes,
				   .sa_flags = SA_ONSTACK | SA_RESTART};
	pthread_attr_t attributes;
	pthread_t thread;
	sigaction(SIGUSR1, &action, NULL);
	stream = fopen("/dev/null", "w");
	thread_count = count;
	thread_alternate = above ? both + (1 << 20) : both;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, above ? both : both + (1 << 20), 1 << 20);
	if (pthread_create(&thread, &attributes, thread_with_alternate, NULL) != 0)
		abort();
	while (thread_state == 0)
		usleep(100);
	while (thread_state == 1)
		pthread_kill(thread, SIGUSR1);
	thread_state = 3;
	pthread_join(thread, NULL);
	fclose(stream);
}

/* Calls inside calls, more than can be recorded: a walk inside a walk inside ... */
static int levels_left;
static int walk_again(const char *path, const struct stat *status, int flag, struct FTW *where)
{
	(void)path, (void)status, (void)flag, (void)where;
	if (levels_left-- > 0)
		nftw("/dev/null", walk_again, 2, FTW_PHYS);
	else
		mark();
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 10;
	out = open("out", O_RDWR | O_CREAT, 0600);
	if (out < 0 || pipe(ends) != 0)
		return 1;
	if (strcmp(way, "read") == 0)
		read_and_leap(count);
	else if (strcmp(way, "anywhere") == 0)
		leap_from_anywhere(count);
	else if (strcmp(way, "deep") == 0)
		read_deep_and_leap(count);
	else if (strcmp(way, "walk") == 0 || strcmp(way, "walk_below") == 0)
		walk_and_leap(count, way[4] != 0);
	else if (strcmp(way, "cancel") == 0)
		cancel(count);
	else if (strcmp(way, "contexts") == 0)
		contexts(count, coroutine);
	else if (strcmp(way, "walking") == 0)
		contexts(count, walking_coroutine);
	else if (strcmp(way, "above") == 0 || strcmp(way, "below") == 0)
		alternate(count, way[0] == 'a');
	else if (strcmp(way, "nested") == 0) {
		levels_left = (int)count;
		nftw("/dev/null", walk_again, 2, FTW_PHYS);
	}
	mark();
	printf("%ld writes\n", writes);
	if (argc > 3) {
		FILE *file = fopen(argv[3], "w");
		fprintf(file, "%ld\n", handled);
		fclose(file);
	}
	return 0;
}
