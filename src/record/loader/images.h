/* Record: places in the program's code, as the number of a loaded object and an address in its file. See images.c. */
#ifndef RECORD_LOADER_IMAGES_H
#define RECORD_LOADER_IMAGES_H

#include "record/recorder.h"

/* The word of an address in code; records its object first, when that is new. Own work, before a slot is reserved. */
uint64_t image_word(struct thread *self, const void *address);

/* Whether the loaded object that an address belongs to has the runtime of Go, by the note that its linker leaves. `self` NULL:
 * at the start, when nobody can unload it. */
bool image_has_go(struct thread *self, const void *address);

/* At the start of the process. */
void images_resolve(void);
/* An object was unloaded: another may be where it was. */
void images_changed(void);
void images_after_fork(void);

#endif
