/* Record: lanes: getting one for a thread, cutting a full one into a block, leaving blocks to the collector.
 *
 * Lanes are files in the run's lane folder, opened only to be mapped: the process keeps no descriptor. A lane whose
 * thread is gone is emptied and given to the next thread.
 */
#include "record/state.h"

#include "base/process.h"
#include "base/sys.h"
#include "call_ids.h"
#include "codec/encode.h"
#include "sink/data.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

enum { POOL_MOST = 4096, WORKSPACES = 8, CARRIED_MOST = DEPTH_MOST + 1 };

/* A lane of this process and the private memory that goes with it. */
struct pooled {
	struct lane *lane;
	struct known *known;
};

/* Lanes of this process; entries are only added. */
static struct pooled pool[POOL_MOST];
static uint32_t pool_count;

/* What encoding needs; taken by one thread at a time. */
struct workspace {
	uint32_t taken;
	void *encode;
	uint8_t *output;
	uint64_t carried[CARRIED_MOST][RECORD_WORDS_MOST + 1];
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
			if (!made || __atomic_compare_exchange_n(&workspaces[i], &here, made, 0, __ATOMIC_ACQ_REL,
								 __ATOMIC_ACQUIRE))
				return made;
			workspace_free(made);
		}
		if (__atomic_compare_exchange_n(&here->taken, &untaken, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
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

/* Empties what the thread knows to be defined, and starts a generation with this clock pair. */
void lane_begin(struct thread *self, struct lane_clock begin)
{
	struct lane *lane = self->lane;
	memset(self->known, 0, offsetof(struct known, pages));
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
	struct lane_clock now = { 0 };
	clock_pair(recorder.tsc, &now.counter, &now.monotonic);
	return now;
}

/* Gives the lane to this thread. */
static void lane_give(struct thread *self, struct lane *lane, uint64_t generation, uint64_t first_ordinal)
{
	lane->pid = recorder.pid;
	lane->tid = self->tid;
	lane->process = recorder.process;
	lane->process_start = recorder.process_start;
	lane->pid_namespace = recorder.pid_namespace;
	lane->thread = self->number;
	lane->rank = recorder.rank;
	lane->thread_ended = 0;
	lane->generation = generation;
	lane->first_ordinal = first_ordinal;
	self->lane = lane;
	self->limit = lane->size - LANE_MARGIN - LANE_RESERVE;
	lane_begin(self, clock_now());
}

/* A new lane file, mapped; NULL when there is no memory for it. */
static struct lane *lane_make(void)
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
	/* Allocated, not only sized: a store into space that a full file system cannot give would kill the program. */
	if (sys_fallocate(fd, 0, control->lane_size) == 0)
		lane = sys_mmap(NULL, control->lane_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0, NULL);
	sys_close(fd);
	if (!lane) {
		sys_unlink(path);
		return NULL;
	}
	sys_madvise(lane, control->lane_size, MADV_DONTFORK);
	lane->version = LANE_VERSION;
	lane->clock_kind = control->clock_kind;
	lane->size = control->lane_size;
	memcpy(lane->run_id, control->run_id, sizeof lane->run_id);
	memcpy(lane->boot_id, control->boot_id, sizeof lane->boot_id);
	lane->resolution = control->resolution;
	lane->start_monotonic = control->start_monotonic;
	return lane;
}

/* Writes a block into the trace. The file is opened for this one write: a descriptor that the program cannot see is one
 * that it cannot close, count or mistake for its own. */
static enum status block_write(struct lane *lane, const uint8_t *block, size_t length)
{
	struct data_file data;
	if (data_open(recorder.control->trace, 0, &data) != STATUS_OK)
		return STATUS_SYSTEM;
	enum status status = STATUS_SYSTEM;
	if (data.device == recorder.data_device && data.inode == recorder.data_inode)
		status = data_append(&data, recorder.control, lane, block, length);
	sys_close(data.fd);
	return status;
}

/* Turns the content of a lane into a block and empties the lane. Returns what was found in it. */
static void lane_flush(struct lane *lane, struct workspace *workspace, struct lane_clock end, struct encoded *encoded)
{
	enum status status = encode_lane(lane, lane->size, CODEC_COLUMNS, end, call_rows, call_rows_count,
					 workspace->encode, workspace->output, encoded);
	if (status == STATUS_OK)
		status = block_write(lane, workspace->output, encoded->length);
	if (status != STATUS_OK)
		loss_count(status == STATUS_LIMIT ? LOSS_LIMIT : LOSS_SPACE, encoded->records);
	if (encoded->backward)
		loss_count(LOSS_CLOCK, encoded->backward);
}

/* The lane's next generation; one store makes everything in it count as gone. */
static void lane_advance(struct lane *lane, const struct encoded *encoded)
{
	lane->first_ordinal += encoded->fresh;
	BARRIER();
	__atomic_store_n(&lane->generation, lane->generation + 1, __ATOMIC_RELEASE);
}

static void thread_gone_flush(struct pooled *pooled)
{
	struct workspace *workspace = workspace_take();
	struct encoded encoded;
	if (!workspace) {
		loss_count(LOSS_NO_LANE, 1);
		return;
	}
	lane_flush(pooled->lane, workspace, clock_now(), &encoded);
	lane_advance(pooled->lane, &encoded);
	workspace_give(workspace);
}

/* A lane that nobody uses any more: free, or of a thread that is gone. Its content becomes a block first. */
static struct pooled *lane_reuse(const struct thread *self)
{
	uint32_t count = __atomic_load_n(&pool_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < POOL_MOST; i++) {
		struct pooled *pooled = &pool[i];
		struct lane *lane = __atomic_load_n(&pooled->lane, __ATOMIC_ACQUIRE);
		if (!lane)
			continue;
		uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_ACQUIRE);
		if (state == LANE_FREE &&
		    __atomic_compare_exchange_n(&lane->state, &state, LANE_FILLING, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return pooled;
		if (state != LANE_FILLING || !lane->thread_ended)
			continue;
		if (lane->tid != self->tid && sys_tgkill(recorder.pid, lane->tid, 0) != -ESRCH)
			continue;
		if (!__atomic_compare_exchange_n(&lane->state, &state, LANE_TAKEN, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		thread_gone_flush(pooled);
		__atomic_store_n(&lane->state, LANE_FILLING, __ATOMIC_RELEASE);
		return pooled;
	}
	return NULL;
}

static struct pooled *lane_new(void)
{
	struct lane *lane = lane_make();
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
	lane->state = LANE_FILLING;
	__atomic_store_n(&pool[at].lane, lane, __ATOMIC_RELEASE);
	return &pool[at];
}

bool lane_acquire(struct thread *self)
{
	struct pooled *pooled = lane_reuse(self);
	if (!pooled)
		pooled = lane_new();
	if (!pooled) {
		loss_count(LOSS_NO_LANE, 1);
		return false;
	}
	self->known = pooled->known;
	lane_give(self, pooled->lane, 1, 0);
	/* Complete: from here on the lane is somebody's to read. */
	__atomic_store_n(&pooled->lane->magic, LANE_MAGIC, __ATOMIC_RELEASE);
	return true;
}

void lane_forget(struct thread *self)
{
	if (self->lane)
		self->lane->thread_ended = 1;
}

void lanes_after_fork(void)
{
	/* The parent's lanes are not mapped here; their private memory is a copy that nobody needs. */
	for (uint32_t i = 0; i < pool_count && i < POOL_MOST; i++) {
		if (pool[i].known)
			sys_munmap(pool[i].known, sizeof *pool[i].known);
		pool[i] = (struct pooled){ 0 };
	}
	pool_count = 0;
	for (size_t i = 0; i < WORKSPACES; i++)
		if (workspaces[i])
			workspaces[i]->taken = 0;
}

/* Copies the calls that are open, before their lane is emptied. Names mean nothing in another block: a reader has those
 * of the first half. */
static uint32_t calls_carry(const struct thread *self, const struct encoded *encoded, struct workspace *workspace)
{
	uint32_t carried = 0;
	for (uint32_t i = 0; i < self->open_count; i++) {
		const uint64_t *slot = self->open[i].slot;
		uint64_t position = (uint64_t)((const char *)slot - (const char *)self->lane);
		uint64_t words = slot[WORD_HEADER] >> 8 & 0xff;
		uint64_t *copy = workspace->carried[i];
		memcpy(copy, slot, words * 8);
		carried++;
		if (slot[WORD_HEADER] & MARK_CONTINUED)
			continue;
		const struct call_row *row = call_row_find(call_rows, call_rows_count, (uint16_t)(slot[WORD_HEADER] >> 16));
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
	return carried;
}

/* Puts them at the head of the new generation, where their results will stand. */
static void calls_continue(struct thread *self, uint32_t carried, struct workspace *workspace)
{
	for (uint32_t i = 0; i < carried; i++) {
		const uint64_t *copy = workspace->carried[i];
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

/* A record about ourselves: the program was held up from then till now. */
static void hold_record(struct thread *self, uint64_t from, uint64_t records, uint64_t bytes)
{
	uint64_t *slot = define_reserve(self, WORD_ARGUMENTS + 2);
	slot[WORD_ENTRY] = from;
	slot[WORD_RESULT] = 0;
	slot[WORD_ARGUMENTS] = records;
	slot[WORD_ARGUMENTS + 1] = bytes;
	slot[WORD_EXIT] = clock_count(recorder.tsc);
	BARRIER();
	uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
	*(volatile uint64_t *)slot =
		record_header(self->tag + (uint32_t)position, CALL_varve_encode, WORD_ARGUMENTS + 2, self->open_count);
}

void lane_cut(struct thread *self)
{
	const uint64_t every = ~0ull;
	uint64_t old, from = clock_count(recorder.tsc);
	struct encoded encoded;
	sys_sigmask(SIG_SETMASK, &every, &old);
	struct workspace *workspace = workspace_take();
	struct lane_clock end = clock_now();
	uint32_t carried = 0;
	if (workspace) {
		lane_flush(self->lane, workspace, end, &encoded);
		carried = calls_carry(self, &encoded, workspace);
	} else {
		encoded = (struct encoded){ 0 };
		loss_count(LOSS_NO_LANE, 1);
		self->open_count = 0;
	}
	lane_advance(self->lane, &encoded);
	lane_begin(self, end);
	if (workspace) {
		calls_continue(self, carried, workspace);
		workspace_give(workspace);
	}
	hold_record(self, from, encoded.records, encoded.length);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void process_leave(void)
{
	struct thread *self = &thread_self;
	if (self->ready == self->pulse->alive && !self->busy && recorder.control && !recorder.control->collector_pid &&
	    !self->vfork_pid)
		lane_cut(self);
}

__attribute__((destructor)) static void library_end(void)
{
	process_leave();
}
