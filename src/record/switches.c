/* Record: what to do with a call whose switch is not 0. See switches.h.
 *
 * Nothing here is on the path of a call that is simply recorded.
 */
#include "record/switches.h"

#include "base/process.h"
#include "base/sys.h"

#include <string.h>

/* Until the process is set up nothing can be passed on: the real functions are not known. */
uint8_t call_switch[SWITCHES]
	__attribute__((aligned(4096))) = {[0 ... SWITCHES - 1] = SWITCH_START};

void switches_map(const struct run *run)
{
	char path[RUN_PATH + 16];
	text_add(text_add(path, path + sizeof path, run->lanes), path + sizeof path, "/control");
	int fd = sys_open(path, O_RDONLY, 0);
	void *mapped = fd < 0 ? NULL
			      : sys_mmap(call_switch, SWITCHES, PROT_READ, MAP_SHARED | MAP_FIXED,
					 fd, offsetof(struct control, switches), NULL);
	if (fd >= 0)
		sys_close(fd);
	/* Without a mapping the process cannot be paused from outside. */
	if (!mapped)
		memcpy(call_switch, run->control->switches, SWITCHES);
}

void switches_dead(void)
{
	memset(call_switch, SWITCH_DEAD, SWITCHES);
}

bool wrap_reveal(struct thread *self, const struct call *call)
{
	if (self->busy == BUSY_CUT || !busy_nest(self, call->frame))
		return false;
	/* A child that fork made inside the real function. */
	if (self->ready == self->pulse->alive)
		return true;
	busy_release(self);
	return false;
}

enum switched call_switched(uint16_t id, bool hooked, const struct about *about, unsigned count)
{
	struct thread *self = &thread_self;
	enum switched hidden = hooked ? SWITCHED_HIDE : SWITCHED_PASS;
	(void)about;
	(void)count;
	if (call_switch[id] & SWITCH_START) {
		int saved = errno;
		thread_start(self);
		errno = saved;
	}
	uint8_t way = call_switch[id];
	/* Still being set up: the straight way knows what to do. */
	if (way & SWITCH_START)
		return SWITCHED_RECORD;
	if (way & SWITCH_DEAD)
		return SWITCHED_PASS;
	if (way & SWITCH_OFF)
		return hidden;
	return SWITCHED_RECORD;
}
