/* Calls: how processes and threads end, and how threads begin. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>

/* The number of a child is not printed: it is another one in each run. */
static long in_child(void)
{
	pid_t (*fork_it)(void) = use("fork", &(struct variant)LINKED(fork));
	long child = TRY(fork_it());
	if (child)
		expect_as(text(" = %ld", child), "%s", "");
	return child;
}

static void reap(long child)
{
	int status = -1;
	raw(SYS_wait4, child, (long)&status, 0, 0);
	say("  ended with %#x", (unsigned)status);
}

static void ending(const struct variant *variant)
{
	long child = in_child();
	if (child) {
		reap(child);
		return;
	}
	void (*end)(int) = use(variant->symbol, variant);
	line_as(" = ? unfinished", "status=%d", 40);
	end(40);
}

static void aborting(const struct variant *variant)
{
	struct rlimit none = {0, 0};
	long child = in_child();
	if (child) {
		reap(child);
		return;
	}
	raw(SYS_setrlimit, RLIMIT_CORE, (long)&none, 0, 0);
	void (*end)(void) = use("abort", variant);
	line_as(" = ? unfinished", "%s", "");
	end();
}

static void *body(void *argument)
{
	int (*look)(const char *, int) = use("access", &(struct variant)LINKED(access));
	TRY(look("missing", F_OK));
	line("path=\"missing\", mode=F_OK");
	if (!argument)
		return NULL;
	void (*end)(void *) = use("pthread_exit", &(struct variant)LINKED(pthread_exit));
	line_as(" = ? unfinished", "%s", "");
	end(argument);
	return NULL;
}

static void threading(const struct variant *variant)
{
	pthread_t thread;
	pthread_attr_t attributes;
	void *value = NULL;
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		use("pthread_create", variant);
	int result = (int)TRY(create(&thread, NULL, body, NULL));
	pthread_join(thread, NULL);
	use("pthread_create", variant);
	call.result = result;
	/* A started thread may leave changes: the C library reads the list of processors now and then. */
	call.error = SENTINEL;
	line_errno("%s", "");
	TRY(create(&thread, NULL, body, "value"));
	pthread_join(thread, &value);
	use("pthread_create", variant);
	call.result = 0;
	call.error = SENTINEL;
	line_errno("%s", "");
	say("  %s", (char *)value);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1ul << 46);
	TRY(create(&thread, &attributes, body, NULL));
	line_errno("%s", "");
}

static int small_body(void *argument)
{
	body(NULL);
	if (!argument)
		return 11;
	void (*end)(int) = use("thrd_exit", &(struct variant)LINKED(thrd_exit));
	line_as(" = ? unfinished", "status=12");
	end(12);
	return 0;
}

static void small_threads(const struct variant *variant)
{
	thrd_t thread;
	int value = 0;
	int (*create)(thrd_t *, thrd_start_t, void *) = use("thrd_create", variant);
	for (int i = 0; i < 2; i++) {
		TRY(create(&thread, small_body, i ? "exit" : NULL));
		thrd_join(thread, &value);
		use("thrd_create", variant);
		call.result = 0;
		call.error = SENTINEL;
		line("%s", "");
		say("  %d", value);
	}
}

int main(void)
{
	RUN(ending, LINKED(exit), LINKED(_exit), LINKED(_Exit), LINKED(quick_exit));
	RUN(aborting, LINKED(abort));
	RUN(threading, LINKED(pthread_create));
	RUN(small_threads, LINKED(thrd_create));
	void (*end)(int) = use("exit", &(struct variant)LINKED(exit));
	line_as(" = ? unfinished", "status=%d", 13);
	end(13);
	return 0;
}
