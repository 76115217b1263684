/* Record: lanes: getting one for a thread, cutting a full one into a block, leaving blocks to the collector.
 *
 * Lanes are files in the run's lane folder, opened only to be mapped. A lane whose thread is gone is emptied and given to
 * the next thread. The one descriptor that is kept is that of the trace, out of the program's way.
 */
#include "record/state.h"

#include "base/process.h"
#include "base/sys.h"
#include "call_ids.h"
#include "codec/encode.h"
#include "codec/lane_walk.h"
#include "sink/data.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

enum { POOL_MOST = 4096, WORKSPACES = 8, LANE_FIRST = 128 << 10 };

/* A lane of this process and the private memory that goes with it. */
struct pooled {
	struct lane *lane;
	struct known *known;
	uint64_t backed; /* bytes of the lane that have memory; of a spare one, not all */
};

/* Lanes of this process; entries are only added. */
static struct pooled pool[POOL_MOST];
static uint32_t pool_count;

/* What encoding needs; taken by one thread at a time. */
struct workspace {
	uint32_t taken;
	void *encode;
	uint8_t *output;
};

static struct workspace *workspaces[WORKSPACES];

static size_t encode_size, output_size;

static struct workspace *workspace_make(void)
{
	size_t lane_size = recorder.control->lane_size;
	encode_size = (encode_workspace_size(lane_size) + 4095) / 4096 * 4096;
	output_size = (encode_output_size(lane_size) + 4095) / 4096 * 4096;
	size_t head = (sizeof(struct workspace) + 4095) / 4096 * 4096;
	uint8_t *memory = sys_memory(head + encode_size + output_size);
	if (!memory)
		return NULL;
	struct workspace *made = (struct workspace *)(void *)memory;
	made->encode = memory + head;
	made->output = memory + head + encode_size;
	made->taken = 1;
	encode_prepare(made->encode, lane_size);
	return made;
}

static void workspace_free(struct workspace *workspace)
{
	sys_munmap(workspace, (sizeof *workspace + 4095) / 4096 * 4096 + encode_size + output_size);
}

