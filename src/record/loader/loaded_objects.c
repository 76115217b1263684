/* Record: which objects (shared libraries) a process has loaded: a record of layer varve for each, once.
 *
 * Readers use them to find imports that no row covers. The loader's list is read without its lock, which an interrupted thread may
 * hold: at the start of an image, when there is hardly another thread, and again around dlopen and dlclose. Other calls do not use
 * this file.
 */
#include "record/loader/loaded_objects.h"

#include "base/hash.h"
#include "base/program/preload_path.h"
#include "base/sys.h"
#include "record/lane/lanes.h"
#include "record/library/library.h"
#include "record/loader/images.h"
#include "record/loader/version.h"
#include "record/manual.h"
#include "record/ops.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/single_threaded.h>

enum { OBJECTS_MOST = 1024, NAMESPACES_MOST = 16, OBJECT_NAME_MOST = 4096, PATIENCE = 10000 };

static uint64_t noted[OBJECTS_MOST]; /* hashes of paths */
static uint32_t noted_count;
static uint32_t looking; /* a thread reads the list; others do not wait for it */
static uint32_t
	unloading; /* threads inside dlclose: entries of the list may disappear, so it is not read */
static uint32_t changed; /* dlopen was called since the list was read */

void *dlopen_noted(const char *file, int mode);
void *dlmopen_noted(Lmid_t namespace, const char *file, int mode);

static bool noted_already(uint64_t hash)
{
	for (uint32_t i = 0; i < noted_count; i++)
		if (noted[i] == hash)
			return true;
	return false;
}

/* Once in a process. */
static void go_count(void)
{
	static bool counted;
	if (!counted)
		loss_count(LOSS_RUNTIME, 1);
	counted = true;
}

/* False: there is no room left now. */
static bool object_note(struct thread *self, const char *path, const void *dynamic,
			uint64_t namespace)
{
	size_t length = strnlen(path, OBJECT_NAME_MOST);
	uint64_t hash = hash64(path, length, namespace);
	if (noted_already(hash))
		return true;
	if (noted_count == OBJECTS_MOST || self->lane->position > self->limit)
		return false;
	uint64_t from = clock_count(recorder.tsc);
	/* Written without the thread's table of names: the first use of these tables would cost more than the record. */
	bool absolute = path[0] == '/';
	uint64_t name = absolute ? name_write(self, path, length, VARVE_BASE_NONE, 0)
				 : word_path(self, path);
	uint64_t words[] = {name, namespace};
	_Static_assert(WORDS_varve_object == 2, "object has two words");
	own_record(self, from, CALL_varve_object, words, 2);
	if (image_has_go(self, dynamic))
		go_count();
	noted[noted_count++] = hash;
	return true;
}

bool objects_have_go(void)
{
	const struct link_map *map = _r_debug.r_map;
	for (unsigned i = 0; map && i < OBJECTS_MOST; i++, map = map->l_next)
		if (image_has_go(NULL, map->l_ld)) {
			go_count();
			return true;
		}
	return false;
}

/* The program itself has an empty name, and the vdso one without a slash; the recorder is not recorded. */
static bool worth_noting(const struct link_map *map)
{
	return map->l_name && strchr(map->l_name, '/') &&
	       strcmp(preload_path(map->l_name), recorder.control->library) != 0;
}

/* `alone`: no other thread can unload objects of the list. */
static bool list_note(struct thread *self, const struct r_debug *list, uint64_t namespace,
		      bool alone)
{
	const struct link_map *map = list->r_map;
	for (unsigned i = 0; map && i < OBJECTS_MOST; i++, map = map->l_next) {
		if (!alone && !memory_readable(self, map, sizeof *map))
			return false;
		if (worth_noting(map) && !object_note(self, map->l_name, map->l_ld, namespace))
			return false;
	}
	return true;
}

static void objects_look(struct thread *self, bool alone)
{
	if (__atomic_exchange_n(&looking, 1, __ATOMIC_SEQ_CST))
		return;
	changed = 0;
	bool all = !__atomic_load_n(&unloading, __ATOMIC_SEQ_CST) &&
		   list_note(self, &_r_debug, 0, alone);
#if __GLIBC_PREREQ(2, 35)
	const struct r_debug_extended *list = (const void *)&_r_debug;
	/* Objects in the namespaces of dlmopen. */
	for (uint64_t i = 1; all && i < NAMESPACES_MOST && list->base.r_version > 1; i++) {
		list = list->r_next;
		if (!list || !memory_readable(self, list, sizeof *list))
			break;
		all = list_note(self, &list->base, i, alone);
	}
#endif
	if (!all)
		changed = 1;
	__atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
}

void objects_first(struct thread *self)
{
	objects_look(self, __libc_single_threaded != 0);
}

void objects_again(struct thread *self)
{
	const uint64_t every = ~0ull;
	uint64_t old;
	if (LIKELY(!changed) || recorder.quiet || noted_count == OBJECTS_MOST)
		return;
	/* A handler might leave by longjmp, and the list would never be read again. */
	sys_sigmask(SIG_SETMASK, &every, &old);
	objects_look(self, false);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void objects_after_fork(void)
{
	looking = 0;
	unloading = 0;
}

/* The record of a call that is passed on by a jump: without duration and result. */
static void load_record(struct thread *self, uint16_t id, const uint64_t *words, unsigned count)
{
	if (!call_switch[id] || call_switched(id, true, NULL, 0) == SWITCHED_RECORD)
		marked_record(self, clock_count(recorder.tsc), id, words, count,
			      self->vfork_pid | self->runtime ? marks_look(self, id, words) : 0);
	changed = 1;
	busy_release(self);
}

/* Called from load.S before the jump; they return its target. */
void *dlopen_noted(const char *file, int mode)
{
	struct thread *self = checked_enter();
	if (self) {
		objects_again(self);
		uint64_t words[] = {word_string(self, file), (uint32_t)mode};
		_Static_assert(WORDS_dlopen == 2, "dlopen has two words");
		load_record(self, CALL_dlopen, words, WORDS_dlopen);
	}
	return (void *)real.dlopen;
}

void *dlmopen_noted(Lmid_t namespace, const char *file, int mode)
{
	struct thread *self = checked_enter();
	if (self) {
		objects_again(self);
		uint64_t words[] = {(uint64_t) namespace, word_string(self, file), (uint32_t)mode};
		_Static_assert(WORDS_dlmopen == 3, "dlmopen has three words");
		load_record(self, CALL_dlmopen, words, WORDS_dlmopen);
	}
	return (void *)real.dlmopen;
}

void before_unload(struct thread *self, struct op *op)
{
	(void)op;
	objects_again(self);
	__atomic_fetch_add(&unloading, 1, __ATOMIC_SEQ_CST);
	for (unsigned patience = 0;
	     patience < PATIENCE && !recorder.quiet && __atomic_load_n(&looking, __ATOMIC_SEQ_CST);
	     patience++)
		sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void after_unload(struct thread *self, struct op *op)
{
	__atomic_fetch_sub(&unloading, 1, __ATOMIC_RELAXED);
	versions_forget();
	library_forget();
	images_changed();
	after_unmap(self, op);
}

__attribute__((destructor)) static void objects_end(void)
{
	struct thread *self = changed ? checked_enter() : NULL;
	if (!self)
		return;
	objects_again(self);
	busy_release(self);
}
