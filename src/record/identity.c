/* Record: which file a name means. See identity.h. Entries are read and written without locks: each carries a mark that is
 * odd while it is being written.
 */
#include "record/identity.h"

enum { IDENTITIES = 2048 };

static struct identity {
	uint32_t mark;
	uint32_t mode;
	uint64_t hash;
	uint64_t epoch;
	uint64_t device;
	uint64_t inode;
} identities[IDENTITIES];

bool identity_find(uint64_t hash, struct stat *found)
{
	const struct identity *entry = &identities[hash >> 40 & (IDENTITIES - 1)];
	uint32_t mark = __atomic_load_n(&entry->mark, __ATOMIC_ACQUIRE);
	struct identity copy = *entry;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (copy.hash != hash || mark & 1 || entry->mark != mark ||
	    copy.epoch != __atomic_load_n(&recorder.names_epoch, __ATOMIC_RELAXED))
		return false;
	found->st_dev = copy.device;
	found->st_ino = copy.inode;
	found->st_mode = copy.mode;
	return true;
}

void identity_keep(uint64_t hash, const struct stat *found)
{
	struct stat known;
	if (identity_find(hash, &known) && known.st_dev == found->st_dev && known.st_ino == found->st_ino)
		return;
	struct identity *entry = &identities[hash >> 40 & (IDENTITIES - 1)];
	uint32_t mark = __atomic_load_n(&entry->mark, __ATOMIC_RELAXED);
	if (mark & 1 || !__atomic_compare_exchange_n(&entry->mark, &mark, mark + 1, 0, __ATOMIC_ACQUIRE,
						     __ATOMIC_RELAXED))
		return;
	entry->hash = hash;
	entry->epoch = __atomic_load_n(&recorder.names_epoch, __ATOMIC_RELAXED);
	entry->device = found->st_dev;
	entry->inode = found->st_ino;
	entry->mode = found->st_mode;
	__atomic_store_n(&entry->mark, mark + 2, __ATOMIC_RELEASE);
}

void identity_forget_all(void)
{
	__atomic_fetch_add(&recorder.names_epoch, 1, __ATOMIC_RELAXED);
}
