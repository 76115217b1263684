/* Base: which process is which. See process.h. */
#include "base/process.h"

#include "base/sys.h"

#include <string.h>

char *text_add(char *at, const char *end, const char *piece)
{
	while (*piece && at + 1 < end)
		*at++ = *piece++;
	*at = 0;
	return at;
}

char *text_add_number(char *at, const char *end, uint64_t number)
{
	char digits[24];
	size_t first = sizeof digits - 1;
	digits[first] = 0;
	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return text_add(at, end, digits + first);
}

long file_read(const char *path, char *text, size_t room)
{
	int fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	size_t used = 0;
	long got = 0;
	while (used + 1 < room && (got = sys_read(fd, text + used, room - 1 - used)) > 0)
		used += (size_t)got;
	sys_close(fd);
	if (got < 0)
		return got;
	text[used] = 0;
	return (long)used;
}

uint64_t process_start(int pid, int *parent, bool *zombie)
{
	char path[64], text[1024];
	char *at = text_add(path, path + sizeof path, "/proc/");
	at = text_add_number(at, path + sizeof path, (uint64_t)pid);
	text_add(at, path + sizeof path, "/stat");
	if (file_read(path, text, sizeof text) <= 0)
		return 0;
	/* The name may hold anything, also parentheses and spaces: fields are counted from the last one. */
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
	/* The first thread may end before the others: the process then looks like a zombie that has more threads. */
	if (zombie)
		*zombie = ended && threads <= 1;
	return value;
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

bool process_alive(int pid, uint64_t start, const uint8_t boot_id[16], uint64_t pid_namespace,
		   bool *unsure)
{
	static const uint8_t none[16];
	uint8_t here[16];
	if (unsure)
		*unsure = false;
	process_boot_id(here);
	if (memcmp(here, boot_id, 16) != 0 && memcmp(none, boot_id, 16) != 0)
		return false;
	if (pid_namespace != process_namespace()) {
		if (unsure)
			*unsure = true;
		return true;
	}
	bool zombie = false;
	uint64_t now = process_start(pid, NULL, &zombie);
	return now != 0 && now == start && !zombie;
}
