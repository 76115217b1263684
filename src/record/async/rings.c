/* Record: rings of io_uring in this process. See rings.h. */
#include "record/async/rings.h"

#include "record/names/requests.h"
#include "record/wrap.h"

#include "base/sys.h"

#include <string.h>
#include <sys/mman.h>

enum { RINGS = 64 };
/* Defined in newer headers only. */
enum { SETUP_NO_SQARRAY = 1 << 16 };

uint32_t rings_count;
static struct ring rings[RINGS];
static uint32_t numbers;

struct ring *ring_find(int fd)
{
	if (!rings_count || fd < 0)
		return NULL;
	for (unsigned i = 0; i < RINGS; i++)
		if (__atomic_load_n(&rings[i].fd, __ATOMIC_ACQUIRE) == fd + 1)
			return &rings[i];
	return NULL;
}

/* Positions up to which each ring is recorded, shared by a process and its forked children, because they share the rings. A place
 * is never used for another ring, because a child may still use it. */
enum { PLACES = 511 };
struct shared_places {
	uint32_t owner;
	uint32_t used;
	struct ring_seen places[PLACES];
};
static struct shared_places *shared_places;

static struct ring_seen *place_of(struct shared_places *shared)
{
	if (!shared || shared->owner != (uint32_t)recorder.pid ||
	    __atomic_load_n(&shared->used, __ATOMIC_RELAXED) >= PLACES)
		return NULL;
	uint32_t at = __atomic_fetch_add(&shared->used, 1, __ATOMIC_RELAXED);
	return at < PLACES ? &shared->places[at] : NULL;
}

