/* Sink: the data file of a trace. See data.h. */
#include "sink/data.h"

#include "base/hash.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "base/trace_files.h"
#include "codec/block.h"
#include "sink/run/run.h"

#include <alloca.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

enum varve_status data_open(const char *trace, const struct control *control,
			    struct data_file *file)
{
	/* Not an array: the stack of a traced program may be small. */
	size_t room = strlen(trace) + 32;
	char *path = alloca(room);
	*path = 0;
	node_path(path, path + room, trace, TRACE_FILE_DATA, control->node);
	*file = (struct data_file){.fd = -1};
	int fd = sys_open(path, O_RDWR, 0);
	if (fd < 0) {
		file->fd = fd;
		return VARVE_SYSTEM;
	}
	/* A folder of the same name may have been put there, with any content. */
	struct block_header first;
	if (sys_pread(fd, &first, sizeof first, 0) != sizeof first || first.magic != BLOCK_MAGIC ||
	    memcmp(first.run_id, control->run_id, sizeof first.run_id) != 0) {
		sys_close(fd);
		return VARVE_FOREIGN;
	}
	file->fd = fd;
	return VARVE_OK;
}

void data_close(struct data_file *file)
{
	if (file->fd >= 0)
		sys_close(file->fd);
	file->fd = -1;
}

/* Writes as many of the bytes as possible; returns their number. */
static size_t write_most(struct data_file *file, const uint8_t *bytes, size_t length,
			 uint64_t offset)
{
	size_t done = 0;
	while (done < length) {
		long wrote = sys_pwrite(file->fd, bytes + done, length - done, offset + done);
		if (wrote == -EINTR || wrote == -EAGAIN)
			continue;
		if (wrote <= 0) {
			file->error = wrote < 0 ? (int)-wrote : ENOSPC;
			break;
		}
		done += (size_t)wrote;
	}
	return done;
}

static unsigned loss_of_error(int error)
{
	switch (error) {
	case 0:
		return LOSS_SPACE;
	case ENOSPC:
	case EDQUOT:
		return LOSS_DISK_FULL;
	case EFBIG:
		return LOSS_FILE_LIMIT;
	case EACCES:
	case EPERM:
	case EROFS:
		return LOSS_DENIED;
	case ENOENT:
	case ENOTDIR:
	case ESTALE:
		return LOSS_GONE;
	case EMFILE:
	case ENFILE:
		return LOSS_DESCRIPTORS;
	default:
		return LOSS_IO;
	}
}

void data_lost(struct control *control, enum varve_status status, int error, uint64_t records)
{
	unsigned loss = status == VARVE_LIMIT ? (unsigned)LOSS_LIMIT : loss_of_error(error);
	__atomic_fetch_add(&control->loss[loss], records, __ATOMIC_RELAXED);
}

/* On a full disk the void block may be shorter than the space. The remainder becomes a void block later, so it must have room
 * for a header. */
static uint64_t void_shortened(uint64_t wiped, uint64_t length)
{
	const uint64_t header = sizeof(struct block_header);
	return length < 2 * header || wiped <= length - header
		       ? wiped
		       : (length - header) / BLOCK_ALIGN * BLOCK_ALIGN;
}

bool data_void(struct data_file *file, const uint8_t run_id[16], uint64_t offset, uint64_t length)
{
	static const uint8_t zeros[4096];
	struct block_header header = {
		.type = BLOCK_VOID,
		.header_length = sizeof header,
		.length = length,
		.rank = -1,
	};
	if (length < sizeof header)
		return false;
	/* Bytes that a torn write left there are overwritten with zeros, then the header makes it a block; on a full disk, only
	 * as much as fits. */
	for (uint64_t at = sizeof header; at < header.length;) {
		size_t piece = length - at < sizeof zeros ? (size_t)(length - at) : sizeof zeros;
		size_t wiped = write_most(file, zeros, piece, offset + at);
		at += wiped;
		if (wiped < piece)
			header.length = void_shortened(at - at % BLOCK_ALIGN, length);
	}
	XXH64_state_t state;
	XXH64_reset(&state, header.sequence);
	for (uint64_t at = sizeof header; at < header.length;) {
		uint64_t left = header.length - at;
		size_t piece = left < sizeof zeros ? (size_t)left : sizeof zeros;
		XXH64_update(&state, zeros, piece);
		at += piece;
	}
	memcpy(header.run_id, run_id, sizeof header.run_id);
	header.magic = BLOCK_MAGIC;
	header.version = BLOCK_VERSION_FIRST;
	header.payload_check = XXH64_digest(&state);
	uint8_t bytes[sizeof header];
	memcpy(bytes, &header, sizeof header);
	header.header_check = block_header_check(bytes, sizeof header);
	memcpy(bytes + offsetof(struct block_header, header_check), &header.header_check,
	       sizeof header.header_check);
	return write_most(file, bytes, sizeof bytes, offset) == sizeof bytes;
}

enum varve_status data_append(struct data_file *file, struct control *control,
			      struct lane_claim *claim, const uint8_t *block, size_t length)
{
	const uint64_t every = ~0ull, size_signal = 1ull << (SIGXFSZ - 1);
	uint64_t old, pending = 0;
	if (control->limit &&
	    __atomic_load_n(&control->data_tail, __ATOMIC_RELAXED) + length > control->limit)
		return VARVE_LIMIT;
	sys_sigmask(SIG_SETMASK, &every, &old);
	sys_sigpending(&pending);
	/* Stored before the space is claimed: if this process dies in between, recovery can explain the hole. */
	if (claim) {
		claim->length = length;
		__atomic_store_n(&claim->offset, CLAIM_COMING, __ATOMIC_RELEASE);
	}
	uint64_t offset = __atomic_fetch_add(&control->data_tail, length, __ATOMIC_RELAXED);
	if (claim)
		__atomic_store_n(&claim->offset, offset, __ATOMIC_RELEASE);
	bool written = write_most(file, block, length, offset) == length;
	if (!written) {
		uint64_t tail = offset + length;
		/* The claim ends before another process may write there. */
		if (claim)
			__atomic_store_n(&claim->offset, 0, __ATOMIC_RELEASE);
		/* The space is returned if no space behind it was claimed; the next block then overwrites what was written. */
		if (!__atomic_compare_exchange_n(&control->data_tail, &tail, offset, 0,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
		    !data_void(file, control->run_id, offset, length) && claim)
			/* The claim stays, so that readers can identify the bytes there. */
			__atomic_store_n(&claim->offset, offset, __ATOMIC_RELEASE);
		if (!(pending & size_signal)) {
			struct timespec now = {0, 0};
			sys_sigpending(&pending);
			if (pending & size_signal)
				sys_sigtake(&size_signal, &now);
		}
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return written ? VARVE_OK : VARVE_NO_SPACE;
}
