/* Record: entities that were not seen to be made: predefined handles, and what was there before us. See entities.h. */
#include "record/entities.h"

#include "record/hdf5.h"
#include "record/library.h"
#include "record/mpi.h"

void entity_learn(struct library_call *call, struct entity *entity)
{
	if (entity->family <= FAMILY_MPI_LAST)
		mpi_learn(call, entity);
	else if (entity->family == FAMILY_H5)
		h5_learn(call, entity);
}
