/* Record: describes entities whose creation was not recorded: predefined handles, and handles made before the recording. See
 * entities.h. */
#include "record/library/entities.h"

#include "record/hdf5/hdf5.h"
#include "record/library/library.h"
#include "record/mpi/mpi_hooks.h"
#include "record/netcdf/netcdf.h"

/* Asks the library that made the handle, which may differ from the one that was called with it. */
void entity_learn(struct library_call *call, struct entity *entity)
{
	const struct library *called = call->library;
	if (entity->family <= FAMILY_MPI_LAST) {
		call->library = library_owner(called, OWNER_MPI);
		mpi_learn(call, entity);
	} else if (entity->family == FAMILY_H5) {
		call->library = library_owner(called, OWNER_H5);
		h5_learn(call, entity);
	} else if (entity->family == FAMILY_NC_FILE || entity->family == FAMILY_PNC_FILE) {
		nc_learn(call, entity);
	}
	call->library = called;
}
