/* Record: addresses in the program's code, as the number of a loaded object and an address in its file. See images.c. */
#ifndef RECORD_LOADER_IMAGES_H
#define RECORD_LOADER_IMAGES_H

#include "record/recorder.h"

/* The word of a code address; records its object first, if it is new. The thread is busy, and no slot is reserved yet. */
uint64_t image_word(struct thread *self, const void *address);

/* Whether the loaded object that contains an address has the runtime of Go, by the note that its linker writes. `self` NULL: at the
 * start, when no other thread can unload it. */
bool image_has_go(struct thread *self, const void *address);

/* At the start of the process. */
void images_resolve(void);
/* An object was unloaded: another one may be loaded at its address. */
void images_changed(void);
void images_after_fork(void);

#endif
