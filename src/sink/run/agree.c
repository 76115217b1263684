/* Sink: deciding whether all ranks of a job are recorded. See agree.h. */
#include "sink/run/agree.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "sink/run/run.h"

#include <errno.h>
#include <string.h>

/* PATIENCE_MS: how long a job waits, once, if some of its ranks are not recorded. */
enum { PATIENCE_MS = 1000, NAP_FIRST_NS = 1000000, NAP_MOST_NS = 32000000 };

enum agreed { AGREED_OPEN, AGREED_ALL, AGREED_SOME };

#define ALL "all"
#define SOME "some"

static void decision_path(char *path, size_t room, const char *trace)
{
	text_add(text_add(path, path + room, trace), path + room, "/ranks.agreed");
}

static int link_make(const char *text, const char *path)
{
	return (int)sys6(SYS_symlink, sys_address(text), sys_address(path), 0, 0, 0, 0);
}

/* False: the link does not exist. */
static bool link_read(const char *path, char *text, size_t room)
{
	long got = sys_readlink(path, text, room - 1);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

/* Network file systems cache for a while that a file does not exist, unless they are forced to check. */
static void folder_look(const struct control *control)
{
	struct statx found;
	sys6(SYS_statx, AT_FDCWD, sys_address(control->trace), AT_STATX_FORCE_SYNC, STATX_MTIME,
	     sys_address(&found), 0);
}

static enum agreed decision_read(const struct control *control)
{
	char path[CONTROL_PATH + 32], text[8];
	decision_path(path, sizeof path, control->trace);
	if (!link_read(path, text, sizeof text))
		return AGREED_OPEN;
	return strcmp(text, ALL) == 0 ? AGREED_ALL : AGREED_SOME;
}

/* Makes the decision, unless another process has decided before; returns what was decided. If links cannot be created, no
 * process can decide, and the answer is AGREED_SOME. */
static enum agreed decision_make(const struct control *control, enum agreed wanted)
{
	char path[CONTROL_PATH + 32];
	int made;
	decision_path(path, sizeof path, control->trace);
	while ((made = link_make(wanted == AGREED_ALL ? ALL : SOME, path)) == -EEXIST) {
		enum agreed there = decision_read(control);
		if (there != AGREED_OPEN)
			return there;
	}
	return made == 0 ? wanted : AGREED_SOME;
}

/* Sums the ranks that hosts have stored. A host may have none: the one where the job was started. */
static uint64_t ranks_count(const struct control *control)
{
	char path[CONTROL_PATH + 32], text[24];
	uint64_t ranks = 0, here;
	for (uint32_t host = 0;; host++) {
		node_path(path, path + sizeof path, control->trace, TRACE_FILE_DATA, host);
		if (sys_access(path, 0) != 0)
			return ranks;
		node_path(path, path + sizeof path, control->trace, TRACE_FILE_RANKS, host);
		if (link_read(path, text, sizeof text) && parse_number(text, UINT32_MAX, &here))
			ranks += here;
	}
}

bool ranks_agree(struct control *control, uint32_t rank, uint32_t size, uint32_t local)
{
	char path[CONTROL_PATH + 32], text[24];
	uint32_t arrived = __atomic_add_fetch(&control->ranks_arrived, 1, __ATOMIC_ACQ_REL);
	if (arrived > local)
		return false;
	if (arrived == local) {
		text_add_number(text, text + sizeof text, local);
		node_path(path, path + sizeof path, control->trace, TRACE_FILE_RANKS,
			  control->node);
		link_make(text, path);
	}
	int64_t until = clock_ns(CLOCK_MONOTONIC) + PATIENCE_MS * 1000000ll;
	struct timespec nap = {0, NAP_FIRST_NS};
	enum agreed agreed;
	while ((agreed = decision_read(control)) == AGREED_OPEN) {
		if (rank == 0 && ranks_count(control) >= size)
			agreed = decision_make(control, AGREED_ALL);
		else if (clock_ns(CLOCK_MONOTONIC) >= until)
			agreed = decision_make(control, AGREED_SOME);
		if (agreed != AGREED_OPEN)
			break;
		sys6(SYS_nanosleep, sys_address(&nap), 0, 0, 0, 0, 0);
		nap.tv_nsec = nap.tv_nsec < NAP_MOST_NS ? 2 * nap.tv_nsec : NAP_MOST_NS;
		folder_look(control);
	}
	return agreed == AGREED_ALL;
}

void ranks_agreed_remove(const char *trace, uint32_t node)
{
	char path[CONTROL_PATH + 32];
	node_path(path, path + sizeof path, trace, TRACE_FILE_RANKS, node);
	sys_unlink(path);
	decision_path(path, sizeof path, trace);
	sys_unlink(path);
}
