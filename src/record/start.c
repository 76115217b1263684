/* Record: sets up a process and its threads. Besides preload_settings.c, the only place of the recorder that reads the environment.
 *
 * May run before any constructor, inside any call, and again in every forked child. Signals are blocked meanwhile. After an error
 * the program runs untraced and is not disturbed.
 */
#include "record/recorder.h"

#include "base/key_values.h"
#include "base/parse.h"
#include "base/program/preload_path.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"
#include "codec/inprocess/lane_errors.h"
#include "real.h"
#include "record/library/table_lock.h"
#include "record/loader/images.h"
#include "record/loader/loaded_objects.h"
#include "record/loader/lookup.h"
#include "record/loader/regions.h"
#include "record/loader/symbols.h"
#include "record/loader/version.h"
#include "record/preload_settings.h"
#include "record/process/detached.h"
#include "record/process/environment.h"
#include "record/process/keeper_start.h"
#include "record/switches.h"
#include "sink/run/join.h"
#include "sink/run/pause.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Threads start with a pulse that never equals their `ready`; a process that is set up has its pulse in a page that fork wipes. */
enum { NOT_READY = 1, ALIVE = 2, NEVER = 3 };
static const volatile struct pulse never = {.alive = NEVER};

/* Set by the dynamic loader, before the C library is initialised. */
extern void *__libc_stack_end;

struct recorder recorder;
__thread struct thread thread_self = {.ready = NOT_READY, .pulse = &never};

enum { START_NOT, START_GOING, START_DONE, START_OFF };
static uint32_t start_state;
static uint32_t early; /* calls made while the process was being set up */

void recorder_missing(uint16_t id)
{
	(void)id;
	loss_count(LOSS_NO_REAL, 1);
}

static uint32_t world_find(void)
{
	const char *text = settings_world();
	uint64_t size;
	return text && parse_number(text, INT32_MAX, &size) ? (uint32_t)size : 0;
}

static int32_t rank_find(void)
{
	const char *text = settings_rank();
	uint64_t rank;
	return text && parse_number(text, INT32_MAX, &rank) ? (int32_t)rank : -1;
}

/* Processes without a rank are recorded: a launcher, a shell. */
static bool own_rank_excluded(struct control *control)
{
	if (recorder.rank < 0 || !rank_excluded(control, (uint64_t)recorder.rank))
		return false;
	__atomic_fetch_add(&control->loss[NOTE_RANKS], 1, __ATOMIC_RELAXED);
	return true;
}

/* The path of this library. */
static const char *library_path(void)
{
	Dl_info info;
	return dladdr(&recorder, &info) && info.dli_fname ? preload_path(info.dli_fname) : "";
}

/* Finds what identifies this process; called again in every forked child. */
static void process_identify(void)
{
	recorder.pid = sys_getpid();
	recorder.pid_seen = 0;
	recorder.parent_pid = (int32_t)sys6(SYS_getppid, 0, 0, 0, 0, 0, 0);
	recorder.process_start = process_start_own(&recorder.pid_seen, &recorder.parent_pid);
	/* Without /proc (chroot) the old value stays. */
	uint64_t pid_namespace = process_namespace();
	if (pid_namespace)
		recorder.pid_namespace = pid_namespace;
	recorder.process = __atomic_add_fetch(&recorder.control->next_process, 1, __ATOMIC_RELAXED);
	recorder.next_thread = 0;
	recorder.next_lane = 0;
}

static void pulse_set(struct pulse *pulse)
{
	pulse->tsc = recorder.tsc;
	pulse->pointers = recorder.control->pointers != 0;
	pulse->alive = ALIVE;
}

static const char *own_library(void)
{
	const char *value = getenv("LD_PRELOAD");
	return value ? value : "";
}

/* The environment as the kernel stored it: behind the arguments, at the end of the stack. */
static char **environment_given(void)
{
	long *words = __libc_stack_end;
	return (char **)(words + 1 + words[0] + 1);
}

