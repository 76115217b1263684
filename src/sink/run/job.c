/* Sink: which job of a launcher a process belongs to. See job.h.
 *
 * Most launchers give all programs of a job the same name. That of MPICH gives none: the job is then identified by the process
 * that started the programs on this host, so such a job on several hosts counts as several jobs.
 */
#include "sink/run/job.h"

#include "base/hash.h"
#include "base/parse.h"
#include "base/program/launchers.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"

#include <string.h>

enum { ANCESTORS_MOST = 64, ENVIRONMENT_ROOM = 4096, STEP_MOST = 0xfffffff0u - 1 };

/* A batch script is not a step of its job: the programs that it starts are not ranks of one program. */
static bool is_step(const char *text)
{
	uint64_t step;
	return parse_number(text, STEP_MOST, &step);
}

static void key_add(struct job *job, const char *piece)
{
	const char *end = job->key + sizeof job->key;
	char *at = job->key + strlen(job->key);
	/* A long value is replaced by its hash. */
	if (strlen(piece) + 2 >= (size_t)(end - at) || strlen(piece) > sizeof job->key / 2) {
		char text[24];
		text_add_number(text, text + sizeof text, hash64(piece, strlen(piece), 0));
		text_add(text_add(at, end, ":"), end, text);
		return;
	}
	text_add(text_add(at, end, ":"), end, piece);
}

static bool job_named(struct job *job, const struct launcher *launcher, launcher_get *get)
{
	const char *first = launcher->key[0] ? get(launcher->key[0]) : NULL;
	if (!first || !*first || (launcher->batch && !is_step(first)))
		return false;
	text_add(job->key, job->key + sizeof job->key, launcher->name);
	for (size_t i = 0; i < sizeof launcher->key / sizeof *launcher->key; i++) {
		const char *value = launcher->key[i] ? get(launcher->key[i]) : NULL;
		key_add(job, value ? value : "");
	}
	const char *batch = launcher->batch ? get(launcher->key[1]) : NULL,
		   *end = job->id + sizeof job->id;
	char *at = job->id;
	if (batch && *batch)
		at = text_add(text_add(at, end, batch), end, ".");
	text_add(at, end, first);
	for (char *letter = job->id; *letter; letter++)
		if (*letter == '/')
			*letter = '_';
	return true;
}

/* Whether a process was started with this variable. A process whose environment cannot be read counts as the launcher's. */
static bool started_with(int pid, const char *variable)
{
	static char text[ENVIRONMENT_ROOM + 64];
	char path[64];
	size_t length = strlen(variable), kept = 0;
	text_add(text_add_number(text_add(path, path + sizeof path, "/proc/"), path + sizeof path,
				 (uint64_t)pid),
		 path + sizeof path, "/environ");
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	bool found = false;
	/* A zero byte before the first string, like the one before all others. */
	text[kept++] = 0;
	for (long got; !found && (got = sys_read(fd, text + kept, ENVIRONMENT_ROOM)) > 0;) {
		size_t size = kept + (size_t)got;
		for (size_t at = 0; at + length + 1 < size && !found; at++)
			found = !text[at] && !memcmp(text + at + 1, variable, length) &&
				text[at + length + 1] == '=';
		kept = size < length + 2 ? size : length + 2;
		memmove(text, text + size - kept, kept);
	}
	sys_close(fd);
	return found;
}

/* Identifies the job by the nearest ancestor that is not a rank. */
static bool started_by(struct job *job, const char *rank_variable)
{
	int pid = sys_getpid(), parent = 0;
	uint64_t start = process_start_own(&pid, &parent);
	for (int i = 0; i < ANCESTORS_MOST && start && parent > 1; i++) {
		pid = parent;
		if (!started_with(pid, rank_variable))
			break;
		start = process_start(pid, &parent, NULL);
	}
	start = pid > 1 ? process_start(pid, &parent, NULL) : 0;
	if (!start || pid == sys_getpid())
		return false;
	char text[24] = "";
	uint8_t boot_id[16];
	process_boot_id(boot_id);
	text_add(job->key, job->key + sizeof job->key, "process");
	text_add_number(text, text + sizeof text, hash64(boot_id, sizeof boot_id, 0));
	key_add(job, text);
	text_add_number(text, text + sizeof text, (uint64_t)pid);
	key_add(job, text);
	text_add(job->id, job->id + sizeof job->id, text);
	text_add_number(text, text + sizeof text, start);
	key_add(job, text);
	return true;
}

bool job_find(struct job *job, launcher_get *get)
{
	uint64_t number;
	*job = (struct job){0};
	const char *rank;
	const struct launcher *launcher = launcher_find(get, &rank);
	if (!launcher)
		return false;
	/* A single program shares its trace with no other. */
	const char *text = launcher_size(get);
	if (text && parse_number(text, UINT32_MAX, &number) && number < 2)
		return false;
	bool found = false;
	/* The launcher's ranks may be inside a job of another launcher, and have its variables, too. */
	if (launcher_names_none(get))
		found = started_by(job, rank);
	for (size_t i = 0; !found && i < LAUNCHER_COUNT; i++)
		found = job_named(job, &launchers[i], get);
	/* Slurm also sets the variable in batch scripts, which are not ranks. */
	if (!found && !launcher->batch)
		found = started_by(job, rank);
	text = found ? launcher_local(get) : NULL;
	if (text && parse_number(text, UINT32_MAX, &number))
		job->local = (uint32_t)number;
	return found;
}

bool job_shares(const char *trace_name)
{
	for (const char *at = trace_name; at && *at; at++) {
		if (*at != '%')
			continue;
		at++;
		if (*at == 'p' || *at == 'r')
			return false;
		if (!*at)
			break;
	}
	return true;
}