/* A workspace that nobody uses; when all are in use, one for this time only. Never waits. */
static struct workspace *workspace_take(void)
{
	for (size_t i = 0; i < WORKSPACES; i++) {
		struct workspace *here = __atomic_load_n(&workspaces[i], __ATOMIC_ACQUIRE);
		uint32_t untaken = 0;
		if (!here) {
			struct workspace *made = workspace_make();
			if (!made ||
			    __atomic_compare_exchange_n(&workspaces[i], &here, made, 0,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return made;
			workspace_free(made);
		}
		if (__atomic_compare_exchange_n(&here->taken, &untaken, 1, 0, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return here;
	}
	return workspace_make();
}

static void workspace_give(struct workspace *workspace)
{
	for (size_t i = 0; i < WORKSPACES; i++)
		if (workspaces[i] == workspace) {
			__atomic_store_n(&workspace->taken, 0, __ATOMIC_RELEASE);
			return;
		}
	workspace_free(workspace);
}

/* Nothing is defined any more. What was never used is not touched: it would get memory. */
static void known_begin(struct known *known)
{
	if (known->block == UINT32_MAX) {
		memset(known->names, 0, sizeof known->names);
		known->block = 1;
	}
	if (known->block++)
		memset(known->handles, 0, sizeof known->handles);
}

/* Empties what the thread knows to be defined, and starts a generation with this clock pair. */
static void lane_begin(struct thread *self, struct lane_clock begin)
{
	struct lane *lane = self->lane;
	known_begin(self->known);
	self->next_name = 1;
	self->folder_serial = 0;
	self->folder_name = 0;
	lane->begin = begin;
	lane->position = LANE_HEADER;
	lane->claim_offset = 0;
	self->tag = lane_tag(lane->generation, lane->process, lane->thread);
}

static struct lane_clock clock_now(void)
{
	struct lane_clock now = {0};
	clock_pair(recorder.tsc, &now.counter, &now.monotonic);
	return now;
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

/* Gives a lane memory up to `bytes`: a store into space that a full file system cannot give would kill the program.
 * Returns what has memory. */
static uint64_t lane_back(struct lane *lane, uint64_t bytes)
{
	return sys_madvise(lane, bytes, MADV_POPULATE_WRITE) == 0 ? bytes : 0;
}

/* A new lane file, mapped; NULL when there is no memory for it. A spare one gets only what its header needs. */
static struct lane *lane_make(uint64_t size, enum lane_state state, void *where, uint64_t *backed)
{
	const struct control *control = recorder.control;
	char path[RUN_PATH + 64];
	const char *end = path + sizeof path;
	char *at = text_add(path, end, recorder.lanes);
	at = text_add(at, end, "/lane.");
	at = text_add_number(at, end, recorder.process);
	at = text_add(at, end, ".");
	text_add_number(at, end, __atomic_add_fetch(&recorder.next_lane, 1, __ATOMIC_RELAXED));
	int fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return NULL;
	struct lane *lane = NULL;
	if (sys_size_allowed(size) && sys_ftruncate(fd, size) == 0)
		lane = sys_mmap(where, size, PROT_READ | PROT_WRITE,
				MAP_SHARED | (where ? MAP_FIXED_NOREPLACE : 0), fd, 0, NULL);
	if (lane) {
		*backed = state == LANE_FREE ? lane_back(lane, LANE_HEADER) : 0;
		/* By the file: pages that are never used are never mapped. And before Linux 5.14 there is no other way. */
		if (!*backed && sys_fallocate(fd, 0, size) == 0)
			*backed = size;
		if (!*backed) {
			sys_munmap(lane, size);
			lane = NULL;
		}
	}
	sys_close(fd);
	if (!lane) {
		sys_unlink(path);
		return NULL;
	}
	sys_madvise(lane, size, MADV_DONTFORK);
	lane->version = LANE_VERSION;
	lane->clock_kind = control->clock_kind;
	lane->size = size;
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
	/* Complete: from here on it is somebody's to read. */
	__atomic_store_n(&lane->magic, LANE_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(&recorder.control->lanes_made, 1, __ATOMIC_RELAXED);
	return lane;
}

/* Whether blocks can be written: the descriptor is ours still, or could be had again. */
static bool data_reach(void)
{
	if (data_ours(&recorder.data))
		return true;
	/* The program closed it; the number may be one of its own by now. */
	struct data_file data;
	if (data_open(recorder.control->trace, recorder.control->run_id, &data) != STATUS_OK)
		return false;
	data_move_high(&data);
	recorder.data = data;
	return true;
}

/* Counts what a lane holds, for a lane that somebody else will encode. */
static void lane_look(const struct lane *lane, struct encoded *encoded)
{
	struct lane_walk walk = lane_walk_start(lane, lane->size);
	const uint64_t *words;
	uint64_t length;
	encoded->records = encoded->fresh = 0;
	while ((words = lane_walk_next(&walk, &length))) {
		uint32_t key = (uint32_t)words[WORD_HEADER];
		if (key >> 16 >= DEFINE_FIRST)
			continue;
		bool continued = key & MARK_CONTINUED;
		if (!words[WORD_EXIT])
			encoded_see(encoded, (uint64_t)(words - walk.base) * 8,
				    continued ? words[length - 1]
					      : lane->first_ordinal + encoded->fresh);
		encoded->fresh += !continued;
		encoded->records++;
	}
}

static void block_lost(enum status status, const struct encoded *encoded)
{
	loss_count(status == STATUS_LIMIT ? LOSS_LIMIT : LOSS_SPACE, encoded->records);
}

/* Turns the content of a lane into a block of the trace; `encoded` is what was found in it. */
static enum status lane_flush(struct lane *lane, struct workspace *workspace, struct lane_clock end,
			      struct encoded *encoded)
{
	if (!data_reach()) {
		lane_look(lane, encoded);
		return STATUS_SYSTEM;
	}
	enum status status =
		encode_lane(lane, lane->size, CODEC_COLUMNS, end, call_rows, call_rows_count,
			    workspace->encode, workspace->output, encoded);
	/* Another thread may have closed the number meanwhile and got it for a file of its own. */
	if (status == STATUS_OK && !data_ours(&recorder.data))
		status = STATUS_SYSTEM;
	if (status == STATUS_OK)
		status = data_append(&recorder.data, recorder.control, lane, workspace->output,
				     encoded->length);
	if (encoded->backward)
		loss_count(LOSS_CLOCK, encoded->backward);
	return status;
}

/* The lane's next generation; one store makes everything in it count as gone. */
static void lane_advance(struct lane *lane, const struct encoded *encoded)
{
	lane->first_ordinal += encoded->fresh;
	BARRIER();
	__atomic_store_n(&lane->generation, lane->generation + 1, __ATOMIC_RELEASE);
}

/* A record about ourselves: the program was held up from then till now. */
static void hold_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
			unsigned count)
{
	uint64_t *slot = define_reserve(self, WORD_ARGUMENTS + count);
	slot[WORD_ENTRY] = from;
	slot[WORD_RESULT] = 0;
	for (unsigned i = 0; i < count; i++)
		slot[WORD_ARGUMENTS + i] = words[i];
	slot[WORD_EXIT] = clock_count(recorder.tsc);
	BARRIER();
	uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
	*(volatile uint64_t *)slot = record_header(self->tag + (uint32_t)position, id,
						   WORD_ARGUMENTS + count, self->open_count);
}

static void thread_gone_flush(struct pooled *pooled)
{
	struct workspace *workspace = workspace_take();
	struct encoded encoded = {0};
	if (!workspace) {
		loss_count(LOSS_NO_LANE, 1);
		return;
	}
	enum status status = lane_flush(pooled->lane, workspace, clock_now(), &encoded);
	if (status != STATUS_OK)
		block_lost(status, &encoded);
	lane_advance(pooled->lane, &encoded);
	workspace_give(workspace);
}

/* The lane of a thread that is gone. Its content becomes a block first. */
static struct pooled *lane_reuse(const struct thread *self)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct pooled *pooled = &pool[i];
		struct lane *lane = __atomic_load_n(&pooled->lane, __ATOMIC_ACQUIRE);
		if (!lane)
			continue;
		uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_ACQUIRE);
		if (state != LANE_FILLING || !lane->thread_ended)
			continue;
		int32_t gone = lane->tid;
		if (gone != self->tid && sys_tgkill(recorder.pid, gone, 0) != -ESRCH)
			continue;
		if (!__atomic_compare_exchange_n(&lane->state, &state, LANE_TAKEN, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		/* Another thread may have had it in between: then it is filling again, and not for the one that is gone. */
		if (lane->tid != gone || !lane->thread_ended) {
			__atomic_store_n(&lane->state, LANE_FILLING, __ATOMIC_RELEASE);
			continue;
		}
		thread_gone_flush(pooled);
		lane->tid = self->tid;
		lane->thread_ended = 0;
		__atomic_store_n(&lane->state, LANE_FILLING, __ATOMIC_RELEASE);
		return pooled;
	}
	return NULL;
}

static struct pooled *lane_new(uint64_t size, enum lane_state state, void *where)
{
	uint64_t backed;
	struct lane *lane = lane_make(size, state, where, &backed);
	if (!lane)
		return NULL;
	uint32_t at = __atomic_fetch_add(&pool_count, 1, __ATOMIC_ACQ_REL);
	struct known *known = sys_memory(sizeof *known);
	if (at >= POOL_MOST || !known) {
		if (known)
			sys_munmap(known, sizeof *known);
		sys_munmap(lane, lane->size);
		return NULL;
	}
	pool[at].known = known;
	pool[at].backed = backed;
	__atomic_store_n(&pool[at].lane, lane, __ATOMIC_RELEASE);
	return &pool[at];
}

/* Threads start with a small lane and get a full one when that is full: most processes end before. */
static uint64_t first_size(void)
{
	uint64_t size = recorder.control->lane_size;
	return size < LANE_FIRST ? size : LANE_FIRST;
}

bool lane_acquire(struct thread *self)
{
	/* A handler that forked inside our own work returns into it, in the child too, where it finishes a record at its
	 * parent's address. There must be memory there, and the child's own records stand behind it. */
	void *where = self->busy ? self->lane : NULL;
	uint64_t size = where ? self->limit + LANE_MARGIN + LANE_RESERVE : first_size();
	struct pooled *pooled = where ? NULL : lane_reuse(self);
	if (!pooled)
		pooled = lane_new(size, LANE_FILLING, where);
	if (!pooled) {
		loss_count(LOSS_NO_LANE, 1);
		return false;
	}
	self->known = pooled->known;
	lane_give(self, pooled->lane, 1, 0);
	if (where)
		pooled->lane->position = self->limit;
	return true;
}

/* The full one is made at the start all the same: later there may be no descriptors left, another root folder, another
 * user. It gets its memory when it is needed. */
void lane_spare(void)
{
	if (recorder.control->collector_pid)
		lane_new(recorder.control->lane_size, LANE_FREE, NULL);
}

void lane_held(struct thread *self, uint64_t from)
{
	hold_record(self, from, CALL_varve_lane, &self->lane->size, WORDS_varve_lane);
}

void lane_forget(struct thread *self)
{
	if (self->lane)
		self->lane->thread_ended = 1;
}

void lanes_after_fork(const struct thread *self)
{
	/* The parent's lanes are not mapped here; their private memory is a copy that nobody needs, but for work of our own
	 * that a handler interrupted to fork. */
	for (uint32_t i = 0; i < pool_count && i < POOL_MOST; i++) {
		if (pool[i].known && !(self->busy && pool[i].known == self->known))
			sys_munmap(pool[i].known, sizeof *pool[i].known);
		pool[i] = (struct pooled){0};
	}
	pool_count = 0;
	/* What another thread was at work with is in no state to go on from. */
	for (size_t i = 0; i < WORKSPACES; i++)
		if (workspaces[i] && workspaces[i]->taken) {
			workspace_free(workspaces[i]);
			workspaces[i] = NULL;
		}
}

/* Copies the calls that are open, before their lane is emptied. Names mean nothing in another block: a reader has those
 * of the first half. */
static void calls_carry(struct thread *self, const struct encoded *encoded)
{
	for (uint32_t i = 0; i < self->open_count; i++) {
		const uint64_t *slot = self->open[i].slot;
		uint64_t position = (uint64_t)((const char *)slot - (const char *)self->lane);
		uint64_t words = slot[WORD_HEADER] >> 8 & 0xff;
		uint64_t *copy = self->known->carried[i];
		memcpy(copy, slot, words * 8);
		if (slot[WORD_HEADER] & MARK_CONTINUED)
			continue;
		const struct call_row *row = call_row_find(call_rows, call_rows_count,
							   (uint16_t)(slot[WORD_HEADER] >> 16));
		for (unsigned word = 0; row && word < row->words; word++)
			if (row->names >> word & 1)
				copy[WORD_ARGUMENTS + word] = 0;
		copy[WORD_HEADER] += 1 << 8;
		copy[WORD_HEADER] |= MARK_CONTINUED;
		copy[words] = UINT64_MAX;
		for (uint32_t open = 0; open < encoded->open_count; open++)
			if (encoded->open[open].position == position)
				copy[words] = encoded->open[open].ordinal;
	}
}

/* Puts them at the head of the new generation, where their results will stand. */
static void calls_continue(struct thread *self, const struct known *carrier)
{
	for (uint32_t i = 0; i < self->open_count; i++) {
		const uint64_t *copy = carrier->carried[i];
		uint64_t words = copy[WORD_HEADER] >> 8 & 0xff;
		uint64_t *slot = define_reserve(self, words);
		memcpy(slot + 1, copy + 1, (words - 1) * 8);
		BARRIER();
		uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
		uint64_t low = copy[WORD_HEADER] & UINT32_MAX;
		*(volatile uint64_t *)slot = (uint64_t)(self->tag + (uint32_t)position) << 32 | low;
		self->open[i].slot = slot;
	}
}

/* Whether all of the lane has memory, which it may get now. */
static bool lane_ready(struct pooled *pooled)
{
	uint64_t size = pooled->lane->size;
	if (pooled->backed < size && !recorder.quiet)
		pooled->backed = lane_back(pooled->lane, size);
	return pooled->backed == size;
}

void lanes_ready(void)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++)
		if (__atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE))
			lane_ready(&pool[i]);
}

/* A free lane of this process, of at least this size. */
static struct pooled *lane_take_free(uint64_t size)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct lane *lane = __atomic_load_n(&pool[i].lane, __ATOMIC_ACQUIRE);
		uint32_t free = LANE_FREE;
		if (!lane || lane->size < size ||
		    !__atomic_compare_exchange_n(&lane->state, &free, LANE_FILLING, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		if (lane_ready(&pool[i]))
			return &pool[i];
		__atomic_store_n(&lane->state, LANE_FREE, __ATOMIC_RELEASE);
	}
	return NULL;
}

static struct pooled *pooled_of(const struct lane *lane)
{
	for (uint32_t i = 0; i < pool_count && i < POOL_MOST; i++)
		if (pool[i].lane == lane)
			return &pool[i];
	return NULL;
}

/* Goes on in another lane; the old one gets this state. */
static void lane_change(struct thread *self, struct pooled *next, const struct encoded *encoded,
			enum lane_state state)
{
	struct lane *left = self->lane;
	/* What the thread knows goes with it. */
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

/* Leaves the full lane to the collector. False: there is no other one that is free. */
static bool lane_hand_over(struct thread *self, const struct encoded *encoded)
{
	struct control *control = recorder.control;
	struct pooled *next = control->collector_pid ? lane_take_free(0) : NULL;
	if (!next)
		return false;
	lane_change(self, next, encoded, LANE_FULL);
	__atomic_fetch_add(&control->lanes_full, 1, __ATOMIC_RELEASE);
	if (!recorder.quiet)
		sys6(SYS_futex, sys_address(&control->lanes_full), FUTEX_WAKE, 1, 0, 0, 0);
	return true;
}

/* After its content has become a block: the same lane again, or a full-sized one instead of a small one. */
static void lane_renew(struct thread *self, const struct encoded *encoded, struct lane_clock end)
{
	uint64_t size = recorder.control->lane_size;
	struct pooled *next = NULL;
	if (self->lane->size < size && !recorder.quiet) {
		next = lane_take_free(size);
		if (!next)
			next = lane_new(size, LANE_FILLING, NULL);
	}
	if (next) {
		lane_change(self, next, encoded, LANE_FREE);
	} else {
		lane_advance(self->lane, encoded);
		lane_begin(self, end);
	}
}

/* Which records the encoder is asked to number: the calls that are open. */
static struct encoded calls_ask(const struct thread *self)
{
	struct encoded encoded = {.open_count = self->open_count};
	for (uint32_t i = 0; i < self->open_count; i++)
		encoded.open[i].position =
			(uint64_t)((const char *)self->open[i].slot - (const char *)self->lane);
	return encoded;
}

/* A lane is cut without a single system call: a filter that the program has set for itself may kill on one. */
static void lane_cut_quietly(struct thread *self)
{
	uint64_t from = clock_count(recorder.tsc);
	struct encoded encoded = calls_ask(self);
	const struct known *carrier = self->known;
	lane_look(self->lane, &encoded);
	calls_carry(self, &encoded);
	if (!lane_hand_over(self, &encoded)) {
		block_lost(STATUS_SYSTEM, &encoded);
		lane_advance(self->lane, &encoded);
		lane_begin(self, clock_now());
	}
	calls_continue(self, carrier);
	hold_record(self, from, CALL_varve_encode, (uint64_t[]){encoded.records, 0},
		    WORDS_varve_encode);
}

void lane_cut(struct thread *self)
{
	const uint64_t every = ~0ull;
	uint64_t old, from = clock_count(recorder.tsc);
	if (UNLIKELY(recorder.quiet)) {
		lane_cut_quietly(self);
		return;
	}
	sys_sigmask(SIG_SETMASK, &every, &old);
	struct workspace *workspace = workspace_take();
	if (workspace) {
		struct encoded encoded = calls_ask(self);
		const struct known *carrier = self->known;
		struct lane_clock end = clock_now();
		enum status status = lane_flush(self->lane, workspace, end, &encoded);
		calls_carry(self, &encoded);
		if (status == STATUS_OK || status == STATUS_LIMIT ||
		    !lane_hand_over(self, &encoded)) {
			if (status != STATUS_OK)
				block_lost(status, &encoded);
			lane_renew(self, &encoded, end);
		}
		calls_continue(self, carrier);
		workspace_give(workspace);
		hold_record(self, from, CALL_varve_encode,
			    (uint64_t[]){encoded.records, encoded.length}, WORDS_varve_encode);
	} else {
		lane_cut_quietly(self);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void process_leave(void)
{
	struct thread *self = &thread_self;
	if (self->ready == self->pulse->alive && !self->busy && recorder.control &&
	    !recorder.control->collector_pid && !self->vfork_pid)
		lane_cut(self);
}

__attribute__((destructor)) static void library_end(void)
{
	process_leave();
}
