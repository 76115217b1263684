/* Sink: pausing a run or one of its processes, and asking all of them to look at the control page.
 *
 * Done by storing into the control page, without signals: by `varve control`, by the thread of `varve record` that waits, and by a
 * traced process itself. Wrappers see it because the switches of their rows change.
 */
#ifndef SINK_RUN_PAUSE_H
#define SINK_RUN_PAUSE_H

#include "codec/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole run, for one of the PAUSE_ reasons; it goes on when there is none left. False: it was so already. */
bool control_pause(struct control *control, uint32_t why);
bool control_resume(struct control *control, uint32_t why);

/* One process; those with a number of PAUSABLE and above cannot be paused alone. False: it was so already. */
bool control_pause_process(struct control *control, uint32_t process);
bool control_resume_process(struct control *control, uint32_t process);

/* Whether that process is paused, whatever the run is. */
bool control_process_paused(const struct control *control, uint32_t process);

/* Whether that process may not record now. */
bool control_paused(const struct control *control, uint32_t process);

/* From the first to the second of these every call looks at the control page. */
void control_look_begin(struct control *control);
void control_look_end(struct control *control);

/* Begins or ends recording when its time has come. When that is next, CLOCK_MONOTONIC ns; 0: never. */
int64_t control_timed(struct control *control, int64_t now);

#endif
