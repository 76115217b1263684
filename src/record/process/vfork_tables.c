/* Record: saves the handles that a vfork child changes, and restores them. See vfork_tables.h.
 *
 * Changes are saved for one child at a time. If there is a second child, or there are more changes than space, all handles are
 * forgotten afterwards: the recorder can ask the kernel for the file of a descriptor.
 */
#include "record/process/vfork_tables.h"

#include "record/names/handles.h"

enum { SAVED_MOST = 64 };

static struct {
	struct thread *owner;
	uint32_t count;
	struct {
		int fd;
		uint32_t handle;
		struct fd_entry entry;
	} saved[SAVED_MOST];
} vfork_tables;

static bool vfork_tables_owned(struct thread *self)
{
	struct thread *nobody = NULL;
	return vfork_tables.owner == self ||
	       __atomic_compare_exchange_n(&vfork_tables.owner, &nobody, self, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

void vfork_tables_save(struct thread *self, int fd)
{
	if (!vfork_tables_owned(self) || vfork_tables.count >= SAVED_MOST) {
		self->vfork_lost = true;
		return;
	}
	for (uint32_t i = 0; i < vfork_tables.count; i++)
		if (vfork_tables.saved[i].fd == fd)
			return;
	const struct fd_entry *entry = fd_entry(fd);
	uint32_t at = vfork_tables.count;
	vfork_tables.saved[at].fd = fd;
	vfork_tables.saved[at].handle = handle_of(fd);
	if (entry)
		vfork_tables.saved[at].entry = *entry;
	vfork_tables.count = at + 1;
}

void vfork_tables_restore(struct thread *self)
{
	if (self->vfork_lost)
		handle_forget_range(0, UINT32_MAX);
	self->vfork_lost = false;
	if (vfork_tables.owner != self)
		return;
	for (uint32_t i = 0; i < vfork_tables.count; i++)
		handle_restore(vfork_tables.saved[i].fd, vfork_tables.saved[i].handle,
			       &vfork_tables.saved[i].entry);
	vfork_tables.count = 0;
	__atomic_store_n(&vfork_tables.owner, NULL, __ATOMIC_RELEASE);
}