static bool start_now(void)
{
	struct run run;
	/* The runtime of a sanitizer may call the recorder before the C library has set `environ`; it will store the same value. */
	if (!environ)
		environ = environment_given();
	real_resolve(symbol_next);
	versions_resolve();
	functions_resolve();
	images_resolve();
	const char *off = getenv("VARVE_DISABLE"), *lanes = getenv("VARVE_RUN");
	if ((off && *off && *off != '0') || getauxval(AT_SECURE))
		return false;
	if (lanes && *lanes ? run_named(lanes, library_path(), &run, NULL) != VARVE_OK
			    : !settings_run(&run, library_path()))
		return false;
	void *page = sys_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0, NULL);
	recorder.rank = rank_find();
	recorder.local = settings_local();
	recorder.world = world_find();
	if (run.control->disabled || !page || own_rank_excluded(run.control)) {
		run_detach(&run);
		return false;
	}
	/* Where the kernel or tool does not support this (valgrind), only forks through the C library are detected. */
	sys_madvise(page, 4096, MADV_WIPEONFORK);
	recorder.control = run.control;
	recorder.tsc = run.control->clock_kind == CLOCK_KIND_TSC;
	/* valgrind's clone() cannot make the recorder's threads. */
	recorder.together = strstr(own_library(), "/vgpreload_") != NULL;
	recorder.names_epoch = 1;
	recorder.pages_epoch = 1;
	memcpy(recorder.lanes, run.lanes, sizeof recorder.lanes);
	/* A runtime that starts programs by its own system calls passes on the environment that the program has. */
	bool own_calls = objects_have_go();
	if (!run.control->no_follow && !settings_launcher() && !own_calls)
		environment_hide(library_path());
	if (own_calls)
		environment_show(library_path());
	if (run.made)
		keeper_start(&run);
	process_identify();
	switches_map(&run);
	pulse_set(page);
	__atomic_store_n(&recorder.pulse, page, __ATOMIC_RELEASE);
	return true;
}

