/* Command line: `varve doctor`: checks the machine: the library, the lane folder, clock, limits, filters.
 *
 * Tests instead of guessing: a small program is recorded into a temporary folder, which is removed.
 */
#include "base/text.h"
#include "cli/doctor/doctor.h"
#include "cli/verbs.h"
#include "object/elf.h"

#include <varve/varve.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* At least a lane of the default size and the first small one; better, enough for a program with many threads. */
#define ROOM_LEAST (4ull << 20)
#define ROOM_GOOD (64ull << 20)
#define ADDRESSES_GOOD (256ull << 20)
enum { DESCRIPTORS_GOOD = 32 };

/* The beginning of a small file; "" if it cannot be read. */
static const char *file_text(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = 0;
	return text;
}

static long status_number(const char *key)
{
	char text[8192];
	const char *found = strstr(file_text("/proc/self/status", text, sizeof text), key);
	return found ? strtol(found + strlen(key), NULL, 10) : 0;
}

static void check_library(struct doctor *doctor)
{
	struct elf elf;
	struct statvfs where;
	doctor->library_there = library_find(LIBRARY_USUAL, doctor->library);
	if (!doctor->library_there) {
		doctor_find(doctor, SEVERITY_BLOCKS, "library",
			    "this library records inside the program",
			    "install it beside the varve command or in ../lib; see `varve config`",
			    "cannot find the preload library (last tried %s)", doctor->library);
		return;
	}
	if (strpbrk(doctor->library, ": "))
		doctor_find(doctor, SEVERITY_BLOCKS, "library-name",
			    "LD_PRELOAD separates names with colons and spaces",
			    "move Varve to a path without them",
			    "the path of the preload library contains a space or a colon: %s",
			    doctor->library);
	enum elf_status status = elf_open(doctor->library, &elf);
	bool good = status == ELF_OK && elf.wide && elf.type == ET_DYN && elf.symbol_count;
	if (status == ELF_OK)
		elf_close(&elf);
	if (!good) {
		doctor_find(doctor, SEVERITY_BLOCKS, "library-broken",
			    "the loader prints a message and ignores it; nothing is recorded",
			    "build or install Varve again",
			    "%s is not a shared library for this machine", doctor->library);
		return;
	}
	if (!file_holds(doctor->library, "varve-record library " VARVE_VERSION))
		doctor_find(doctor, SEVERITY_BLOCKS, "library-version",
			    "the command and the library share memory, with a layout that depends "
			    "on the version",
			    "install the command and the library together",
			    "%s does not have version %s of this command", doctor->library,
			    VARVE_VERSION);
	if (!statvfs(doctor->library, &where) && where.f_flag & ST_NOEXEC)
		doctor_find(doctor, SEVERITY_BLOCKS, "library-noexec",
			    "the loader cannot map its code",
			    "install Varve on a file system that is not mounted noexec",
			    "%s is on a file system that is mounted noexec", doctor->library);
}

static void check_lanes(struct doctor *doctor)
{
	const char *place = getenv("VARVE_LANES");
	struct statvfs room;
	if (!place || !*place)
		place = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	if (statvfs(place, &room) || access(place, W_OK | X_OK)) {
		doctor_find(doctor, SEVERITY_BLOCKS, "lanes",
			    "records are kept there until they are written to the trace",
			    "use a writable folder in memory: --lanes DIR or VARVE_LANES",
			    "cannot create buffers in %s: %s", place, strerror(errno));
		return;
	}
	unsigned long long bytes = (unsigned long long)room.f_bavail * room.f_frsize;
	if (bytes < ROOM_GOOD)
		doctor_find(
			doctor, bytes < ROOM_LEAST ? SEVERITY_BLOCKS : SEVERITY_LIMITS,
			"lanes-room",
			"each thread needs a buffer of 1 MiB there; a thread without a buffer is "
			"not recorded",
			"free some space, use a smaller --buffer, or another folder: --lanes DIR",
			"only %llu KiB are free in %s", bytes >> 10, place);
	if (strcmp(place, "/dev/shm") != 0 && !getenv("VARVE_LANES"))
		doctor_find(doctor, SEVERITY_NOTE, "lanes-disk",
			    "buffers on a disk are slower, and a full disk loses records",
			    "mount a tmpfs at /dev/shm (containers: --shm-size)",
			    "/dev/shm is not writable; buffers would be in %s", place);
}

