/* Record: which file a name means. See identity.h. Entries are read and written without locks: each has a mark that is odd while
 * the entry is being written.
 */
#include "record/names/identity.h"

/* The entry of a name is one of WAYS entries at the position given by its hash. */
enum { IDENTITIES = 4096, WAYS = 4 };

static struct identity {
	uint32_t mark;
	uint64_t hash;
	uint64_t epoch;
	struct file_id file;
} identities[IDENTITIES];

static struct identity *identity_at(uint64_t hash, unsigned way)
{
	return &identities[((hash >> 40) + way) % IDENTITIES];
}

static uint64_t epoch_now(void)
{
	return __atomic_load_n(&recorder.names_epoch, __ATOMIC_RELAXED);
}

bool identity_find(struct name_place place, struct file_id *file)
{
	uint64_t hash = place.hash;
	for (unsigned way = 0; way < WAYS; way++) {
		const struct identity *entry = identity_at(hash, way);
		if (entry->hash != hash)
			continue;
		uint32_t mark = __atomic_load_n(&entry->mark, __ATOMIC_ACQUIRE);
		struct identity copy = *entry;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (copy.hash != hash || mark & 1 || entry->mark != mark ||
		    copy.epoch != epoch_now())
			return false;
		*file = copy.file;
		return true;
	}
	return false;
}

/* The entry of this name; otherwise an outdated one, or one given by the hash. */
static struct identity *identity_place(uint64_t hash)
{
	struct identity *place = identity_at(hash, hash >> 8 & (WAYS - 1));
	uint64_t epoch = epoch_now();
	for (unsigned way = 0; way < WAYS; way++) {
		struct identity *entry = identity_at(hash, way);
		if (entry->hash == hash)
			return entry;
		if (entry->epoch != epoch)
			place = entry;
	}
	return place;
}

void identity_keep(struct name_place place, struct file_id file)
{
	struct file_id known;
	if (identity_find(place, &known) && known.device == file.device &&
	    known.inode == file.inode)
		return;
	struct identity *entry = identity_place(place.hash);
	uint32_t mark = __atomic_load_n(&entry->mark, __ATOMIC_RELAXED);
	/* Another thread is writing the entry: this file is not stored. */
	if (mark & 1 || !__atomic_compare_exchange_n(&entry->mark, &mark, mark + 1, 0,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	entry->hash = place.hash;
	entry->epoch = place.epoch;
	entry->file = file;
	__atomic_store_n(&entry->mark, mark + 2, __ATOMIC_RELEASE);
}

void identity_forget_all(void)
{
	__atomic_fetch_add(&recorder.names_epoch, 1, __ATOMIC_RELAXED);
}
