/* Record: the lanes of a process: makes them, gives them to threads, reuses them. See lanes.h.
 *
 * Lanes are files in the run's lane folder, opened only to be mapped. A lane whose thread has ended is emptied and given to the
 * next thread.
 */
#include "base/trace_files.h"
#include "record/lane/lanes.h"

#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"
#include "codec/inprocess/lane_errors.h"

#include <alloca.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>

enum { POOL_MOST = 4096, LANE_FIRST = 128 << 10, RESERVE = 48, READY_MOST = 4 };

/* Lanes of this process; entries are only added. */
static struct pooled pool[POOL_MOST];

static uint32_t pool_count;

/* Forgets all definitions. A table that was never used is not touched: it would get memory. */
static void known_begin(struct known *known)
{
	if (known->block == UINT32_MAX) {
		memset(known->names, 0, sizeof known->names);
		known->block = 1;
	}
	known->recent_held = false; /* in case longjmp left the work that used them */
	if (known->block++)
		memset(known->handles, 0, sizeof known->handles);
}

/* Clears the thread's definitions, and starts a generation with this clock pair. */
void lane_begin(struct thread *self, struct lane_clock begin)
{
	struct lane *lane = self->lane;
	BARRIER();
	known_begin(self->known);
	self->next_name = 1;
	self->folder_serial = 0;
	self->folder_name = 0;
	lane->begin = begin;
	lane->position = LANE_HEADER;
	lane->claim.offset = 0;
	self->tag = lane_tag(lane->generation, lane->process, lane->thread);
}

/* Gives the lane to this thread. */
static void lane_give(struct thread *self, struct lane *lane, uint64_t generation,
		      uint64_t first_ordinal)
{
	lane->tid = self->tid;
	lane->thread = self->number;
	lane->thread_ended = 0;
	lane->generation = generation;
	lane->first_ordinal = first_ordinal;
	self->lane = lane;
	self->limit = lane->size - LANE_MARGIN - LANE_RESERVE;
	lane_begin(self, clock_now());
}

/* Gives a lane memory up to `bytes`: a store into space that a full file system cannot provide would kill the program. Returns how
 * many bytes have memory. */
static uint64_t lane_back(struct lane *lane, uint64_t bytes)
{
	return sys_madvise(lane, bytes, MADV_POPULATE_WRITE) == 0 ? bytes : 0;
}

/* Space for blocks behind lanes of full size; see ADR 14. A lane at the address of a parent's lane has none. */
static uint64_t stash_size(uint64_t size, const void *where)
{
	enum { SHARE = 4, PAGE = 4096 };
	return where || size < recorder.control->lane_size || recorder.control->limit
		       ? 0
		       : size / SHARE / PAGE * PAGE;
}

/* Stores in the lane which process owns it. */
static void lane_sign(struct pooled *pooled)
{
	struct lane *lane = pooled->lane;
	/* Children must not share what this process writes. */
	if (pooled->family && !recorder.quiet)
		sys_madvise(lane, lane->size + lane->stash_room, MADV_DONTFORK);
	pooled->family = false;
	lane->pid = recorder.pid;
	lane->process = recorder.process;
	lane->process_start = recorder.process_start;
	lane->pid_namespace = recorder.pid_namespace;
	lane->rank = recorder.rank;
}

/* Makes a lane file and maps it; NULL: failed, with the errno in `*error`. A lane in reserve gets memory only for its header; a
 * stash gets memory when it is used. */
