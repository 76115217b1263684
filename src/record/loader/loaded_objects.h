/* Record: which objects a process has loaded, as records of layer varve. See loaded_objects.c. */
#ifndef RECORD_LOADER_LOADED_OBJECTS_H
#define RECORD_LOADER_LOADED_OBJECTS_H

#include "record/recorder.h"

/* At the start of an image: whether it contains the runtime of Go, which makes its own system calls. If so, it is counted as a
 * loss. */
bool objects_have_go(void);
/* At the start of an image, with signals blocked. */
void objects_first(struct thread *self);
/* Records objects that dlopen may have added. The caller has entered (wrap_enter). */
void objects_again(struct thread *self);
void objects_after_fork(void);

#endif
