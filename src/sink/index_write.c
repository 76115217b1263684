/* Sink: writing the index of a trace, the last step of collecting. See collect.h and codec/index.h. */
#include "base/trace_files.h"
#include "sink/collect.h"

#include "base/sys.h"
#include "base/text.h"
#include "codec/block.h"

#include <errno.h>
#include <string.h>

/* Whether a claim was never written, or contains only a part that a failed write has left. */
static bool given_up(const struct control *control, const uint8_t *bytes, uint64_t from,
		     uint64_t to)
{
	if (losses_of_writes(control->loss))
		return block_remnants(bytes + from, to - from, control->run_id);
	while (from < to && !bytes[from])
		from++;
	return from == to;
}

/* Lists the blocks of the data file in `entries`. If no other process can be writing (`alone`), claims without a block become
 * void blocks. */
static uint64_t blocks_list(const struct control *control, struct data_file *data,
			    const uint8_t *bytes, uint64_t size, bool alone,
			    struct index_entry *entries)
{
	uint64_t count = 0;
	for (uint64_t at = 0; at < size;) {
		struct block_header header;
		if (block_open(bytes + at, size - at, &header, NULL) != VARVE_OK) {
			uint64_t next = block_search(bytes, size, at + BLOCK_ALIGN);
			if (alone && given_up(control, bytes, at, next))
				data_void(data, control->run_id, at, next - at);
			at = next;
			continue;
		}
		if (header.type != BLOCK_VOID)
			entries[count++] = index_entry_of(&header, at);
		at += header.length;
	}
	return count;
}

static enum varve_status index_store(const struct run *run, const uint8_t *block, size_t length,
				     struct varve_causes *causes)
{
	char path[RUN_PATH + 32], final[RUN_PATH + 32];
	node_path(final, final + sizeof final, run->trace, TRACE_FILE_INDEX, run->control->node);
	text_add(text_add(path, path + sizeof path, final), path + sizeof path, ".new");
	int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return cause(causes, VARVE_SYSTEM, "cannot create %s: %s", path,
			     strerrordesc_np(-fd));
	long done = sys_pwrite(fd, block, length, 0);
	/* On a full disk a part may have been stored. */
	if (done >= 0 && done != (long)length)
		done = -ENOSPC;
	if (done >= 0)
		done = sys_fsync(fd);
	sys_close(fd);
	if (done >= 0)
		done = sys_rename(path, final);
	if (done >= 0)
		return VARVE_OK;
	sys_unlink(path);
	return cause(causes, VARVE_NO_SPACE, "cannot write %s: %s", final,
		     strerrordesc_np((int)-done));
}

/* Sets how the run ended: as commands have stored it, or else as in an index that was written while other processes were still
 * running, because recovery has no newer data. */
static void end_keep(const struct run *run, struct index_head *head)
{
	uint64_t noted = __atomic_load_n(&run->control->ended, __ATOMIC_RELAXED);
	if (noted) {
		head->end = (uint32_t)(noted >> 32);
		head->status = (int32_t)(uint32_t)noted;
		if (run->control->ended_monotonic)
			head->end_monotonic = run->control->ended_monotonic;
		return;
	}
	char path[RUN_PATH + 32];
	_Alignas(8) uint8_t bytes[sizeof(struct block_header) + sizeof(struct index_head)];
	struct index_head old;
	node_path(path, path + sizeof path, run->trace, TRACE_FILE_INDEX, run->control->node);
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return;
	long got = sys_pread(fd, bytes, sizeof bytes, 0);
	sys_close(fd);
	memcpy(&old, bytes + sizeof(struct block_header), sizeof old);
	if (got == sizeof bytes && (old.end == RUN_EXITED || old.end == RUN_KILLED)) {
		head->end = old.end;
		head->status = old.status;
		head->end_monotonic = old.end_monotonic;
	}
}

enum varve_status index_write(struct run *run, struct data_file *data, struct index_head *head,
			      struct varve_causes *causes)
{
	struct stat found;
	if (head->end == RUN_RECOVERED)
		end_keep(run, head);
	if (sys_fstat(data->fd, &found) != 0)
		return cause(causes, VARVE_SYSTEM, "cannot read %s/data.%u", run->trace,
			     run->control->node);
	uint64_t size = (uint64_t)found.st_size;
	/* Remove what a failed write left behind the last block, if no process can be writing there. */
	if (head->lanes_alive == 0 && size > run->control->data_tail) {
		size = run->control->data_tail;
		sys_ftruncate(data->fd, size);
	}
	sys_fsync(data->fd);
	head->data_length = size;
	for (size_t i = 0; i < LOSS_ROOM; i++)
		head->loss[i] = control_count(run->control, (unsigned)i);
	uint64_t most = size / sizeof(struct block_header) + 1;
	size_t room = sizeof *head + most * sizeof(struct index_entry);
	size_t memory_size = room + block_plain_size(room);
	const uint8_t *bytes =
		size ? sys_mmap(NULL, size, PROT_READ, MAP_SHARED, data->fd, 0, NULL) : NULL;
	uint8_t *memory = sys_memory(memory_size);
	enum varve_status status;
	if ((size && !bytes) || !memory) {
		status = cause(causes, VARVE_NO_MEMORY, "no memory for the index");
	} else {
		struct index_entry *entries = (struct index_entry *)(void *)(memory + sizeof *head);
		head->entries = blocks_list(run->control, data, bytes, size, head->lanes_alive == 0,
					    entries);
		memcpy(memory, head, sizeof *head);
		size_t length = block_plain(memory + room, BLOCK_INDEX, run->control->run_id, 0,
					    memory, sizeof *head + head->entries * sizeof *entries);
		status = index_store(run, memory + room, length, causes);
	}
	if (memory)
		sys_munmap(memory, memory_size);
	if (bytes)
		sys_munmap((void *)(uintptr_t)bytes, size);
	return status;
}
