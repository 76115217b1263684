/* Record: the functions of include/varve/control.h, by which a program pauses, resumes and flushes its own recording. From outside,
 * `varve control` does the same.
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
	/* A lane cannot be cut when a handler has interrupted the recorder's work. */
	bool now = !self->nested;
	if (now)
		lane_cut(self);
	busy_release(self);
	return now;
}
