/* Record: handles that a vfork child changed, as they were. See vfork_tables.h.
 *
 * One child at a time has its changes kept; of a second, and of more changes than there is room for, it is only known that
 * something changed. Then all is forgotten: what descriptors are can be asked again.
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
} borrowed;

static bool owned(struct thread *self)
{
	struct thread *nobody = NULL;
	return borrowed.owner == self ||
	       __atomic_compare_exchange_n(&borrowed.owner, &nobody, self, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

void borrowed_save(struct thread *self, int fd)
{
	if (!owned(self) || borrowed.count >= SAVED_MOST) {
		self->vfork_lost = true;
		return;
	}
	for (uint32_t i = 0; i < borrowed.count; i++)
		if (borrowed.saved[i].fd == fd)
			return;
	const struct fd_entry *entry = fd_entry(fd);
	uint32_t at = borrowed.count;
	borrowed.saved[at].fd = fd;
	borrowed.saved[at].handle = handle_of(fd);
	if (entry)
		borrowed.saved[at].entry = *entry;
	borrowed.count = at + 1;
}

void borrowed_restore(struct thread *self)
{
	if (self->vfork_lost)
		handle_forget_range(0, UINT32_MAX);
	self->vfork_lost = false;
	if (borrowed.owner != self)
		return;
	for (uint32_t i = 0; i < borrowed.count; i++)
		handle_restore(borrowed.saved[i].fd, borrowed.saved[i].handle,
			       &borrowed.saved[i].entry);
	borrowed.count = 0;
	__atomic_store_n(&borrowed.owner, NULL, __ATOMIC_RELEASE);
}