static void check_clock(struct doctor *doctor)
{
	char source[64];
	file_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		  sizeof source);
	source[strcspn(source, "\n")] = 0;
	const char *asked = getenv("VARVE_CLOCK");
	if (!*source || !strcmp(source, "tsc"))
		return;
	doctor_find(doctor, SEVERITY_NOTE, "clock",
		    "times are read with clock_gettime instead of the processor's counter: about "
		    "40 ns more for each call, or a system call",
		    "nothing, or boot with clocksource=tsc",
		    "the clock source of the kernel is %s, not tsc", source);
	if (asked && !strcmp(asked, "tsc"))
		doctor_find(
			doctor, SEVERITY_LIMITS, "clock-asked",
			"a counter that the kernel does not trust can differ between processors",
			"unset VARVE_CLOCK", "VARVE_CLOCK is tsc, which the kernel does not use");
}

static void check_limits(struct doctor *doctor)
{
	struct rlimit limit;
	char text[64];
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur < ADDRESSES_GOOD)
		doctor_find(doctor, SEVERITY_LIMITS, "limit-addresses",
			    "the recorder needs about 10 MiB of address space, and 1 MiB for each "
			    "thread",
			    "raise it (ulimit -v)", "the address space is limited to %llu KiB",
			    (unsigned long long)limit.rlim_cur >> 10);
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		doctor_find(doctor, limit.rlim_cur < ROOM_LEAST ? SEVERITY_BLOCKS : SEVERITY_LIMITS,
			    "limit-file-size",
			    "the trace is one growing file; records beyond the limit are lost",
			    "raise it (ulimit -f)", "the size of files is limited to %llu KiB",
			    (unsigned long long)limit.rlim_cur >> 10);
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < DESCRIPTORS_GOOD)
		doctor_find(doctor, SEVERITY_LIMITS, "limit-descriptors",
			    "the recorder briefly needs a free descriptor to create a lane or "
			    "write a block",
			    "raise it (ulimit -n)",
			    "the number of open descriptors is limited to %llu",
			    (unsigned long long)limit.rlim_cur);
	if (*file_text("/proc/sys/vm/overcommit_memory", text, sizeof text) == '2')
		doctor_find(doctor, SEVERITY_NOTE, "overcommit",
			    "address space counts as memory: about 10 MiB for each process",
			    "nothing, unless programs run out of memory",
			    "the kernel does not overcommit memory");
}

static void check_surroundings(struct doctor *doctor)
{
	const char *container = getenv("container");
	long tracer = status_number("TracerPid:");
	if (status_number("Seccomp:") == 2)
		doctor_find(doctor, SEVERITY_NOTE, "seccomp",
			    "the filter may forbid a system call of the recorder; the test run "
			    "shows whether it does",
			    "nothing if the test run is recorded",
			    "system calls are filtered here (seccomp)");
	if (container || !access("/.dockerenv", F_OK) || !access("/run/.containerenv", F_OK))
		doctor_find(doctor, SEVERITY_NOTE, "container",
			    "a trace in the file system of the container is lost with it, and "
			    "/dev/shm is often small",
			    "write the trace to a volume: -o DIR/NAME.varve",
			    "this is inside a container%s%s", container ? ": " : "",
			    container ? container : "");
	if (tracer) {
		char name[64], path[64];
		snprintf(path, sizeof path, "/proc/%ld/comm", tracer);
		file_text(path, name, sizeof name);
		name[strcspn(name, "\n")] = 0;
		doctor_find(doctor, SEVERITY_NOTE, "tracer",
			    "both work together, but times include the cost of the tracer, and "
			    "set-uid programs lose their rights",
			    "to measure times, record without it",
			    "process %ld (%s) traces this one", tracer, name);
	}
}

