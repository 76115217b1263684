/* Record: the tables of a process while a vfork child borrows them: what the child does to its descriptors must not be taken
 * for what its parent did.
 */
#ifndef RECORD_PROCESS_VFORK_TABLES_H
#define RECORD_PROCESS_VFORK_TABLES_H

#include "record/recorder.h"

/* Before the handle of a descriptor changes, in a vfork child. */
void vfork_tables_save(struct thread *self, int fd);

/* In the parent, when the child is gone. */
void vfork_tables_restore(struct thread *self);

#endif
