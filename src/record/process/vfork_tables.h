/* Record: the handles of a process while a vfork child uses its tables: changes of the child's descriptors must not become changes
 * of the parent's.
 */
#ifndef RECORD_PROCESS_VFORK_TABLES_H
#define RECORD_PROCESS_VFORK_TABLES_H

#include "record/recorder.h"

/* Called in a vfork child before the handle of a descriptor changes. */
void vfork_tables_save(struct thread *self, int fd);

/* Called in the parent when the child is gone. */
void vfork_tables_restore(struct thread *self);

#endif