static int remove_one(const char *path, const struct stat *found, int type, struct FTW *place)
{
	(void)found;
	(void)type;
	(void)place;
	return remove(path);
}

/* Runs `varve record` of `varve version`, with stderr going to `errors`. Returns the exit status, or -1. */
static int trial_run(const char *trace, int errors)
{
	pid_t pid = fork();
	if (pid == 0) {
		int nothing = open("/dev/null", O_RDWR);
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(errors, STDERR_FILENO);
		/* these have findings of their own */
		unsetenv("VARVE_DISABLE");
		unsetenv("VARVE_RUN");
		execl("/proc/self/exe", "varve", "record", "--quiet", "-o", trace, "--",
		      "/proc/self/exe", "version", "--quiet", (char *)NULL);
		_exit(EXIT_OWN);
	}
	int status = 0;
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool trial_recorded(const char *path)
{
	struct varve_causes causes = {0};
	struct varve_trace *trace;
	struct varve_summary summary;
	if (varve_open(path, VARVE_OPEN_CHECK, &trace, &causes) != VARVE_OK)
		return false;
	bool good = varve_summary_make(trace, NULL, 0, &summary, &causes) == VARVE_OK;
	if (good) {
		good = summary.records > 0 && !varve_damage_count(trace);
		varve_summary_clear(&summary);
	}
	varve_close(trace);
	return good;
}

static bool check_trial(struct doctor *doctor)
{
	const char *under = getenv("TMPDIR");
	char folder[DOCTOR_PATH], trace[DOCTOR_PATH + 64], errors[512] = "";
	snprintf(folder, sizeof folder, "%s/varve-doctor-XXXXXX", under && *under ? under : "/tmp");
	if (!mkdtemp(folder)) {
		message("doctor: cannot create the folder %s for a test run: %s; set TMPDIR to a "
			"writable folder",
			folder, strerror(errno));
		return false;
	}
	snprintf(trace, sizeof trace, "%s/said", folder);
	int file = open(trace, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	snprintf(trace, sizeof trace, "%s/trial.varve", folder);
	int status = file < 0 ? -1 : trial_run(trace, file);
	if (status >= 0) {
		ssize_t length = pread(file, errors, sizeof errors - 1, 0);
		errors[length > 0 ? length : 0] = 0;
		errors[strcspn(errors, "\n")] = 0;
		doctor->tried = status == 0 && trial_recorded(trace);
		if (!doctor->tried)
			doctor_find(doctor, SEVERITY_BLOCKS, "trial",
				    "every program would have the same problem",
				    "see the other findings; if there are none, report this as a "
				    "bug with this text",
				    "a test run of `varve version` was not recorded; exit status "
				    "%d%s%s",
				    status, *errors ? ": " : "", errors);
		else if (*errors)
			doctor_find(
				doctor, SEVERITY_LIMITS, "trial-said",
				"every program would print the same on standard error",
				"see the other findings; if there are none, report this as a bug "
				"with this text",
				"a test run of `varve version` was recorded, with the message: %s",
				errors);
	} else {
		message("doctor: cannot start the test run: %s; solve this problem, then run the "
			"command again",
			strerror(errno));
	}
	if (file >= 0)
		close(file);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return status >= 0;
}

bool doctor_machine(struct doctor *doctor)
{
	check_library(doctor);
	check_lanes(doctor);
	check_clock(doctor);
	check_limits(doctor);
	check_surroundings(doctor);
	return !doctor->library_there || check_trial(doctor);
}
