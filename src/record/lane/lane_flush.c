/* Record: writes the content of a lane to the trace as a block, and owns the memory for this. See lanes.h.
 *
 * The trace is opened for each write: no descriptor is kept that the program could see, close or count. See detached.h. In a
 * program with threads, blocks wait in a stash and are written together.
 */
#include "base/trace_files.h"
#include "record/lane/lanes.h"

#include "base/sys.h"
#include "codec/inprocess/lane_walk.h"
#include "sink/data.h"

#include <alloca.h>
#include <string.h>
#include <unistd.h>

enum { WORKSPACES = 8 };

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

/* A workspace that is not in use; when all are, a new one for this time only. Never waits. */
struct workspace *workspace_take(void)
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

void workspace_give(struct workspace *workspace)
{
	for (size_t i = 0; i < WORKSPACES; i++)
		if (workspaces[i] == workspace) {
			__atomic_store_n(&workspace->taken, 0, __ATOMIC_RELEASE);
			return;
		}
	workspace_free(workspace);
}

void workspaces_after_fork(void)
{
	/* The workspace of another thread may be in any state. */
	for (size_t i = 0; i < WORKSPACES; i++)
		if (workspaces[i] && workspaces[i]->taken) {
			workspace_free(workspaces[i]);
			workspaces[i] = NULL;
		}
}

struct lane_clock clock_now(void)
{
	struct lane_clock now = {0};
	clock_pair(recorder.tsc, &now.counter, &now.monotonic);
	return now;
}

/* Counts the records of a lane that this process does not encode. */
void lane_look(const struct lane *lane, struct encoded *encoded)
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

void block_lost(enum varve_status status, int error, const struct encoded *encoded)
{
	data_lost(recorder.control, status, error, encoded->records);
}

enum varve_status lane_encode(struct lane *lane, struct workspace *workspace, struct lane_clock end,
			      struct encoded *encoded)
{
	enum varve_status status =
		encode_lane(lane, lane->size, recorder.control->codec, end, call_rows,
			    call_rows_count, workspace->encode, workspace->output, encoded);
	if (encoded->backward)
		loss_count(LOSS_CLOCK, encoded->backward);
	return status;
}

/* One store makes the block valid; the lane's next generation begins after it. */
bool lane_stash_put(struct lane *lane, const uint8_t *block, size_t length)
{
	uint64_t used = lane->stash_used;
	if (length > lane->stash_room - used || !stash_ready(lane))
		return false;
	/* The previous claim was for earlier blocks. */
	if (!used)
		__atomic_store_n(&lane->stash_claim.offset, 0, __ATOMIC_RELEASE);
	memcpy(lane_stash(lane) + used, block, length);
	__atomic_store_n(&lane->stash_used, used + length, __ATOMIC_RELEASE);
	return true;
}

/* Writes the stash; one store marks all its blocks as written. */
static enum varve_status stash_write(struct lane *lane, struct data_file *data)
{
	if (!lane->stash_used)
		return VARVE_OK;
	TRY(data_append(data, recorder.control, &lane->stash_claim, lane_stash(lane),
			lane->stash_used));
	__atomic_store_n(&lane->stash_used, 0, __ATOMIC_RELEASE);
	return VARVE_OK;
}

enum varve_status lane_write(struct lane *lane, const uint8_t *block, size_t length, int *error)
{
	const struct control *control = recorder.control;
	struct data_file data;
	enum varve_status opened = data_open(control->trace, control, &data);
	/* VARVE_FOREIGN: the file belongs to another run, so this run's file is gone. */
	*error = opened == VARVE_FOREIGN ? ENOENT : -data.fd;
	if (opened != VARVE_OK)
		return VARVE_SYSTEM;
	enum varve_status status = stash_write(lane, &data);
	if (status == VARVE_OK)
		status = data_append(&data, recorder.control, &lane->claim, block, length);
	*error = data.error;
	data_close(&data);
	return status;
}

bool data_barred(void)
{
	const struct control *control = recorder.control;
	size_t room = strlen(control->trace) + 32;
	char *path = alloca(room);
	*path = 0;
	node_path(path, path + room, control->trace, TRACE_FILE_DATA, control->node);
	return sys6(SYS_faccessat2, AT_FDCWD, sys_address(path), R_OK | W_OK, AT_EACCESS, 0, 0) !=
	       0;
}

/* Begins the lane's next generation; one store makes all records in it invalid. */
void lane_advance(struct lane *lane, const struct encoded *encoded)
{
	lane->first_ordinal += encoded->fresh;
	BARRIER();
	__atomic_store_n(&lane->generation, lane->generation + 1, __ATOMIC_RELEASE);
}
