// Probe: in which order a program is begun and ended: constructors, handlers for its end, destructors, streams, and what
// others get to see of it. `probe_exit WAY`: how it ends. See tests/probes/exits.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdexcept>
#include <sys/resource.h>
#include <threads.h>
#include <unistd.h>

static void tell(const char *text)
{
	char line[256];
	int length = snprintf(line, sizeof line, "%s\n", text);
	if (write(1, line, (size_t)length) != length)
		_exit(90);
}

struct Told {
	const char *name;
	explicit Told(const char *given) : name(given)
	{
		char line[128];
		snprintf(line, sizeof line, "made %s", name);
		tell(line);
	}
	~Told()
	{
		char line[128];
		snprintf(line, sizeof line, "gone %s", name);
		tell(line);
	}
	void use() const
	{
	}
};

static Told first("first");
static Told second("second");
static thread_local Told of_thread("of a thread");

__attribute__((constructor(101))) static void very_early()
{
	tell("early constructor");
}

__attribute__((constructor)) static void early()
{
	tell("constructor");
}

__attribute__((destructor)) static void late()
{
	tell("destructor");
}

__attribute__((destructor(101))) static void very_late()
{
	tell("late destructor");
}

static void on_end(int status, void *given)
{
	char line[128];
	snprintf(line, sizeof line, "on_exit %d %s", status, static_cast<const char *>(given));
	tell(line);
}

static void at_end()
{
	tell("atexit");
}

static void at_end_again()
{
	tell("atexit registers another");
	atexit(at_end);
}

static void at_quick_end()
{
	tell("at_quick_exit");
}

static void exits_inside()
{
	tell("exit inside exit");
	exit(41);
}

static void leaves_inside()
{
	tell("_exit inside exit");
	_exit(42);
}

static void dies_inside()
{
	tell("killed inside exit");
	raise(SIGKILL);
}

static pthread_key_t key;
static pthread_t first_thread;
static sem_t begun;

static void of_key(void *value)
{
	tell(static_cast<const char *>(value));
}

static void *other_thread(void *given)
{
	const char *way = static_cast<const char *>(given);
	of_thread.use();
	pthread_setspecific(key, "value of the other thread");
	if (!strcmp(way, "thread exit"))
		exit(31);
	if (!strcmp(way, "thread _exit"))
		_exit(32);
	if (!strcmp(way, "thread pthread_exit"))
		pthread_exit(nullptr);
	if (!strcmp(way, "thread quick_exit"))
		quick_exit(33);
	if (!strcmp(way, "main left")) {
		sem_post(&begun);
		/* Joins the first thread: when that has ended, everything has. */
		pthread_join(first_thread, nullptr);
		tell("the other thread goes on");
	}
	return nullptr;
}

int main(int count, char **words)
{
	const char *way = count > 1 ? words[1] : "return";
	const struct rlimit no_core = {0, 0};
	setrlimit(RLIMIT_CORE, &no_core);
	pthread_key_create(&key, of_key);
	pthread_setspecific(key, const_cast<char *>("value of the first thread"));
	of_thread.use();
	on_exit(on_end, const_cast<char *>("first"));
	atexit(at_end);
	on_exit(on_end, const_cast<char *>("second"));
	atexit(at_end_again);
	at_quick_exit(at_quick_end);
	static Told in_function("in a function");
	printf("in the buffer of stdout\n");
	setvbuf(stderr, nullptr, _IOFBF, 4096);
	fprintf(stderr, "in the buffer of stderr\n");
	tell("main");
	if (!strncmp(way, "inside ", 7))
		atexit(way[7] == 'e' ? exits_inside : way[7] == 'l' ? leaves_inside : dies_inside);
	if (!strncmp(way, "thread", 6) || !strcmp(way, "main left")) {
		pthread_t thread;
		first_thread = pthread_self();
		sem_init(&begun, 0, 0);
		pthread_create(&thread, nullptr, other_thread, const_cast<char *>(way));
		if (!strcmp(way, "main left")) {
			sem_wait(&begun);
			pthread_exit(nullptr);
		}
		pthread_join(thread, nullptr);
	}
	if (!strcmp(way, "exit"))
		exit(11);
	if (!strcmp(way, "exit 256"))
		exit(256 + 12);
	if (!strcmp(way, "exit -1"))
		exit(-1);
	if (!strcmp(way, "_exit"))
		_exit(13);
	if (!strcmp(way, "_Exit"))
		_Exit(14);
	if (!strcmp(way, "quick_exit"))
		quick_exit(15);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "kill"))
		raise(SIGKILL);
	if (!strcmp(way, "term"))
		raise(SIGTERM);
	if (!strcmp(way, "segv"))
		raise(SIGSEGV);
	if (!strcmp(way, "throw"))
		throw std::runtime_error("nobody catches it");
	if (!strcmp(way, "terminate"))
		std::terminate();
	if (!strcmp(way, "exec"))
		execl("/bin/echo", "echo", "another program", static_cast<char *>(nullptr));
	return 10;
}