/* NULL: no memory, or the program filters its system calls. */
static struct ring_seen *place_new(void)
{
	struct shared_places *before = __atomic_load_n(&shared_places, __ATOMIC_ACQUIRE);
	struct ring_seen *place = place_of(before);
	if (place || recorder.quiet)
		return place;
	struct shared_places *made = sys_mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
					      MAP_SHARED | MAP_ANONYMOUS, -1, 0, NULL);
	if (!made)
		return NULL;
	made->owner = (uint32_t)recorder.pid;
	made->used = 1;
	if (__atomic_compare_exchange_n(&shared_places, &before, made, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return &made->places[0];
	sys_munmap(made, sizeof *made);
	return place_of(before);
}

/* A free entry, not visible to others yet. */
static struct ring *ring_take(void)
{
	for (unsigned i = 0; i < RINGS; i++) {
		int32_t none = 0;
		if (__atomic_compare_exchange_n(&rings[i].fd, &none, -1, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			memset((char *)&rings[i] + sizeof rings[i].fd, 0,
			       sizeof rings[i] - sizeof rings[i].fd);
			rings[i].number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
			rings[i].owner = (uint32_t)recorder.pid;
			struct ring_seen *place = place_new();
			rings[i].seen = place ? place : &rings[i].alone;
			return &rings[i];
		}
	}
	return NULL;
}

/* Forgets the ring. */
static void ring_drop(struct ring *ring, int fd)
{
	int32_t shown = fd + 1;
	uint32_t number = ring->number;
	if (__atomic_compare_exchange_n(&ring->fd, &shown, 0, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		__atomic_sub_fetch(&rings_count, 1, __ATOMIC_RELAXED);
		requests_forget(number);
	}
}

static void ring_show(struct ring *ring, int fd)
{
	__atomic_add_fetch(&rings_count, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->fd, fd + 1, __ATOMIC_RELEASE);
}

void ring_made(int fd, const struct io_uring_params *params)
{
	struct ring *before = ring_find(fd), *ring;
	/* Its end was not recorded, and the kernel cannot be asked any more. */
	if (before) {
		ring_look_back(before, -1);
		ring_drop(before, fd);
	}
	ring = ring_take();
	if (!ring) {
		loss_count(LOSS_REQUESTS, 1);
		return;
	}
	ring->flags = params->flags;
	ring->sq_offsets = params->sq_off;
	ring->cq_offsets = params->cq_off;
	ring_end_expected(ring);
	ring_show(ring, fd);
}

void ring_made_by_library(struct thread *self, const struct ring_of_library *library)
{
	struct ring *before = ring_find(library->fd), *ring;
	bool same = before && !before->library;
	uint32_t seen = same ? before->seen->submissions : 0;
	if (before) {
		ring_end_seen(before);
		ring_drop(before, library->fd);
	}
	ring = ring_take();
	if (!ring) {
		loss_count(LOSS_UNTRACKED, 1);
		return;
	}
	ring->library = true;
	ring->flags = library->flags;
	ring->sq_head = library->sq.head;
	ring->sq_tail = library->sq.tail;
	ring->sq_mask = library->sq.mask;
	ring->sq_array = library->sq.array;
	ring->sqes = (const char *)library->sq.sqes;
	ring->cq_head = library->cq.head;
	ring->cq_tail = library->cq.tail;
	ring->cq_mask = library->cq.mask;
	ring->cqes = (const char *)library->cq.cqes;
	if (memory_readable(self, ring->cq_tail, sizeof *ring->cq_tail))
		ring->seen->completions = *ring->cq_tail;
	if (same)
		ring->seen->submissions = seen;
	else if (memory_readable(self, ring->sq_tail, sizeof *ring->sq_tail))
		ring->seen->submissions = *ring->sq_tail;
	ring_show(ring, library->fd);
}

bool ring_known(struct thread *self, const struct ring *ring, const struct ring_of_library *library)
{
	if (!ring->cq_tail || ring->cq_tail != library->cq.tail)
		return false;
	return !ring->library || (ring->sq_tail == library->sq.tail &&
				  memory_readable(self, ring->sq_tail, sizeof *ring->sq_tail) &&
				  *ring->sq_tail == ring->seen->submissions);
}

static const uint32_t *word_at(const char *base, uint32_t offset)
{
	return (const uint32_t *)(const void *)(base + offset);
}

void ring_mapped(int fd, uint64_t offset, const void *address)
{
	struct ring *ring = ring_find(fd);
	const char *base = address;
	if (!ring)
		return;
	if (offset == IORING_OFF_SQES)
		ring->sqes = base;
	if (offset == IORING_OFF_SQ_RING) {
		ring->sq_mask = word_at(base, ring->sq_offsets.ring_mask);
		ring->sq_array = ring->flags & SETUP_NO_SQARRAY
					 ? NULL
					 : word_at(base, ring->sq_offsets.array);
		ring->sq_tail = word_at(base, ring->sq_offsets.tail);
		ring->sq_head = word_at(base, ring->sq_offsets.head);
	}
	/* Both rings are in the same memory; programs that do not rely on this map it twice. */
	if (offset == IORING_OFF_SQ_RING || offset == IORING_OFF_CQ_RING) {
		ring->cq_head = word_at(base, ring->cq_offsets.head);
		ring->cq_mask = word_at(base, ring->cq_offsets.ring_mask);
		ring->cqes = base + ring->cq_offsets.cqes;
		ring->cq_tail = word_at(base, ring->cq_offsets.tail);
	}
}

void ring_duplicated(int fd, int copy)
{
	struct ring *ring = ring_find(fd);
	if (ring && copy != fd && !thread_self.vfork_pid)
		ring->copy = copy + 1;
}

/* Continues with a duplicate of the descriptor that is still open; false: there is none. */
static bool ring_moves(struct ring *ring, int fd)
{
	int copy = ring->copy - 1;
	int32_t shown = fd + 1;
	if (copy < 0 || ring_find(copy) || !ring_there(copy))
		return false;
	ring->copy = 0;
	return __atomic_compare_exchange_n(&ring->fd, &shown, copy + 1, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

void ring_forget(int fd)
{
	struct ring *ring = ring_find(fd);
	/* A vfork child closes its own descriptors, but uses its parent's memory. */
	if (!ring || thread_self.vfork_pid)
		return;
	if (ring_moves(ring, fd))
		return;
	ring_look_back(ring, fd);
	ring_drop(ring, fd);
}

static int ring_number_at(unsigned i)
{
	return __atomic_load_n(&rings[i].fd, __ATOMIC_ACQUIRE) - 1;
}

static bool in_range(int fd, unsigned first, unsigned last)
{
	return fd >= 0 && (unsigned)fd >= first && (unsigned)fd <= last;
}

void rings_forget_range(unsigned first, unsigned last)
{
	/* As in ring_forget(). */
	for (unsigned i = 0; !thread_self.vfork_pid && i < RINGS; i++) {
		int fd = ring_number_at(i);
		if (in_range(rings[i].copy - 1, first, last))
			rings[i].copy = 0;
		if (in_range(fd, first, last))
			ring_forget(fd);
	}
}

void rings_end(void)
{
	for (unsigned i = 0; rings_count && i < RINGS; i++) {
		int fd = ring_number_at(i);
		if (fd >= 0)
			ring_look_back(&rings[i], fd);
	}
}

void rings_go_on(void)
{
	for (unsigned i = 0; rings_count && i < RINGS; i++)
		if (ring_number_at(i) >= 0 && !rings[i].library)
			ring_end_expected(&rings[i]);
}

void ring_files_note(struct thread *self, struct ring *ring, uint32_t first, const int *files,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count && first < RING_FILES && i < RING_FILES - first; i++) {
		uint64_t *file = &ring->files[first + i];
		if (files && !memory_readable(self, &files[i], sizeof files[i]))
			*file = 0;
		else if (!files || files[i] == -1)
			*file = pair_make(-1, 0);
		else if (files[i] != IORING_REGISTER_FILES_SKIP)
			*file = word_fd(self, files[i]);
	}
}

void ring_files_forget(struct ring *ring, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count && first < RING_FILES && i < RING_FILES - first; i++)
		ring->files[first + i] = 0;
}

void rings_files_forget(void)
{
	for (unsigned i = 0; i < RINGS; i++)
		ring_files_forget(&rings[i], 0, RING_FILES);
}

uint64_t ring_file(const struct ring *ring, int index)
{
	bool there = ring && index >= 0 && index < RING_FILES;
	uint64_t file = there ? ring->files[index] : 0;
	return pair_handle(file) ? file : pair_make(-1, 0);
}

static bool word_readable(struct thread *self, const uint32_t *word)
{
	return word && memory_readable(self, word, sizeof *word);
}

static uint32_t word_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static bool seen_move(uint32_t *seen, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(seen, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool ring_next_submission(struct thread *self, struct ring *ring, struct io_uring_sqe *sqe)
{
	if (!ring->sqes || !word_readable(self, ring->sq_tail) ||
	    !word_readable(self, ring->sq_mask))
		return false;
	for (;;) {
		uint32_t tail = word_load(ring->sq_tail),
			 seen = word_load(&ring->seen->submissions);
		uint32_t mask = *ring->sq_mask, index = seen & mask;
		if ((int32_t)(tail - seen) <= 0)
			return false;
		if (tail - seen > mask + 1) {
			if (seen_move(&ring->seen->submissions, seen, tail - mask - 1))
				ring_requests_missed(ring, tail - mask - 1 - seen);
			continue;
		}
		if (ring->sq_array) {
			if (!word_readable(self, &ring->sq_array[index]))
				return false;
			index = ring->sq_array[index] & mask;
		}
		unsigned wide = ring->flags & IORING_SETUP_SQE128 ? 1 : 0;
		const char *place = ring->sqes + (((size_t)index * sizeof *sqe) << wide);
		if (!memory_readable(self, place, sizeof *sqe))
			return false;
		memcpy(sqe, place, sizeof *sqe);
		if (seen_move(&ring->seen->submissions, seen, seen + 1))
			return true;
	}
}

bool ring_submission_claim(struct thread *self, struct ring *ring, uint32_t at)
{
	if (!ring || !word_readable(self, ring->sq_tail))
		return true;
	uint32_t position = word_load(ring->sq_tail) + at;
	for (;;) {
		uint32_t seen = word_load(&ring->seen->submissions);
		if ((int32_t)(position - seen) < 0)
			return false;
		if (!seen_move(&ring->seen->submissions, seen, position + 1))
			continue;
		if (position != seen)
			ring_requests_missed(ring, position - seen);
		return true;
	}
}

/* The kernel overwrites a completion only after the program has moved the head beyond it, and mostly much later: so completions
 * that the program has taken can mostly still be read. */
bool ring_next_completion(struct thread *self, struct ring *ring, struct io_uring_cqe *cqe,
			  uint32_t *lost)
{
	if (!ring->cqes || !word_readable(self, ring->cq_tail) ||
	    !word_readable(self, ring->cq_head) || !word_readable(self, ring->cq_mask))
		return false;
	uint32_t entries = *ring->cq_mask + 1;
	unsigned wide = ring->flags & IORING_SETUP_CQE32 ? 1 : 0;
	for (;;) {
		uint32_t tail = word_load(ring->cq_tail), head = word_load(ring->cq_head);
		uint32_t seen = word_load(&ring->seen->completions);
		if ((int32_t)(tail - seen) <= 0)
			return false;
		if (tail - seen > entries) {
			if (seen_move(&ring->seen->completions, seen, tail - entries))
				*lost += tail - entries - seen;
			continue;
		}
		size_t index = seen & (entries - 1);
		const char *place = ring->cqes + ((index * sizeof *cqe) << wide);
		if (!memory_readable(self, place, sizeof *cqe))
			return false;
		memcpy(cqe, place, sizeof *cqe);
		bool whole =
			(int32_t)(seen - head) >= 0 || word_load(ring->cq_tail) - seen < entries;
		if (!seen_move(&ring->seen->completions, seen, seen + 1))
			continue;
		if (whole)
			return true;
		++*lost;
	}
}
