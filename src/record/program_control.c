/* Record: what a program may ask of its recorder: include/varve/control.h. A program that is not to be recorded for a while
 * calls these functions; from outside it is `varve control`.
 */
#include "record/manual.h"

#include "sink/run/pause.h"

EXPORTED int varve_pause(void);
EXPORTED int varve_resume(void);
EXPORTED int varve_flush(void);

int varve_pause(void)
{
	struct thread *self = checked_enter();
	if (!self)
		return 0;
	control_pause_process(recorder.control, recorder.process);
	busy_release(self);
	return control_paused(recorder.control, recorder.process);
}

int varve_resume(void)
{
	struct thread *self = checked_enter();
	if (!self)
		return 0;
	control_resume_process(recorder.control, recorder.process);
	pause_record(self);
	busy_release(self);
	return 1;
}

int varve_flush(void)
{
	struct thread *self = checked_enter();
	if (!self)
		return 0;
	/* Under work that a handler interrupted a lane cannot be emptied. */
	bool now = !self->nested;
	if (now)
		lane_cut(self);
	busy_release(self);
	return now;
}
