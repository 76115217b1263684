/* Record: what the MPI library does for itself. See runtime.h. */
#include "record/mpi/runtime.h"

#include "call_ids.h"
#include "codec/rows.h"
#include "record/names/handles.h"

#include <string.h>

/* Where MPI libraries and launchers keep their own files: sessions, shared memory, data about the machine. */
static const char *const prefixes[] = {
	"/tmp/ompi.",
	"/tmp/pmix",
	"/tmp/openmpi-sessions",
	"/dev/shm/vader_segment",
	"/dev/shm/mpich_",
	"/dev/shm/psm",
	"/dev/shm/sm_segment",
	"/dev/shm/osc_rdma",
	"/sys/",
	"/proc/",
	"/etc/",
	"/usr/",
	"/dev/infiniband",
	"/dev/knem",
	"/dev/xpmem",
	"/run/",
};

static bool path_is_theirs(const char *path, size_t length)
{
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		/* Called for every call inside one of MPI: two characters exclude most paths. */
		if (length < 5 || path[1] != prefixes[i][1] || path[4] != prefixes[i][4])
			continue;
		size_t prefix = strlen(prefixes[i]);
		if (length >= prefix && memcmp(path, prefixes[i], prefix) == 0)
			return true;
	}
	return false;
}

void runtime_enter(struct thread *self, bool whole)
{
	if (!self->runtime_from)
		self->runtime_from = (uint8_t)self->open_count;
	self->runtime |= whole ? RUNTIME_ALL : RUNTIME_INSIDE;
}

void runtime_enter_hidden(struct thread *self, uintptr_t frame, bool whole)
{
	if (!self->runtime_from && !self->runtime_frame)
		self->runtime_frame = frame;
	self->runtime |= whole ? RUNTIME_ALL : RUNTIME_INSIDE;
}

void runtime_name(struct thread *self, const char *path, size_t length)
{
	if (path_is_theirs(path, length))
		self->runtime |= RUNTIME_PATH;
}

/* Whether only the library can be using the descriptor. */
static bool fd_is_theirs(int fd)
{
	const struct fd_entry *entry = fd_entry(fd);
	if (!entry || !handle_of(fd))
		return false;
	return entry->kind == VARVE_HANDLE_SOCKET || entry->kind == VARVE_HANDLE_PIPE ||
	       entry->kind == VARVE_HANDLE_ANONYMOUS || entry->kind == VARVE_HANDLE_DEVICE ||
	       path_is_theirs(fd_path_text(fd, entry), entry->path_length);
}

/* Whether the call waits for several descriptors: inside a call of MPI these are the library's connections. */
static bool call_waits(uint16_t id)
{
	return id == CALL_poll || id == CALL_ppoll || id == CALL_select || id == CALL_pselect;
}

unsigned runtime_mark(struct thread *self, uint16_t id, const uint64_t *words)
{
	/* Frames below that of a hidden call are inside it; a frame above it shows that the call was left. */
	if (self->runtime_frame && (uintptr_t)__builtin_frame_address(0) > self->runtime_frame)
		runtime_leave(self);
	if (!self->runtime)
		return 0;
	bool named = self->runtime & RUNTIME_PATH;
	self->runtime &= (uint8_t)~RUNTIME_PATH;
	if (self->runtime & RUNTIME_ALL)
		return MARK_RUNTIME;
	/* A completion is a part of the program's own call. */
	if (named || call_waits(id) || (runtime_mpi(id) && id != CALL_mpi_completion))
		return MARK_RUNTIME;
	const struct call_row *row = call_row_find(call_rows, call_rows_count, id);
	for (unsigned word = 0; row && word < row->words; word++)
		if (row->pairs >> word & 1 && fd_is_theirs(pair_fd(words[word])))
			return MARK_RUNTIME;
	return 0;
}