static struct lane *lane_make(uint64_t size, enum lane_state state, void *where, uint64_t *backed,
			      unsigned *error)
{
	const struct control *control = recorder.control;
	/* The path is on the program's stack, which may be small. */
	size_t room = strlen(recorder.lanes) + 64;
	char *path = alloca(room);
	*path = 0;
	const char *end = path + room;
	char *at = text_add(path, end, recorder.lanes);
	lane_file_name(text_add(at, end, "/"), end, recorder.process,
		       __atomic_add_fetch(&recorder.next_lane, 1, __ATOMIC_RELAXED));
	int fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0) {
		*error = (unsigned)-fd;
		return NULL;
	}
	struct lane *lane = NULL;
	uint64_t stash = stash_size(size, where);
	if (stash && (!sys_size_allowed(size + stash) || sys_ftruncate(fd, size + stash) != 0))
		stash = 0;
	/* fallocate() gives the file memory: pages that are never used are then never mapped. A lane in reserve gets memory by its
	 * address (madvise), later. */
	bool sparse = state == LANE_FREE &&
		      (stash || (sys_size_allowed(size) && sys_ftruncate(fd, size) == 0));
	int failed = sparse ? 0 : -sys_fallocate(fd, 0, size);
	*backed = failed ? 0 : size;
	if (*backed)
		lane = sys_mmap(where, size + stash, PROT_READ | PROT_WRITE,
				MAP_SHARED | (where ? MAP_FIXED_NOREPLACE : 0), fd, 0, &failed);
	if (lane && sparse) {
		*backed = lane_back(lane, LANE_HEADER);
		/* Linux before 5.14 does not support this. */
		if (!*backed) {
			failed = -sys_fallocate(fd, 0, size);
			*backed = failed ? 0 : size;
		}
		if (!*backed) {
			sys_munmap(lane, size + stash);
			lane = NULL;
		}
	}
	sys_close(fd);
	if (!lane) {
		sys_unlink(path);
		*error = (unsigned)failed;
		return NULL;
	}
	sys_madvise(lane, size + stash, MADV_DONTFORK);
	lane->version = LANE_VERSION;
	lane->clock_kind = control->clock_kind;
	lane->size = size;
	lane->stash_room = stash;
	memcpy(lane->run_id, control->run_id, sizeof lane->run_id);
	memcpy(lane->boot_id, control->boot_id, sizeof lane->boot_id);
	lane->resolution = control->resolution;
	lane->start_monotonic = control->start_monotonic;
	lane->pid = recorder.pid;
	lane->process = recorder.process;
	lane->process_start = recorder.process_start;
	lane->pid_namespace = recorder.pid_namespace;
	lane->rank = recorder.rank;
	lane->position = LANE_HEADER;
	lane->state = state;
	/* Complete: from here on others may read it. */
	__atomic_store_n(&lane->magic, LANE_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(&recorder.control->lanes_made, 1, __ATOMIC_RELAXED);
	return lane;
}

void lane_leave(struct lane *lane)
{
	struct control *control = recorder.control;
	__atomic_store_n(&lane->state, LANE_FULL, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control->lanes_full, 1, __ATOMIC_RELEASE);
	if (!recorder.quiet)
		sys6(SYS_futex, sys_address(&control->lanes_full), FUTEX_WAKE, 1, 0, 0, 0);
}

/* Makes a block of the lane's content. False: the lane is unchanged, or handed over to the collector because this process cannot
 * write it. */
static bool thread_gone_flush(struct pooled *pooled)
{
	struct workspace *workspace = workspace_take();
	struct encoded encoded = {0};
	if (!workspace) {
		__atomic_store_n(&pooled->lane->state, LANE_FILLING, __ATOMIC_RELEASE);
		return false;
	}
	int error = 0;
	enum varve_status status = lane_encode(pooled->lane, workspace, clock_now(), &encoded);
	if (status == VARVE_OK)
		status = lane_write(pooled->lane, workspace->output, encoded.length, &error);
	workspace_give(workspace);
	if (status != VARVE_OK && status != VARVE_LIMIT && control_collects(recorder.control)) {
		lane_leave(pooled->lane);
		return false;
	}
	if (!pooled->lane->stash_used) {
		if (status != VARVE_OK)
			block_lost(status, error, &encoded);
		lane_advance(pooled->lane, &encoded);
		return true;
	}
	__atomic_store_n(&pooled->lane->state, LANE_FILLING, __ATOMIC_RELEASE);
	return false;
}

/* A lane in reserve may have been taken by a related process. */
static bool lane_own(const struct lane *lane)
{
	return lane->process == recorder.process;
}

