/* Base: identifying processes. See process.h. */
#include "base/program/process.h"

#include "base/folder.h"
#include "base/sys.h"
#include "base/text.h"

#include <string.h>

static uint64_t number_read(const char *digits)
{
	uint64_t number = 0;
	for (; *digits >= '0' && *digits <= '9'; digits++)
		number = number * 10 + (uint64_t)(*digits - '0');
	return number;
}

/* Start time from the stat file of a process; 0: there is no such process. */
static uint64_t stat_read(const char *path, int *pid, int *parent, bool *zombie)
{
	char text[1024];
	if (file_read(path, text, sizeof text) <= 0)
		return 0;
	/* The name may contain anything, including parentheses and spaces, so fields are counted from the last parenthesis. */
	const char *field = strrchr(text, ')');
	if (!field || field[1] != ' ')
		return 0;
	field += 2;
	bool ended = *field == 'Z' || *field == 'X';
	uint64_t value = 0, threads = 0;
	for (int number = 3; number <= 22 && *field; number++) {
		value = 0;
		for (; *field && *field != ' '; field++)
			value = *field >= '0' && *field <= '9'
					? value * 10 + (uint64_t)(*field - '0')
					: value;
		field += *field == ' ';
		if (number == 4 && parent)
			*parent = (int)value;
		if (number == 20)
			threads = value;
	}
	/* If the first thread ends before the others, the process looks like a zombie, but has more than one thread. */
	if (zombie)
		*zombie = ended && threads <= 1;
	if (pid)
		*pid = (int)number_read(text);
	return value;
}

/* /proc/PID/NAME */
static void path_make(char path[64], int pid, const char *name)
{
	const char *end = path + 64;
	char *at = text_add_number(text_add(path, end, "/proc/"), end, (uint64_t)pid);
	text_add(text_add(at, end, "/"), end, name);
}

uint64_t process_start(int pid, int *parent, bool *zombie)
{
	char path[64];
	path_make(path, pid, "stat");
	return stat_read(path, NULL, parent, zombie);
}

uint64_t process_start_own(int *seen, int *parent)
{
	return stat_read("/proc/self/stat", seen, parent, NULL);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void process_boot_id(uint8_t boot_id[16])
{
	char text[64];
	size_t nibble = 0;
	memset(boot_id, 0, 16);
	if (file_read("/proc/sys/kernel/random/boot_id", text, sizeof text) <= 0)
		return;
	for (const char *at = text; *at && nibble < 32; at++) {
		int digit = hex_digit(*at);
		if (digit < 0)
			continue;
		boot_id[nibble / 2] = (uint8_t)(boot_id[nibble / 2] << 4 | digit);
		nibble++;
	}
}

uint64_t process_namespace(void)
{
	struct stat found;
	return sys_stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

uint64_t process_user_namespace(void)
{
	struct stat found;
	return sys_stat("/proc/self/ns/user", &found) == 0 ? found.st_ino : 0;
}

/* The number of a process in its own, innermost namespace; 0: unknown. */
static int innermost_pid(int pid)
{
	char path[64], text[4096];
	path_make(path, pid, "status");
	if (file_read(path, text, sizeof text) <= 0)
		return 0;
	const char *line = strstr(text, "\nNSpid:"), *last = NULL;
	for (const char *at = line ? line + 7 : ""; *at && *at != '\n'; at++)
		if (*at >= '0' && *at <= '9' && (at[-1] < '0' || at[-1] > '9'))
			last = at;
	return last ? (int)number_read(last) : 0;
}

struct wanted {
	int pid;
	uint64_t start;
	uint64_t pid_namespace;
	bool found;
};

static void wanted_see(void *context, const char *name)
{
	struct wanted *wanted = context;
	char path[64];
	struct stat found;
	bool zombie = false;
	int pid = (int)number_read(name);
	if (pid == 0 || wanted->found || process_start(pid, NULL, &zombie) != wanted->start ||
	    zombie)
		return;
	path_make(path, pid, "ns/pid");
	/* A process whose namespace we may not read counts as a match. */
	if (sys_stat(path, &found) == 0 && found.st_ino != wanted->pid_namespace)
		return;
	wanted->found = innermost_pid(pid) == wanted->pid;
}

/* Namespaces are nested: /proc shows the processes of its own namespace and of all those inside it. */
static bool shows_all(uint64_t run_namespace)
{
	enum { MACHINE = 0xeffffffc }; /* PROC_PID_INIT_INO of the kernel */
	uint64_t here = process_namespace();
	return here != 0 && (here == run_namespace || here == MACHINE);
}

bool process_alive(int pid, uint64_t start, const uint8_t boot_id[16], uint64_t pid_namespace,
		   uint64_t run_namespace, bool *unsure)
{
	static const uint8_t none[16];
	uint8_t here[16];
	if (unsure)
		*unsure = false;
	process_boot_id(here);
	if (memcmp(here, boot_id, 16) != 0 && memcmp(none, boot_id, 16) != 0)
		return false;
	if (pid_namespace != process_namespace()) {
		struct wanted wanted = {pid, start, pid_namespace, false};
		if (shows_all(run_namespace) && start != 0 &&
		    folder_list("/proc", wanted_see, &wanted) == 0)
			return wanted.found;
		if (unsure)
			*unsure = true;
		return true;
	}
	bool zombie = false;
	uint64_t now = process_start(pid, NULL, &zombie);
	/* A process without /proc cannot find its start time, and stores 0. */
	return now != 0 && (now == start || start == 0) && !zombie;
}
