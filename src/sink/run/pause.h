/* Sink: pausing a run or one of its processes, and making all of them check the control page.
 *
 * Done by storing into the control page, without signals: by `varve control`, by the waiting thread of `varve record`, and by a
 * traced process itself. Wrappers notice it because the switches of their rows change.
 */
#ifndef SINK_RUN_PAUSE_H
#define SINK_RUN_PAUSE_H

#include "codec/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pauses or resumes the whole run, for one of the PAUSE_ reasons; it is paused as long as there is a reason. False: no change. */
bool control_pause(struct control *control, uint32_t why);
bool control_resume(struct control *control, uint32_t why);

/* Pauses or resumes one process; processes with a number of PAUSABLE and above cannot be paused individually. False: no change. */
bool control_pause_process(struct control *control, uint32_t process);
bool control_resume_process(struct control *control, uint32_t process);

/* Whether this process is paused individually. */
bool control_process_paused(const struct control *control, uint32_t process);

/* Whether this process may not record now. */
bool control_paused(const struct control *control, uint32_t process);

/* Between these two, every call checks the control page. */
void control_look_begin(struct control *control);
void control_look_end(struct control *control);

/* Starts or stops recording if its time has come. Returns when to call it again, in ns of CLOCK_MONOTONIC; 0: never. */
int64_t control_timed(struct control *control, int64_t now);

#endif