/* The lane of a thread that has ended. Its content becomes a block first. */
static struct pooled *lane_reuse(const struct thread *self)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct pooled *pooled = &pool[i];
		struct lane *lane = __atomic_load_n(&pooled->lane, __ATOMIC_ACQUIRE);
		if (!lane)
			continue;
		uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_ACQUIRE);
		if (state != LANE_FILLING || !lane->thread_ended || !lane_own(lane))
			continue;
		int32_t gone = lane->tid;
		if (gone != self->tid && sys_tgkill(recorder.pid, gone, 0) != -ESRCH)
			continue;
		if (!__atomic_compare_exchange_n(&lane->state, &state, LANE_TAKEN, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		/* Another thread may have taken it meanwhile: then it is not the lane of an ended thread. */
		if (lane->tid != gone || !lane->thread_ended) {
			__atomic_store_n(&lane->state, LANE_FILLING, __ATOMIC_RELEASE);
			continue;
		}
		if (!thread_gone_flush(pooled))
			continue;
		lane->tid = self->tid;
		lane->thread_ended = 0;
		__atomic_store_n(&lane->state, LANE_FILLING, __ATOMIC_RELEASE);
		return pooled;
	}
	return NULL;
}

struct pooled *lane_new(uint64_t size, enum lane_state state, void *where, unsigned *error)
{
	uint64_t backed;
	struct lane *lane = lane_make(size, state, where, &backed, error);
	if (!lane)
		return NULL;
	uint32_t at = __atomic_fetch_add(&pool_count, 1, __ATOMIC_ACQ_REL);
	struct known *known = sys_memory(sizeof *known);
	if (at >= POOL_MOST || !known) {
		if (known)
			sys_munmap(known, sizeof *known);
		sys_munmap(lane, lane->size + lane->stash_room);
		*error = at >= POOL_MOST ? (unsigned)LANE_ERROR_MOST : ENOMEM;
		return NULL;
	}
	pool[at].known = known;
	pool[at].backed = backed;
	__atomic_store_n(&pool[at].lane, lane, __ATOMIC_RELEASE);
	return &pool[at];
}

/* Threads start with a small lane and get a full-sized one when it is full: most processes end before that. */
static uint64_t first_size(void)
{
	uint64_t size = recorder.control->lane_size;
	return size < LANE_FIRST ? size : LANE_FIRST;
}

void lane_error_note(unsigned error)
{
	uint64_t *set = &recorder.control->loss[NOTE_LANE_ERRORS];
	uint64_t old = __atomic_load_n(set, __ATOMIC_RELAXED), more;
	do
		more = lane_errors_add(old, error);
	while (more != old && !__atomic_compare_exchange_n(set, &old, more, 0, __ATOMIC_RELAXED,
							   __ATOMIC_RELAXED));
}

bool lane_acquire(struct thread *self)
{
	/* A handler that forked during the recorder's work returns to it, in the child too, where it finishes a record at the
	 * address in the parent's lane. There must be memory at that address; the child's own records are behind it. */
	void *where = self->busy ? self->lane : NULL;
	unsigned error = 0;
	uint64_t size = where ? self->limit + LANE_MARGIN + LANE_RESERVE : first_size();
	struct pooled *pooled = where ? NULL : lane_reuse(self);
	if (!pooled)
		pooled = lane_new(size, LANE_FILLING, where, &error);
	if (!pooled && !where)
		pooled = lane_take_free(0);
	if (!pooled) {
		loss_count(LOSS_NO_LANE, 1);
		lane_error_note(error);
		return false;
	}
	self->known = pooled->known;
	lane_give(self, pooled->lane, 1, 0);
	if (where)
		pooled->lane->position = self->limit;
	return true;
}

/* Makes the full-sized lane at the start: later there may be no free descriptors, another root folder, another user. It gets memory
 * when it is needed. */
void lane_spare(void)
{
	if (control_collects(recorder.control))
		lane_new(recorder.control->lane_size, LANE_FREE, NULL, &(unsigned){0});
}

/* Whether lanes_reserve() has made any; most processes have none. */
static bool reserve_made;

/* Each new thread will take one, and so will each hand-over of a full lane. */
void lanes_reserve(void)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE), free = 0;
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		const struct lane *lane = __atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE);
		free += lane && __atomic_load_n(&lane->state, __ATOMIC_RELAXED) == LANE_FREE;
	}
	while (free++ < RESERVE) {
		struct pooled *made =
			lane_new(recorder.control->lane_size, LANE_FREE, NULL, &(unsigned){0});
		if (!made)
			return;
		struct lane *lane = made->lane;
		lane->reserve = RESERVE_OWN;
		reserve_made = true;
		made->family = sys_madvise(lane, lane->size + lane->stash_room, MADV_DOFORK) == 0;
	}
}

