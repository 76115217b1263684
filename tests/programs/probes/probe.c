/* Probe: the state of a program at its start, and of what it makes: descriptors of every kind, a thread. See tests/probes/say.h.
 * `probe WHO [LETTERS]`: WHO is printed before its lines; d: descriptors, t: a thread. */
#include "../../probes/state.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

static void got(const char *what, int fd)
{
	say("%s gives %d errno %d", what, fd, fd < 0 ? errno : 0);
}

/* Every way to get a descriptor. */
static void see_new_descriptors(void)
{
	int pair[2] = {-1, -1};
	sigset_t set;
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	sigemptyset(&set);
	got("open", open("a", O_RDWR | O_CREAT, 0666));
	got("openat", openat(AT_FDCWD, "b", O_RDWR | O_CREAT | O_CLOEXEC, 0666));
	got("creat", creat("c", 0600));
	pipe(pair);
	say("pipe gives %d %d", pair[0], pair[1]);
	pipe2(pair, O_CLOEXEC);
	say("pipe2 gives %d %d", pair[0], pair[1]);
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	got("socket", listening);
	bind(listening, (struct sockaddr *)&name, sizeof name);
	listen(listening, 1);
	int connecting = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(connecting, (struct sockaddr *)&name, sizeof name);
	got("accept", accept(listening, NULL, NULL));
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	say("socketpair gives %d %d", pair[0], pair[1]);
	got("dup", dup(0));
	got("dup2", dup2(0, 40));
	got("dup3", dup3(0, 41, O_CLOEXEC));
	got("fcntl", fcntl(0, F_DUPFD, 20));
	got("epoll_create1", epoll_create1(0));
	got("eventfd", eventfd(0, 0));
	got("signalfd", signalfd(-1, &set, 0));
	got("timerfd_create", timerfd_create(CLOCK_MONOTONIC, 0));
	got("inotify_init1", inotify_init1(0));
	got("memfd_create", memfd_create("probe", 0));
	DIR *folder = opendir(".");
	got("opendir", folder ? dirfd(folder) : -1);
	FILE *stream = fopen("d", "w+");
	got("fopen", stream ? fileno(stream) : -1);
	FILE *temporary = tmpfile();
	got("tmpfile", temporary ? fileno(temporary) : -1);
	char template[] = "e-XXXXXX";
	got("mkstemp", mkstemp(template));
	unlink(template);
	FILE *shell = popen("exec true", "r");
	got("popen", shell ? fileno(shell) : -1);
	if (shell)
		say("pclose gives %d", pclose(shell));
	got("open", open("f", O_RDWR | O_CREAT, 0666));
}

static void *look_in_thread(void *unused)
{
	int tasks[64];
	(void)unused;
	snprintf(said.who, sizeof said.who, "thread");
	say("threads %d", numbers_in("/proc/self/task", tasks, 64));
	see_signals();
	see_arithmetic();
	got("open", open("g", O_RDWR | O_CREAT, 0666));
	return NULL;
}

static void see_thread(void)
{
	pthread_t thread;
	int tasks[64];
	if (pthread_create(&thread, NULL, look_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
	snprintf(said.who, sizeof said.who, "after");
	/* The thread may be joined before its entry in /proc is gone. */
	for (int i = 0; i < 1000 && numbers_in("/proc/self/task", tasks, 64) > 1; i++)
		usleep(1000);
	say("threads %d", numbers_in("/proc/self/task", tasks, 64));
	got("open", open("h", O_RDWR | O_CREAT, 0666));
}

int main(int count, char **words, char **list)
{
	int error = errno;
	say_to(count > 1 ? words[1] : "probe");
	say("errno %d", error);
	for (int i = 0; i < count; i++)
		say("argument %d %s", i, words[i]);
	say("called as %s %s", program_invocation_name, program_invocation_short_name);
	say("third argument is %s, the vector behind it %s",
	    list == environ ? "environ" : "another",
	    ((char *)list > (char *)&error) ? "above" : "below");
	/* Code that walks to the auxiliary vector finds it. */
	char **end = list;
	while (*end)
		end++;
	int found = 0;
	const ElfW(auxv_t) *vector = (const ElfW(auxv_t) *)(const void *)(end + 1);
	for (int i = 0; i < 64 && vector[i].a_type != AT_NULL; i++)
		found |= vector[i].a_type == AT_PAGESZ && vector[i].a_un.a_val == 4096;
	say("auxiliary vector %s", found ? "found" : "not found");
	see_all();
	if (count > 2 && strchr(words[2], 'd'))
		see_new_descriptors();
	if (count > 2 && strchr(words[2], 't'))
		see_thread();
	see_descriptors();
	see_signals();
	see_status();
	return say_all() ? 99 : 7;
}
