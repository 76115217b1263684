/* Record: which file a name means: device and inode, as last seen, in a table of fixed size.
 *
 * Saves the fstat that every open would otherwise need: the file that a name meant last is assumed until something is renamed,
 * removed or linked, or until the name itself is created or truncated.
 */
#ifndef RECORD_NAMES_IDENTITY_H
#define RECORD_NAMES_IDENTITY_H

#include "record/recorder.h"

/* The file of the name; false when it is not known, or names may have changed since. */
bool identity_find(struct name_place place, struct file_id *file);
void identity_keep(struct name_place place, struct file_id file);

/* From now on names may mean other files. */
void identity_forget_all(void);

#endif
