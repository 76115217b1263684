/* Record: which file a name means: device and inode, as last seen, in a table of fixed size.
 *
 * Saves the fstat that every open would otherwise cost: what a name meant when it was looked at last is assumed until
 * something was renamed, removed or linked, or the name itself was created or truncated.
 */
#ifndef RECORD_NAMES_IDENTITY_H
#define RECORD_NAMES_IDENTITY_H

#include "record/recorder.h"

/* What is known of the name; false when nothing is, or something has happened since. */
bool identity_find(struct name_place place, struct file_id *file);
void identity_keep(struct name_place place, struct file_id file);

/* Names may mean other files from now on. */
void identity_forget_all(void);

#endif
