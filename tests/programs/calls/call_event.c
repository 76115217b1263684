/* Calls: waiting for descriptors, and descriptors from which events are read. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static int ends[2];

static struct pollfd asked[2];

static struct pollfd *both(void)
{
	asked[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	asked[1] = (struct pollfd){.fd = ends[1], .events = POLLOUT};
	return asked;
}

static void polling(const struct variant *variant)
{
	bool checked = !strcmp(variant->symbol, "__poll_chk");
	int (*await)(struct pollfd *, nfds_t, int) = use("poll", variant);
	int (*await_checked)(struct pollfd *, nfds_t, int, size_t) = use("poll", variant);
	TRY(checked ? await_checked(both(), 2, -1, sizeof asked) : await(both(), 2, -1));
	line("count=2, timeout=-1");
	say("  %d %d", asked[0].revents, asked[1].revents);
	TRY(checked ? await_checked(both(), 1, 1, sizeof asked) : await(both(), 1, 1));
	line("count=1, timeout=1");
	TRY(checked ? await_checked((void *)8, 1, 0, sizeof asked) : await((void *)8, 1, 0));
	line("count=1, timeout=0");
}

static void polling_with_mask(const struct variant *variant)
{
	bool checked = !strcmp(variant->symbol, "__ppoll_chk");
	const struct timespec wait = {.tv_nsec = 1000};
	sigset_t mask;
	sigemptyset(&mask);
	int (*await)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) =
		use("ppoll", variant);
	int (*await_checked)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *,
			     size_t) = use("ppoll", variant);
	TRY(checked ? await_checked(both(), 2, NULL, &mask, sizeof asked)
		    : await(both(), 2, NULL, &mask));
	line("count=2, timeout=-1");
	TRY(checked ? await_checked(both(), 1, &wait, NULL, sizeof asked)
		    : await(both(), 1, &wait, NULL));
	line("count=1, timeout=1000");
	TRY(checked ? await_checked((void *)8, 1, &wait, NULL, sizeof asked)
		    : await((void *)8, 1, &wait, NULL));
	line("count=1, timeout=1000");
}

static void selecting(const struct variant *variant)
{
	int (*await)(int, fd_set *, fd_set *, fd_set *, struct timeval *) = use("select", variant);
	fd_set readable, writable;
	struct timeval wait = {.tv_usec = 5};
	FD_ZERO(&readable);
	FD_ZERO(&writable);
	FD_SET(ends[0], &readable);
	FD_SET(ends[1], &writable);
	TRY(await(ends[1] + 1, &readable, &writable, NULL, NULL));
	line("count=%d, timeout=-1", ends[1] + 1);
	say("  %d %d", !!FD_ISSET(ends[0], &readable), !!FD_ISSET(ends[1], &writable));
	TRY(await(0, NULL, NULL, NULL, &wait));
	line("count=0, timeout=5000");
	TRY(await(-1, NULL, NULL, NULL, &wait));
	line("count=-1, timeout=%ld", (long)wait.tv_usec * 1000);
}

static void selecting_with_mask(const struct variant *variant)
{
	int (*await)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *) =
		use("pselect", variant);
	fd_set writable;
	struct timespec wait = {.tv_sec = 0, .tv_nsec = 77};
	FD_ZERO(&writable);
	FD_SET(ends[1], &writable);
	TRY(await(ends[1] + 1, NULL, &writable, NULL, &wait, NULL));
	line("count=%d, timeout=77", ends[1] + 1);
	wait.tv_nsec = -1;
	TRY(await(0, NULL, NULL, NULL, &wait, NULL));
	line("count=0, timeout=-1");
}

static const char *anonymous(long number, const char *name)
{
	return text("%ld <anon_inode:[%s]>", number, name);
}

static void making_polls(const struct variant *variant)
{
	bool one = !strcmp(variant->symbol, "epoll_create1");
	int (*make)(int) = use(variant->symbol, variant);
	long number = TRY(make(one ? EPOLL_CLOEXEC : 5));
	facts("\"kind\":\"anonymous\"");
	line(one ? "flags=O_CLOEXEC" : "size=5");
	say("  close-on-exec %ld", raw(SYS_fcntl, number, F_GETFD, 0, 0));
	close_fd(number);
	TRY(make(-1));
	if (one)
		line("flags=O_CLOEXEC|0xfff7ffff");
	else
		line("size=-1");
}

static void waiting_polls(const struct variant *variant)
{
	int kind = !strcmp(variant->symbol, "epoll_wait")    ? 0
		   : !strcmp(variant->symbol, "epoll_pwait") ? 1
							     : 2;
	int (*await)(int, struct epoll_event *, int, int) = use(variant->symbol, variant);
	int (*await1)(int, struct epoll_event *, int, int, const sigset_t *) =
		use(variant->symbol, variant);
	int (*await2)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *) =
		use(variant->symbol, variant);
	struct epoll_event told[3], event = {.events = EPOLLOUT};
	struct timespec now = {0};
	long number = raw(SYS_epoll_create1, 0, 0, 0, 0);
	raw(SYS_epoll_ctl, number, EPOLL_CTL_ADD, ends[1], (long)&event);
	TRY(kind == 0	? await((int)number, told, 3, 0)
	    : kind == 1 ? await1((int)number, told, 3, 0, NULL)
			: await2((int)number, told, 3, &now, NULL));
	line("fd=%s, count=3, timeout=0", anonymous(number, "eventpoll"));
	TRY(kind == 0	? await((int)number, told, 0, 0)
	    : kind == 1 ? await1((int)number, told, 0, 0, NULL)
			: await2((int)number, told, 0, &now, NULL));
	line("fd=%s, count=0, timeout=0", anonymous(number, "eventpoll"));
	close_fd(number);
	TRY(kind == 0	? await(-1, told, 3, -1)
	    : kind == 1 ? await1(-1, told, 3, -1, NULL)
			: await2(-1, told, 3, NULL, NULL));
	line("fd=-1, count=3, timeout=-1");
}

static void controlling_polls(const struct variant *variant)
{
	int (*control)(int, int, int, struct epoll_event *) = use("epoll_ctl", variant);
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int number = (int)raw(SYS_epoll_create1, 0, 0, 0, 0);
	const char *shown = anonymous(number, "eventpoll");
	TRY(control(number, EPOLL_CTL_ADD, ends[0], &event));
	line("fd=%s, cmd=EPOLL_CTL_ADD, member=%s, event=EPOLLIN|EPOLLET", shown, fd(ends[0]));
	TRY(control(number, EPOLL_CTL_ADD, ends[0], &event));
	line("fd=%s, cmd=EPOLL_CTL_ADD, member=%s, event=EPOLLIN|EPOLLET", shown, fd(ends[0]));
	TRY(control(number, EPOLL_CTL_DEL, ends[0], NULL));
	line("fd=%s, cmd=EPOLL_CTL_DEL, member=%s, event=0", shown, fd(ends[0]));
	TRY(control(number, EPOLL_CTL_MOD, ends[0], (void *)8));
	line("fd=%s, cmd=EPOLL_CTL_MOD, member=%s, event=0", shown, fd(ends[0]));
	close_fd(number);
}

static void making_events(const struct variant *variant)
{
	int (*make)(unsigned, int) = use("eventfd", variant);
	TRY(make(7, EFD_SEMAPHORE | EFD_NONBLOCK));
	facts("\"kind\":\"anonymous\"");
	line("value=7, flags=EFD_SEMAPHORE|EFD_NONBLOCK");
	close_fd(call.result);
	TRY(make(7, 0x77));
	line("value=7, flags=EFD_SEMAPHORE|0x76");
}

static void reading_events(const struct variant *variant)
{
	int (*take)(int, eventfd_t *) = use("eventfd_read", variant);
	eventfd_t value = 0;
	int number = (int)raw(SYS_eventfd2, 7, EFD_NONBLOCK, 0, 0);
	TRY(take(number, &value));
	line("fd=%s, value=7", anonymous(number, "eventfd"));
	TRY(take(number, &value));
	line("fd=%s", anonymous(number, "eventfd"));
	close_fd(number);
}

static void writing_events(const struct variant *variant)
{
	int (*give)(int, eventfd_t) = use("eventfd_write", variant);
	uint64_t value = 0;
	int number = (int)raw(SYS_eventfd2, 0, EFD_NONBLOCK, 0, 0);
	TRY(give(number, 1ull << 40));
	line("fd=%s, value=1099511627776", anonymous(number, "eventfd"));
	raw(SYS_read, number, (long)&value, 8, 0);
	say("  %llu", (unsigned long long)value);
	TRY(give(number, UINT64_MAX));
	line("fd=%s, value=18446744073709551615", anonymous(number, "eventfd"));
	close_fd(number);
}

static void making_timers(const struct variant *variant)
{
	int (*make)(clockid_t, int) = use("timerfd_create", variant);
	TRY(make(CLOCK_MONOTONIC, TFD_CLOEXEC));
	facts("\"kind\":\"anonymous\"");
	line("clock=CLOCK_MONOTONIC, flags=TFD_CLOEXEC");
	close_fd(call.result);
	TRY(make(4711, 0));
	line("clock=4711, flags=0");
}

static void setting_timers(const struct variant *variant)
{
	int (*set)(int, int, const struct itimerspec *, struct itimerspec *) =
		use("timerfd_settime", variant);
	struct itimerspec timer = {.it_value = {.tv_sec = 4000000000}}, old;
	int number = (int)raw(SYS_timerfd_create, CLOCK_REALTIME, 0, 0, 0);
	TRY(set(number, TFD_TIMER_ABSTIME, &timer, &old));
	line("fd=%s, flags=TFD_TIMER_ABSTIME, timer=4000000000000000000",
	     anonymous(number, "timerfd"));
	TRY(set(number, 0, (void *)8, NULL));
	line("fd=%s, flags=0, timer=-1", anonymous(number, "timerfd"));
	close_fd(number);
}

static void asking_timers(const struct variant *variant)
{
	int (*ask)(int, struct itimerspec *) = use("timerfd_gettime", variant);
	struct itimerspec timer;
	int number = (int)raw(SYS_timerfd_create, CLOCK_REALTIME, 0, 0, 0);
	TRY(ask(number, &timer));
	line("fd=%s", anonymous(number, "timerfd"));
	TRY(ask(ends[0], &timer));
	line("fd=%s", fd(ends[0]));
	close_fd(number);
}

static void making_signals(const struct variant *variant)
{
	int (*make)(int, const sigset_t *, int) = use("signalfd", variant);
	sigset_t mask;
	sigemptyset(&mask);
	int number = (int)TRY(make(-1, &mask, SFD_CLOEXEC));
	facts("\"kind\":\"anonymous\"");
	line("fd=-1, flags=O_CLOEXEC");
	TRY(make(number, &mask, 0));
	line("fd=%s, flags=0", anonymous(number, "signalfd"));
	TRY(make(ends[0], &mask, SFD_NONBLOCK));
	line("fd=%s, flags=O_NONBLOCK", fd(ends[0]));
	close_fd(number);
}

int main(void)
{
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	RUN(polling, LINKED(poll), HIDDEN(__poll), HIDDEN(__poll_chk));
	RUN(polling_with_mask, LINKED(ppoll), HIDDEN(__ppoll_chk));
	RUN(selecting, LINKED(select), HIDDEN(__select));
	RUN(selecting_with_mask, LINKED(pselect));
	RUN(making_polls, LINKED(epoll_create), LINKED(epoll_create1));
	RUN(controlling_polls, LINKED(epoll_ctl));
	RUN(waiting_polls, LINKED(epoll_wait), LINKED(epoll_pwait), LINKED(epoll_pwait2));
	RUN(making_events, LINKED(eventfd));
	RUN(reading_events, LINKED(eventfd_read));
	RUN(writing_events, LINKED(eventfd_write));
	RUN(making_timers, LINKED(timerfd_create));
	RUN(setting_timers, LINKED(timerfd_settime));
	RUN(asking_timers, LINKED(timerfd_gettime));
	RUN(making_signals, LINKED(signalfd));
	return 0;
}
