/* Record: rank and size of this process, from MPI. See rank.h. */
#include "record/mpi/rank.h"

#include "record/lane/lanes.h"
#include "record/process/detached.h"
#include "record/recorder.h"
#include "sink/run/agree.h"
#include "sink/run/learned.h"

struct learned {
	uint32_t size;
	uint32_t reference;
	int64_t offset;
	uint64_t error;
};

/* Opens a file, in a program that may have threads by now. If this fails, no records are lost. */
static void rank_learn(void (*work)(void *), struct learned *learned)
{
	if (!recorder.quiet)
		detached_blocking(work, learned);
}

static void world_learn(void *given)
{
	const struct learned *learned = given;
	if (world_store(recorder.control, learned->size) != VARVE_OK)
		__atomic_store_n(&recorder.control->world, 0, __ATOMIC_RELAXED);
}

static void clock_learn(void *given)
{
	const struct learned *learned = given;
	if (clock_store(recorder.control, learned->reference, learned->offset, learned->error) !=
	    VARVE_OK)
		return;
}

void rank_confirm(int rank, int size)
{
	if (!recorder.control || rank < 0 || size <= rank)
		return;
	recorder.rank = rank;
	lanes_rank(rank);
	/* Only one process of the run stores the number of ranks. */
	uint32_t known = __atomic_load_n(&recorder.control->world, __ATOMIC_RELAXED);
	if (known < (uint32_t)size &&
	    __atomic_compare_exchange_n(&recorder.control->world, &known, (uint32_t)size, 0,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		rank_learn(world_learn, &(struct learned){.size = (uint32_t)size});
}

bool ranks_all_here(int rank, int size)
{
	return recorder.control && recorder.local && !recorder.quiet &&
	       ranks_agree(recorder.control, (uint32_t)rank, (uint32_t)size, recorder.local);
}

uint32_t node_number(void)
{
	return recorder.control ? recorder.control->node : 0;
}

void clock_confirm(uint32_t reference, int64_t offset, uint64_t error)
{
	if (recorder.control)
		rank_learn(clock_learn, &(struct learned){.reference = reference,
							  .offset = offset,
							  .error = error});
}
