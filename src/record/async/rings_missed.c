/* Record: requests of io_uring that no recorded call has shown to the kernel. See rings.h.
 *
 * A program may show requests to the kernel by its own instructions. The kernel counts all requests that it takes from a ring, and
 * /proc shows the count. Those that are not recorded are counted as losses when the ring or the process ends. If their number is
 * not known, the ring counts as one. No descriptor is kept, and the kernel is not asked in a process that filters its system calls.
 */
#include "call_ids.h"
#include "record/async/rings.h"
#include "record/switches.h"

#include "base/sys.h"
#include "base/text.h"

#include <string.h>

/* The most entries of a ring in the kernel: the recorder can be ahead of the kernel's count by this many. */
enum { ENTRIES_MOST = 32768, TRIES = 8 };
/* Flags of kernels up to 6.18, without the one for entries of two sizes, with which the kernel's count is not a number of
 * requests. */
enum { FLAGS_UNDERSTOOD = (1 << 19) - 1 };

struct ends {
	uint32_t head; /* requests that the kernel has taken */
	uint32_t tail; /* requests that the program has shown to it */
};

static bool number_after(const char *text, const char *name, uint32_t *number)
{
	const char *at = strstr(text, name);
	if (!at)
		return false;
	for (at += strlen(name); *at == '\t' || *at == ' '; at++)
		;
	uint32_t value = 0;
	const char *first = at;
	for (; *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (uint32_t)(*at - '0');
	*number = value;
	return at > first && *at == '\n';
}

/* The kernel does not write the numbers while another thread uses the ring, so this is tried several times. Kernels before 5.15
 * never write them. */
static bool ends_ask(int fd, struct ends *ends)
{
	char path[64], text[512];
	if (recorder.quiet)
		return false;
	text_add_number(text_add(path, path + sizeof path, "/proc/thread-self/fdinfo/"),
			path + sizeof path, (uint64_t)(unsigned)fd);
	for (int i = 0; i < TRIES; i++) {
		if (file_read(path, text, sizeof text) <= 0)
			return false;
		if (number_after(text, "\nSqHead:", &ends->head) &&
		    number_after(text, "\nSqTail:", &ends->tail))
			return true;
		sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	return false;
}

bool ring_there(int fd)
{
	struct ends ends;
	return ends_ask(fd, &ends);
}

/* Reads the numbers from liburing's mapping, which stays until liburing ends the ring. */
static bool ends_look(const struct ring *ring, struct ends *ends)
{
	struct thread *self = &thread_self;
	/* The mapping may be gone without notice: its pages are checked again, unless a filter of system calls forbids it. */
	if (!recorder.quiet)
		__atomic_fetch_add(&recorder.pages_epoch, 1, __ATOMIC_RELAXED);
	if (!ring->library || !self->known ||
	    !memory_readable(self, ring->sq_head, sizeof *ring->sq_head) ||
	    !memory_readable(self, ring->sq_tail, sizeof *ring->sq_tail))
		return false;
	ends->head = __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE);
	ends->tail = __atomic_load_n(ring->sq_tail, __ATOMIC_ACQUIRE);
	return true;
}

/* Whether some calls on rings are excluded (off, or in a pause): their requests are not recorded either. */
static bool ring_calls_left_out(void)
{
	const struct control *control = recorder.control;
	static const uint16_t calls[] = {CALL_io_uring_submit,
					 CALL_io_uring_submit_and_wait,
					 CALL_io_uring_submit_and_wait_timeout,
					 CALL_io_uring_submit_and_get_events,
					 CALL_io_uring_queue_exit,
					 CALL_io_uring_enter,
					 CALL_syscall,
					 CALL_close};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (control->switches[calls[i]] & SWITCH_OFF)
			return true;
	return __atomic_load_n(&control->loss[NOTE_PAUSES], __ATOMIC_RELAXED) != 0;
}

static uint32_t own_pid(void)
{
	return (uint32_t)(recorder.quiet ? recorder.pid : sys_getpid());
}

void ring_end_expected(struct ring *ring)
{
	if (!ring->uncounted && ring->owner == own_pid() &&
	    !__atomic_exchange_n(&ring->end_expected, true, __ATOMIC_RELAXED))
		loss_count(LOSS_REQUESTS, 1);
}

static bool end_expected_take(struct ring *ring)
{
	return ring->owner == own_pid() &&
	       __atomic_exchange_n(&ring->end_expected, false, __ATOMIC_RELAXED);
}

void ring_end_seen(struct ring *ring)
{
	if (recorder.control && end_expected_take(ring))
		__atomic_fetch_sub(&recorder.control->loss[LOSS_REQUESTS], 1, __ATOMIC_RELAXED);
}

/* Counts the ring as one loss; if it is counted already because its end was expected, that count stays. */
static void ring_not_counted(struct ring *ring)
{
	if (!__atomic_exchange_n(&ring->uncounted, true, __ATOMIC_RELAXED) &&
	    !end_expected_take(ring))
		loss_count(LOSS_REQUESTS, 1);
}

/* Whether the number is exact: all processes with the ring count in one place, and no calls are excluded. */
static bool number_certain(const struct ring *ring)
{
	return ring->seen != &ring->alone && !ring_calls_left_out() &&
	       !(ring->flags & ~(uint32_t)FLAGS_UNDERSTOOD);
}

void ring_requests_missed(struct ring *ring, uint32_t count)
{
	if (ring->uncounted || (ring->library && ring_calls_left_out()))
		return;
	if (number_certain(ring))
		loss_count(LOSS_REQUESTS, count);
	else
		ring_not_counted(ring);
}

bool ring_of_parent(const struct ring *ring)
{
	return ring->owner != own_pid() && !recorder.quiet &&
	       ring->owner == (uint32_t)sys6(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

void ring_look_back(struct ring *ring, int fd)
{
	struct ends ends;
	if (!recorder.control || thread_self.vfork_pid || ring->uncounted ||
	    (ring->library && ring_calls_left_out()) || ring_of_parent(ring))
		return;
	if (!ends_ask(fd, &ends) && !ends_look(ring, &ends)) {
		ring_not_counted(ring);
		return;
	}
	uint32_t seen = __atomic_load_n(&ring->seen->submissions, __ATOMIC_ACQUIRE);
	/* A thread of the kernel takes requests at any time, also later. */
	if (ring->flags & IORING_SETUP_SQPOLL && ends.head != ends.tail) {
		if (ends.tail != seen)
			ring_not_counted(ring);
	} else if (seen - ends.head > ENTRIES_MOST &&
		   __atomic_compare_exchange_n(&ring->seen->submissions, &seen, ends.head, 0,
					       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		ring_requests_missed(ring, ends.head - seen);
	}
	ring_end_seen(ring);
}
