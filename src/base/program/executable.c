/* Base: whether the preload library can work in a program, judged from its file. See executable.h.
 *
 * Used by `varve record` and inside traced programs, where it may run in a vfork child: raw system calls only, no allocation.
 */
#include "base/program/executable.h"

#include "base/sys.h"
#include "base/text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { INTERPRETERS_MOST = 4 };

/* 0 if the file can be executed, otherwise an errno with the reason. */
static int file_runnable(const char *path)
{
	struct stat found;
	long result = sys_stat(path, &found);
	if (result == 0 && S_ISDIR(found.st_mode))
		return EISDIR;
	return (int)-(result ? result : sys_access(path, X_OK));
}

int executable_find(const char *name, const char *folders, char *path, size_t room)
{
	size_t name_length = strlen(name);
	int worst = ENOENT;
	if (!name_length || name_length >= room)
		return ENOENT;
	if (strchr(name, '/')) {
		text_add(path, path + room, name);
		return file_runnable(path);
	}
	for (const char *at = folders ? folders : "/bin:/usr/bin";; at++) {
		size_t length = strcspn(at, ":");
		int error = ENOENT;
		/* An empty element stands for the current folder. */
		if (length + name_length + 3 <= room) {
			char *end = text_add_bytes(path, path + room, length ? at : ".",
						   length ? length : 1);
			text_add(text_add(end, path + room, "/"), path + room, name);
			error = file_runnable(path);
		}
		if (!error)
			return 0;
		if (error == EACCES)
			worst = EACCES;
		at += length;
		if (!*at)
			return worst;
	}
}

bool executable_ignores(enum untraced why)
{
	return why == UNTRACED_STATIC || why == UNTRACED_SET_UID;
}

/* A loader that is started as a program has no interpreter, but obeys LD_PRELOAD. */
bool executable_is_loader(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return strncmp(name, "ld-", 3) == 0 || strcmp(name, "ld.so") == 0;
}

bool executable_only_looks(const char *option)
{
	static const char *const options[] = {"--verify",	 "--list",    "--help",
					      "--list-tunables", "--version", "--list-diagnostics"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(option, options[i]))
			return true;
	return false;
}

/* Decides from the first bytes of an ELF file whether the preload library can work in it. */
static enum untraced program_kind(int fd, const char *path, const uint8_t *bytes, long length)
{
	Elf64_Ehdr header;
	if (length < (long)sizeof header || bytes[EI_CLASS] != ELFCLASS64)
		return UNTRACED_32_BIT;
	memcpy(&header, bytes, sizeof header);
#if defined(__x86_64__)
	if (header.e_machine != EM_X86_64)
		return UNTRACED_FOREIGN;
#endif
	Elf64_Phdr segment;
	for (unsigned i = 0; i < header.e_phnum && i < 64; i++) {
		if (sys_pread(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment) !=
		    sizeof segment)
			break;
		if (segment.p_type != PT_INTERP)
			continue;
		char loader[256] = "";
		size_t room = sizeof loader - 1;
		sys_pread(fd, loader, segment.p_filesz < room ? segment.p_filesz : room,
			  segment.p_offset);
		return strstr(loader, "ld-linux") ? UNTRACED_NOT : UNTRACED_FOREIGN;
	}
	if (!executable_is_loader(path))
		return UNTRACED_STATIC;
	return strstr(path, "ld-musl") ? UNTRACED_FOREIGN : UNTRACED_NOT;
}

/* Whether the kernel obeys set-uid bits and capabilities of an executable file. */
static bool may_change_rights(int fd)
{
	enum { MOUNT_NOSUID = 2 };
	struct statfs where;
	return sys6(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) != 1 &&
	       !(sys6(SYS_fstatfs, fd, sys_address(&where), 0, 0, 0, 0) == 0 &&
		 where.f_flags & MOUNT_NOSUID);
}

/* Whether the program runs with other rights than our real user and group have: its loader then ignores LD_PRELOAD. */
static bool gains_rights(int fd)
{
	struct stat found;
	char capability[64];
	if (sys_fstat(fd, &found) != 0)
		return false;
	long user = sys6(SYS_getuid, 0, 0, 0, 0, 0, 0), group = sys6(SYS_getgid, 0, 0, 0, 0, 0, 0);
	long user_then = sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0),
	     group_then = sys6(SYS_getegid, 0, 0, 0, 0, 0, 0);
	bool change = may_change_rights(fd);
	if (change && found.st_mode & S_ISUID)
		user_then = (long)found.st_uid;
	if (change && (found.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		group_then = (long)found.st_gid;
	if (user_then != user || group_then != group)
		return true;
	return change && user != 0 &&
	       sys6(SYS_fgetxattr, fd, sys_address("security.capability"), sys_address(capability),
		    sizeof capability, 0, 0) > 0;
}

/* A script is judged by its interpreter. */
enum untraced executable_look(const char *path)
{
	char bytes[512], next[256];
	for (int depth = 0; depth < INTERPRETERS_MOST; depth++) {
		struct stat found;
		/* Opening a pipe would block until it has a writer, and a terminal might become our controlling terminal. */
		if (sys_stat(path, &found) != 0 || !S_ISREG(found.st_mode))
			return UNTRACED_NOT;
		int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
		if (fd < 0)
			return UNTRACED_NOT;
		long length = sys_pread(fd, bytes, sizeof bytes - 1, 0);
		enum untraced why = UNTRACED_NOT;
		bool elf = length > 4 && memcmp(bytes, ELFMAG, SELFMAG) == 0;
		if (elf)
			why = program_kind(fd, path, (const uint8_t *)bytes, length);
		if (elf && why == UNTRACED_NOT && gains_rights(fd))
			why = UNTRACED_SET_UID;
		sys_close(fd);
		if (elf || length < 4 || bytes[0] != '#' || bytes[1] != '!')
			return why;
		bytes[length] = 0;
		char *name = bytes + 2 + strspn(bytes + 2, " \t");
		name[strcspn(name, " \t\n")] = 0;
		*next = 0;
		text_add(next, next + sizeof next, name);
		path = next;
	}
	return UNTRACED_NOT;
}