void lanes_inherit(void)
{
	uint32_t count = reserve_made ? __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE) : 0;
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct lane *lane = __atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE);
		if (lane && lane->reserve)
			__atomic_store_n(&lane->reserve, RESERVE_FAMILY, __ATOMIC_RELEASE);
	}
}

void lane_forget(struct thread *self)
{
	/* A child without lanes still has a pointer to the lane of its parent, which is not mapped. */
	if (self->lane && self->ready == self->pulse->alive)
		self->lane->thread_ended = 1;
}

void lanes_after_fork(const struct thread *self)
{
	/* The parent's lanes are not mapped here. The copies of their private memory are unmapped, except the one that is in use
	 * when a handler forked during the recorder's work. */
	uint32_t kept = 0;
	for (uint32_t i = 0; i < pool_count && i < POOL_MOST; i++) {
		struct pooled left = pool[i];
		pool[i] = (struct pooled){0};
		if (left.family && left.lane)
			pool[kept++] = left;
		else if (left.known && !(self->busy && left.known == self->known))
			sys_munmap(left.known, sizeof *left.known);
	}
	pool_count = kept;
	/* Again, for forks by system call, whose start the recorder did not notice. */
	lanes_inherit();
	workspaces_after_fork();
}

/* Whether the whole lane has memory; tries to get it. */
static bool lane_ready(struct pooled *pooled)
{
	uint64_t size = pooled->lane->size;
	if (pooled->backed < size && !recorder.quiet)
		pooled->backed = lane_back(pooled->lane, size);
	return pooled->backed == size;
}

static struct pooled *pooled_of(const struct lane *lane)
{
	for (uint32_t i = 0; i < pool_count && i < POOL_MOST; i++)
		if (pool[i].lane == lane)
			return &pool[i];
	return NULL;
}

bool stash_ready(const struct lane *lane)
{
	struct pooled *pooled = pooled_of(lane);
	if (pooled && !pooled->stash_backed && lane->stash_room)
		pooled->stash_backed = sys_madvise(lane_stash(pooled->lane), lane->stash_room,
						   MADV_POPULATE_WRITE) == 0;
	return pooled && pooled->stash_backed;
}

void lanes_ready(void)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0, spare = 0; i < count && i < POOL_MOST; i++) {
		const struct lane *lane = __atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE);
		if (lane && (!lane->reserve || spare++ < READY_MOST))
			lane_ready(&pool[i]);
	}
}

void lanes_rank(int32_t rank)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct lane *lane = __atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE);
		if (lane && lane_own(lane))
			lane->rank = rank;
	}
}

/* A free lane of this process, of at least this size. */
struct pooled *lane_take_free(uint64_t size)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct lane *lane = __atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE);
		uint32_t free = LANE_FREE;
		if (!lane || lane->size < size ||
		    !__atomic_compare_exchange_n(&lane->state, &free, LANE_TAKEN, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		bool ready = lane_ready(&pool[i]);
		if (ready)
			lane_sign(&pool[i]);
		__atomic_store_n(&lane->state, ready ? LANE_FILLING : LANE_FREE, __ATOMIC_RELEASE);
		if (ready)
			return &pool[i];
	}
	return NULL;
}

/* Continues in another lane; the old one gets this state. */
void lane_change(struct thread *self, struct pooled *next, const struct encoded *encoded,
		 enum lane_state state)
{
	struct lane *left = self->lane;
	/* The thread keeps its tables. */
	struct pooled *own = pooled_of(left);
	if (own) {
		own->known = next->known;
		next->known = self->known;
	}
	self->known = next->known;
	lane_give(self, next->lane, left->generation + 1, left->first_ordinal + encoded->fresh);
	if (state == LANE_FREE)
		lane_advance(left, encoded);
	__atomic_store_n(&left->state, state, __ATOMIC_RELEASE);
}
