/* Sink: pausing a run or one of its processes. See pause.h. */
#include "sink/run/pause.h"

#include "base/clock.h"

static uint32_t word_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static bool look_wanted(const struct control *control)
{
	return word_load(&control->pause) || word_load(&control->paused_processes) ||
	       word_load(&control->lookers);
}

/* Sets the switches according to the control page. Several processes may do this at once: each checks the page again at the
 * end. */
static void look_update(struct control *control)
{
	const uint64_t eight = SWITCH_LOOK * 0x0101010101010101ull;
	uint64_t *switches = (uint64_t *)(void *)control->switches;
	bool wanted;
	do {
		wanted = look_wanted(control);
		for (size_t i = 0; i < SWITCHES / 8; i++) {
			if (wanted)
				__atomic_fetch_or(&switches[i], eight, __ATOMIC_RELAXED);
			else
				__atomic_fetch_and(&switches[i], ~eight, __ATOMIC_RELAXED);
		}
	} while (wanted != look_wanted(control));
}

static void loss_add(struct control *control, unsigned note, uint64_t more)
{
	__atomic_fetch_add(&control->loss[note], more, __ATOMIC_RELAXED);
}

bool control_pause(struct control *control, uint32_t why)
{
	uint32_t before = __atomic_fetch_or(&control->pause, why, __ATOMIC_SEQ_CST);
	if (before & why)
		return false;
	if (!before) {
		control->pause_from = clock_ns(CLOCK_MONOTONIC);
		loss_add(control, NOTE_PAUSES, 1);
	}
	look_update(control);
	return true;
}

bool control_resume(struct control *control, uint32_t why)
{
	uint32_t before = __atomic_fetch_and(&control->pause, ~why, __ATOMIC_SEQ_CST);
	if (!(before & why))
		return false;
	int64_t held = clock_ns(CLOCK_MONOTONIC) - control->pause_from;
	if (!(before & ~why) && held > 0)
		loss_add(control, NOTE_PAUSED_NS, (uint64_t)held);
	look_update(control);
	return true;
}

static uint64_t process_bit(uint32_t process)
{
	return 1ull << process % 64;
}

bool control_pause_process(struct control *control, uint32_t process)
{
	if (process >= PAUSABLE || __atomic_fetch_or(&control->paused[process / 64],
						     process_bit(process), __ATOMIC_SEQ_CST) &
					   process_bit(process))
		return false;
	__atomic_fetch_add(&control->paused_processes, 1, __ATOMIC_SEQ_CST);
	loss_add(control, NOTE_PAUSES, 1);
	look_update(control);
	return true;
}

bool control_resume_process(struct control *control, uint32_t process)
{
	if (process >= PAUSABLE || !(__atomic_fetch_and(&control->paused[process / 64],
							~process_bit(process), __ATOMIC_SEQ_CST) &
				     process_bit(process)))
		return false;
	__atomic_fetch_sub(&control->paused_processes, 1, __ATOMIC_SEQ_CST);
	look_update(control);
	return true;
}

bool control_process_paused(const struct control *control, uint32_t process)
{
	return process < PAUSABLE &&
	       __atomic_load_n(&control->paused[process / 64], __ATOMIC_RELAXED) &
		       process_bit(process);
}

bool control_paused(const struct control *control, uint32_t process)
{
	return word_load(&control->pause) || control_process_paused(control, process);
}

void control_look_begin(struct control *control)
{
	__atomic_fetch_add(&control->lookers, 1, __ATOMIC_SEQ_CST);
	look_update(control);
}

void control_look_end(struct control *control)
{
	__atomic_fetch_sub(&control->lookers, 1, __ATOMIC_SEQ_CST);
	look_update(control);
}

int64_t control_timed(struct control *control, int64_t now)
{
	const struct choice *choice = &control->choice;
	int64_t start = control->start_monotonic + choice->start_after;
	int64_t stop = control->start_monotonic + choice->stop_after;
	bool waits = word_load(&control->pause) & PAUSE_BEFORE;
	if (waits && now >= start)
		control_resume(control, PAUSE_BEFORE);
	if (choice->stop_after && now >= stop)
		control_pause(control, PAUSE_AFTER);
	if (waits && now < start)
		return start;
	return choice->stop_after && now < stop ? stop : 0;
}
