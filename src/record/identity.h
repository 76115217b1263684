/* Record: which file a name means: device and inode, as last seen, in a table of fixed size.
 *
 * Saves the fstat that every open would otherwise cost: what a name meant when it was looked at last is assumed until
 * something was renamed, removed or linked, or the name itself was created or truncated.
 */
#ifndef RECORD_IDENTITY_H
#define RECORD_IDENTITY_H

#include "record/state.h"

#include <sys/stat.h>

/* A short form of an identity, never 0. */
static inline uint32_t identity_hash(uint64_t device, uint64_t inode)
{
	return (uint32_t)((device * 0x9e3779b97f4a7c15ull ^ inode * 0xd6e8feb86659fd93ull) >> 32) |
	       1;
}

/* What is known of the name with this hash; false when nothing is, or something has happened since. */
bool identity_find(uint64_t hash, struct stat *found);
void identity_keep(uint64_t hash, const struct stat *found);

/* Names may mean other files from now on. */
void identity_forget_all(void);

#endif