bool recorder_start(void)
{
	uint32_t state = START_NOT;
	if (__atomic_compare_exchange_n(&start_state, &state, START_GOING, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		bool done = start_now();
		if (done)
			table_locks_prepare();
		else
			switches_dead();
		__atomic_store_n(&start_state, done ? START_DONE : START_OFF, __ATOMIC_RELEASE);
		if (early)
			loss_count(LOSS_START, early);
		lookup_started();
		return done;
	}
	if (state == START_GOING) {
		/* Another thread is setting up the process, or this is a function that the setup calls: not recorded, but real
		 * functions are needed. */
		__atomic_fetch_add(&early, 1, __ATOMIC_RELAXED);
		real_resolve(symbol_next);
		return false;
	}
	return state == START_DONE;
}

/* The runtime of a sanitizer may end the process by a system call, for example after a report. */
static bool has_sanitizer(void)
{
	static const char name[] = "__sanitizer_set_death_callback";
	return symbol_before(name, symbol_hash(name), NULL) || symbol_behind(name);
}

/* Defines the process: the first definition in the lane of its first thread. */
static void process_define(struct thread *self, const char *origin)
{
	static char text[16384], scratch[8192];
	struct key_values list = {.bytes = text, .room = sizeof text};
	key_values_add_number(&list, "pid", (uint64_t)recorder.pid);
	if (recorder.pid_seen && recorder.pid_seen != recorder.pid)
		key_values_add_number(&list, "outer", (uint64_t)recorder.pid_seen);
	key_values_add_number(&list, "ppid", (uint64_t)recorder.parent_pid);
	key_values_add_number(&list, "parent", recorder.parent_process);
	key_values_add_number(&list, "start", recorder.process_start);
	key_values_add_cut(&list, "origin", origin);
	key_values_add_cut(&list, "host", recorder.control->host);
	if (recorder.rank >= 0)
		key_values_add_number(&list, "rank", (uint64_t)recorder.rank);
	if (recorder.rank >= 0 && recorder.world)
		key_values_add_number(&list, "world", recorder.world);
	if (recorder.rank >= 0 && settings_world_number() > 1)
		key_values_add_number(&list, "spawn", settings_world_number());
	if (has_sanitizer())
		key_values_add_number(&list, "sanitizer", 1);
	long length = sys_readlink("/proc/self/exe", scratch, sizeof scratch - 1);
	scratch[length > 0 ? length : 0] = 0;
	key_values_add_cut(&list, "exe", scratch);
	size_t folder_length;
	folder_copy(scratch, sizeof scratch - 1, &folder_length);
	scratch[folder_length] = 0;
	key_values_add_cut(&list, "cwd", scratch);
	length = file_read("/proc/self/cmdline", scratch, sizeof scratch);
	/* A process that sets its title (setproctitle) fills the rest of its arguments with zero bytes; a new image has not done so
	 * yet. */
	while (!strcmp(origin, "fork") && length > 1 && !scratch[length - 1] &&
	       !scratch[length - 2])
		length--;
	for (long argument = 0; argument < length; argument += (long)strlen(scratch + argument) + 1)
		key_values_add_cut(&list, "argv", scratch + argument);
	size_t bytes = list.length, words = 3 + (bytes + 7) / 8;
	uint64_t *define = define_reserve(self, words);
	define[2] = bytes;
	define[words - 1] = words > 3 ? 0 : define[words - 1];
	memcpy(define + 3, text, bytes);
	define_seal(self, define, DEFINE_PROCESS, words);
}

static void thread_define(struct thread *self)
{
	uint64_t *define = define_reserve(self, 5);
	define[2] = self->number;
	define[3] = (uint64_t)self->tid;
	define[4] = self->creator;
	define_seal(self, define, DEFINE_THREAD, 5);
}

void recorder_forked(void)
{
	struct thread *self = &thread_self;
	if (!recorder.pulse)
		return;
	/* A handler of pthread_atfork has made a call already, so the child is set up. */
	if (recorder.pulse->alive == ALIVE && !recorder.quiet && recorder.pid == sys_getpid())
		return;
	environment_forked();
	recorder.pulse->alive = 0;
	/* A handler that interrupted the recorder's work has forked: that work continues in the child too, and writes to the
	 * parent's lane. */
	if (self->busy && recorder.quiet)
		sys_mmap(self->lane, self->limit + LANE_MARGIN + LANE_RESERVE,
			 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			 -1, 0, NULL);
	else
		thread_start(self);
}

/* In a forked child: the parent's lanes are not mapped, and the child gets its own. */
static void child_start(struct thread *self)
{
	recorder.parent_process = recorder.process;
	recorder.forked = true;
	environment_forked();
	lanes_after_fork(self);
	objects_after_fork();
	table_locks_after_fork();
	process_identify();
	recorder.quiet = 0;
	if (control_process_paused(recorder.control, recorder.parent_process))
		control_pause_process(recorder.control, recorder.process);
	regions_after_fork(self);
	images_after_fork();
	self->open_count = 0;
	self->vfork_pid = 0;
	self->number = 0;
	self->lane_wait = self->lane_miss = 0;
	pulse_set(recorder.pulse);
}

void thread_off(struct thread *self, bool off)
{
	self->off = off;
	self->ready = off ? NOT_READY : ALIVE;
}

static void lane_missed(struct thread *self)
{
	enum { WAIT_FIRST = 8, WAIT_MOST = 1024 };
	self->lane_miss = !self->lane_miss		? WAIT_FIRST
			  : self->lane_miss < WAIT_MOST ? self->lane_miss * 2
							: WAIT_MOST;
	self->lane_wait = self->lane_miss;
}

/* Gives the thread its lane, and defines the thread. */
static void thread_begin(void *given)
{
	struct thread *self = given;
	uint64_t from = clock_count(recorder.tsc);
	if (!lane_acquire(self)) {
		lane_missed(self);
		return;
	}
	self->lane_miss = 0;
	if (self->number == 1)
		process_define(self, recorder.forked ? "fork" : "image");
	thread_define(self);
	if (self->number == 1)
		lane_spare();
	lane_held(self, from);
	if (self->number == 1 && !recorder.forked)
		objects_first(self);
	else
		objects_again(self);
	BARRIER();
	self->ready = ALIVE;
}

/* When there was no room for a lane, calls are counted and passed through; there are further tries, after more and more calls. A
 * forked child starts its count again. */
static bool lane_waited(struct thread *self)
{
	if (LIKELY(!self->lane_wait) || !recorder.pulse || recorder.pulse->alive != ALIVE)
		return false;
	self->lane_wait--;
	return true;
}

struct thread *thread_start(struct thread *self)
{
	if (self->off || self->starting ||
	    __atomic_load_n(&start_state, __ATOMIC_RELAXED) == START_OFF)
		return NULL;
	if (recorder.quiet || lane_waited(self)) {
		loss_count(LOSS_NO_LANE, 1);
		if (recorder.quiet)
			lane_error_note(LANE_ERROR_QUIET);
		return NULL;
	}
	/* This thread may be a descendant of the one that forbade itself to read the clock; descendants inherit that. */
	if (recorder.clockless) {
		loss_count(LOSS_CLOCKLESS, 1);
		self->off = true;
		return NULL;
	}
	const uint64_t every = ~0ull;
	uint64_t old;
	sys_sigmask(SIG_SETMASK, &every, &old);
	self->starting = true;
	const struct pulse *pulse = recorder.pulse || recorder_start() ? recorder.pulse : NULL;
	bool going = pulse != NULL, child = going && pulse->alive != ALIVE;
	if (child)
		child_start(self);
	if (going && (child || self->ready != ALIVE)) {
		self->ready = NOT_READY;
		self->pulse = recorder.pulse;
		if (!self->number)
			self->number =
				__atomic_add_fetch(&recorder.next_thread, 1, __ATOMIC_RELAXED);
		self->tid = sys_gettid();
		if (!self->stack_top && self->tid == recorder.pid)
			self->stack_top = (uintptr_t)getauxval(AT_EXECFN);
		self->pages_epoch = 0;
		self->flushed = recorder.control->flush;
		self->pause_from = 0;
		/* A forked child has one thread, whatever the C library reports. */
		if (child && !recorder.files_shared)
			thread_begin(self);
		else
			detached_run(thread_begin, self);
	}
	self->starting = false;
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return going && self->ready == ALIVE ? self : NULL;
}

/* Gives a process its place in the tree of the run even if it never makes a call. */
__attribute__((constructor)) static void library_start(void)
{
	int saved = errno;
	if (thread_self.ready != thread_self.pulse->alive)
		thread_start(&thread_self);
	/* Registered before all handlers of the program, so called last. */
	if (recorder.pulse)
		on_exit(process_ended, NULL);
	errno = saved;
}
