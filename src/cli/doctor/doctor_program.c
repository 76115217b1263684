/* Command line: `varve doctor PROGRAM`: checks whether the loader will preload the library into a program, and which of
 * its calls cannot be recorded. Follows scripts to their interpreters; with --root, all paths are inside this folder. */
#include "base/program/executable.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "cli/doctor/doctor.h"
#include "cli/record/child.h"
#include "cli/record/sanitized_program.h"
#include "cli/verbs.h"
#include "object/unseen.h"
#include "pack/pack.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { INTERPRETERS_MOST = 5, SHOWN_MOST = 12 };

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

/* `path` as seen from inside the root. */
static const char *path_inside(const struct doctor *doctor, const char *path)
{
	size_t length = strlen(doctor->root);
	return length && !strncmp(path, doctor->root, length) ? path + length : path;
}

/* Resolves symbolic links, whose absolute targets are inside the root. */
static void links_follow(const struct doctor *doctor, char path[DOCTOR_PATH])
{
	for (int depth = 0; *doctor->root && depth < 16; depth++) {
		char target[DOCTOR_PATH / 2], next[DOCTOR_PATH * 2];
		ssize_t length = readlink(path, target, sizeof target - 1);
		if (length <= 0)
			return;
		target[length] = 0;
		char *slash = strrchr(path, '/');
		int used = target[0] == '/'
				   ? snprintf(next, sizeof next, "%s%s", doctor->root, target)
				   : snprintf(next, sizeof next, "%.*s%s",
					      slash ? (int)(slash + 1 - path) : 0, path, target);
		if (used < 0 || used >= DOCTOR_PATH)
			return;
		memcpy(path, next, (size_t)used + 1);
	}
}

/* Finds the program that execvp() would execute; 0 or an errno. */
static int program_find(const struct doctor *doctor, const char *name, char path[DOCTOR_PATH])
{
	if (!*doctor->root)
		return child_look(name, path);
	if (strchr(name, '/')) {
		if (snprintf(path, DOCTOR_PATH, "%s%s%s", doctor->root, *name == '/' ? "" : "/",
			     name) >= DOCTOR_PATH)
			return ENAMETOOLONG;
		links_follow(doctor, path);
		return access(path, F_OK) ? errno : 0;
	}
	static const char *const folders[] = {"/usr/local/bin",	 "/usr/bin",  "/bin",
					      "/usr/local/sbin", "/usr/sbin", "/sbin"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (snprintf(path, DOCTOR_PATH, "%s%s/%s", doctor->root, folders[i], name) >=
		    DOCTOR_PATH)
			return ENAMETOOLONG;
		links_follow(doctor, path);
		if (!access(path, F_OK))
			return 0;
	}
	return ENOENT;
}

/* A trace is a packed file or a folder with data; a damaged one is known by its name. */
static bool is_trace(const char *path)
{
	char data[DOCTOR_PATH + 16];
	struct stat found;
	snprintf(data, sizeof data, "%s/" TRACE_FIRST_DATA, path);
	bool runs = !stat(path, &found) && S_ISREG(found.st_mode) && found.st_mode & 0111;
	return (is_trace_name(path) && !runs && !access(path, F_OK)) || !access(data, F_OK) ||
	       pack_is_packed(path);
}

static void trace_found(struct doctor *doctor, const char *name)
{
	doctor_find(doctor, SEVERITY_BLOCKS, "not-a-program",
		    "this verb checks programs before they are recorded",
		    "name a program; `varve info TRACE` shows what a trace contains",
		    "%s is a trace, not a program", name);
}

/* No program has this name. True: a trace or a file in the working directory has it, and the finding says so. */
static bool found_here(struct doctor *doctor, const char *name)
{
	if (is_trace(name))
		trace_found(doctor, name);
	else if (child_is_here(name))
		doctor_find(doctor, SEVERITY_BLOCKS, "not-in-path",
			    "a name without a slash is searched in PATH",
			    "give the name with a path", "%s is not in PATH, but ./%s exists", name,
			    name);
	else
		return false;
	return true;
}

/* A program that cannot be examined. */
static void cannot_look(struct doctor *doctor, const char *shown, int error)
{
	bool forbidden = error == EACCES || error == EPERM;
	doctor_find(doctor, SEVERITY_BLOCKS, forbidden ? "no-permission" : "missing",
		    forbidden ? "this user has no access to it" : "no file was found by this name",
		    forbidden ? "check its permissions and those of the folders above (`namei "
				"-l`), or run as its user"
			      : "check the name; if it has no slash, add its folder to PATH",
		    "%s: %s", shown, error == ENOENT ? "program not found" : strerror(error));
}

/* False: it cannot be executed at all. */
static bool check_file(struct doctor *doctor, const char *path)
{
	struct stat found;
	struct statvfs where;
	const char *shown = path_inside(doctor, path);
	if (stat(path, &found)) {
		cannot_look(doctor, shown, errno);
		return false;
	}
	if (is_trace(path)) {
		trace_found(doctor, shown);
		return false;
	}
	if (doctor_is_lanes(path)) {
		doctor_find(doctor, SEVERITY_BLOCKS, "lane-folder",
			    "it has the records of a run that are not yet in its trace",
			    "if the run has ended, `varve pack` on its trace moves them there; if "
			    "the trace was deleted, `varve doctor --clean FOLDER` removes the "
			    "folder with its records",
			    "%s is a lane folder, not a program", shown);
		return false;
	}
	if (S_ISDIR(found.st_mode)) {
		doctor_find(doctor, SEVERITY_BLOCKS, "directory", "a folder cannot be executed",
			    "name a program in this folder", "%s is a folder", shown);
		return false;
	}
	if (access(path, X_OK) || !(found.st_mode & 0111)) {
		doctor_find(doctor, SEVERITY_BLOCKS, "not-executable",
			    "the kernel cannot execute it",
			    "run `chmod +x`, or start it with its interpreter",
			    "%s is not executable", shown);
		return false;
	}
	if (!statvfs(path, &where) && where.f_flag & ST_NOEXEC)
		doctor_find(doctor, SEVERITY_BLOCKS, "noexec", "the kernel cannot execute it",
			    "copy it to another file system, or mount this one with exec",
			    "%s is on a file system that is mounted noexec", shown);
	return true;
}

/* Programs that gain rights when they are started: their loader ignores an LD_PRELOAD with a path. */
static void check_rights(struct doctor *doctor, const char *path)
{
	static const char why[] =
		"the loader ignores LD_PRELOAD in programs that gain rights (AT_SECURE)";
	static const char remedy[] =
		"record it as the user whose rights it gets (sudo varve record ...), or record a "
		"copy without these rights (cp, chmod u-s,g-s)";
	struct stat found;
	struct statvfs where;
	if (stat(path, &found))
		return;
	bool user = found.st_mode & S_ISUID;
	bool group = (found.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
	bool ignored = !statvfs(path, &where) && where.f_flag & ST_NOSUID;
	bool gains = !ignored &&
		     ((user && found.st_uid != geteuid()) || (group && found.st_gid != getegid()));
	const char *shown = path_inside(doctor, path);
	if (gains)
		doctor_find(doctor, SEVERITY_BLOCKS, "set-uid", why, remedy,
			    "%s is a set-%s program of another %s", shown, user ? "uid" : "gid",
			    user ? "user" : "group");
	else if (user || group)
		doctor_find(doctor, SEVERITY_NOTE, "set-uid", why,
			    "nothing, if you start it yourself",
			    "%s is a set-%s program, but gains no rights when you start it", shown,
			    user ? "uid" : "gid");
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		doctor_find(doctor, geteuid() && !ignored ? SEVERITY_BLOCKS : SEVERITY_NOTE,
			    "capabilities", why, remedy, "%s has file capabilities (setcap)%s",
			    shown, geteuid() ? "" : ", but gains no rights when root starts it");
}

/* True: the runtime of a sanitizer is linked in statically, so some code of the program is not its own. */
static bool check_sanitizer(struct doctor *doctor, struct elf *elf, const char *path)
{
	static const struct {
		const char *library; /* a part of the name of a needed library */
		const char *symbol;
		const char *name;
	} known[] = {
		{"libasan", "__asan_init", "AddressSanitizer"},
		{"libclang_rt.asan", "__asan_init", "AddressSanitizer"},
		{"libtsan", "__tsan_init", "ThreadSanitizer"},
		{"libmsan", "__msan_init", "MemorySanitizer"},
		{"liblsan", "__lsan_init", "LeakSanitizer"},
		{"libubsan", "__ubsan_handle_add_overflow", "UndefinedBehaviorSanitizer"},
	};
	char needed[ELF_NAME];
	struct elf_symbol symbol;
	enum { KNOWN = sizeof known / sizeof *known };
	size_t first = KNOWN;
	bool shared = false;
	for (size_t at = 0; elf_text_next(elf, DT_NEEDED, &at, needed);)
		for (size_t i = 0; i < KNOWN; i++)
			if (strstr(needed, known[i].library)) {
				first = i < first ? i : first;
				shared = true;
			}
	for (size_t at = 0; elf_symbol_next(elf, &at, &symbol);)
		for (size_t i = 0; i < first; i++)
			if (!strcmp(symbol.name, known[i].symbol))
				first = i;
	const char *shown = path_inside(doctor, path);
	if (first == KNOWN)
		return false;
	const char *found = known[first].name;
	if (sanitizer_needs_order(elf))
		doctor_find(
			doctor, SEVERITY_NOTE, "sanitizer",
			"its runtime must be the first library; `varve record` turns this check "
			"off with a variable, because the program has its own default options",
			"nothing with `varve record`; if the library is preloaded without it, or "
			"another program starts this one, set ASAN_OPTIONS=" SANITIZER_ORDER,
			"%s is built with %s (shared runtime)", shown, found);
	else
		doctor_find(doctor, SEVERITY_NOTE, "sanitizer",
			    "Varve works with its runtime; calls that the runtime makes through "
			    "the C library are also recorded",
			    "nothing", "%s is built with %s", shown, found);
	return !shared;
}

static void check_unseen(struct doctor *doctor, const char *path, bool own_code)
{
	struct unseen_known known;
	struct unseen unseen;
	char list[512] = "";
	size_t used = 0;
	unseen_known_make(&known, NULL);
	enum elf_status status = unseen_find(path, &known, &unseen);
	unseen_known_clear(&known);
	if (status != ELF_OK)
		return;
	for (size_t i = 0; i < unseen.symbol_count && i < SHOWN_MOST; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%.30s", i ? ", " : "",
					 unseen.symbols[i].name);
	if (unseen.symbol_count)
		doctor_find(doctor, SEVERITY_LIMITS, "not-covered", unseen.symbols[0].why,
			    "`varve info --format json` of a trace shows the reason for each",
			    "%s imports file functions that are not recorded (%zu): %s%s",
			    path_inside(doctor, path), unseen.symbol_count, list,
			    unseen.symbol_count > SHOWN_MOST ? " ..." : "");
	used = 0;
	list[0] = 0;
	for (size_t i = 0; i < unseen.kernel_count && i < SHOWN_MOST; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : ": ",
					 unseen.kernel[i]);
	if (unseen.go)
		doctor_find(doctor, SEVERITY_LIMITS, "go",
			    "the Go runtime makes system calls directly: reads and writes of Go "
			    "code are not recorded; calls of C code and programs that it starts "
			    "are recorded",
			    "use strace -f for its own I/O, or build it with gccgo, which calls "
			    "the C library",
			    "%s contains the Go runtime", path_inside(doctor, path));
	else if (own_code && (unseen.kernel_count || unseen.kernel_any))
		doctor_find(doctor, SEVERITY_LIMITS, "direct-system-calls",
			    "Varve records calls of the C library; direct system calls are not "
			    "recorded",
			    "compare with strace -f -c to see what is missing",
			    "%s may make direct system calls%s%s", path_inside(doctor, path), list,
			    unseen.kernel_count > SHOWN_MOST ? " ..." : "");
	unseen_clear(&unseen);
}

/* Checks the loader, which the kernel starts for the program. */
static void check_loader(struct doctor *doctor, struct elf *elf, const char *path)
{
	char loader[DOCTOR_PATH];
	const char *shown = path_inside(doctor, path);
	if (!*elf->interpreter) {
		if (executable_is_loader(path))
			return;
		doctor_find(
			doctor, SEVERITY_BLOCKS, "static",
			"the dynamic loader handles LD_PRELOAD, and a static program has no loader",
			elf_has_go(elf) ? "build it with gccgo, which calls the C library; if Go "
					  "links it dynamically (cgo), only its C code and the "
					  "programs that it starts are recorded"
					: "link it dynamically (without -static or -static-pie)",
			"%s is linked statically%s", shown, elf->dynamic ? " (static-pie)" : "");
		return;
	}
	snprintf(loader, sizeof loader, "%s%s", doctor->root, elf->interpreter);
	links_follow(doctor, loader);
	if (access(loader, F_OK))
		doctor_find(doctor, SEVERITY_BLOCKS, "no-loader",
			    "the kernel reports \"not found\" for a program without its loader",
			    "install the C library that it was built for",
			    "%s needs the loader %s, which does not exist", shown,
			    elf->interpreter);
	if (strstr(elf->interpreter, "musl"))
		doctor_find(doctor, SEVERITY_BLOCKS, "libc",
			    "the preload library is built for glibc; another loader refuses it and "
			    "the program",
			    "record a glibc build of the program", "%s uses the C library musl",
			    shown);
	else if (!strstr(elf->interpreter, "/ld-linux"))
		doctor_find(doctor, SEVERITY_LIMITS, "libc",
			    "the preload library is built for glibc and its loader",
			    "try it: `varve record` reports if nothing was recorded",
			    "%s uses an unusual loader, %s", shown, elf->interpreter);
}

static void check_elf(struct doctor *doctor, struct elf *elf, const char *path)
{
	const char *shown = path_inside(doctor, path);
	if (elf->small || !elf->wide) {
		doctor_find(doctor, SEVERITY_BLOCKS, elf->small ? "32-bit" : "machine",
			    "the preload library is for 64-bit programs of this machine; `varve "
			    "record` runs other programs without it",
			    "record a 64-bit build of it", "%s is a %s program", shown,
			    elf->small ? "32-bit" : "big-endian");
		return;
	}
	if (elf->machine != OUR_MACHINE) {
		doctor_find(doctor, SEVERITY_BLOCKS, "machine",
			    "neither the kernel nor the preload library supports it",
			    "record a build for this machine",
			    "%s is a program for another machine (ELF machine %u)", shown,
			    elf->machine);
		return;
	}
	if (elf->type != ET_EXEC && elf->type != ET_DYN)
		doctor_find(doctor, SEVERITY_BLOCKS, "no-program", "the kernel cannot execute it",
			    "link it first", "%s is an ELF file, but not a program", shown);
	check_loader(doctor, elf, path);
	bool runtime = check_sanitizer(doctor, elf, path);
	if (*elf->interpreter)
		check_unseen(doctor, path, !runtime);
}

/* Reads the first line of a script: interpreter and argument. False: it is not a script. */
static bool script_line(const char *path, char line[DOCTOR_PATH / 2], char **argument)
{
	FILE *file = fopen(path, "re");
	bool script =
		file && fgets(line, DOCTOR_PATH / 2, file) && line[0] == '#' && line[1] == '!';
	if (file)
		fclose(file);
	if (!script)
		return false;
	line[strcspn(line, "\n")] = 0;
	char *name = line + 2 + strspn(line + 2, " \t");
	char *end = name + strcspn(name, " \t");
	*argument = end + strspn(end, " \t");
	*end = 0;
	memmove(line, name, strlen(name) + 1);
	return true;
}

/* The program that `env` would start: its first word that is neither an option nor an assignment. */
static const char *env_word(char *argument)
{
	char *rest = NULL;
	for (char *word = strtok_r(argument, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest))
		if (word[0] != '-' && !strchr(word, '='))
			return word;
	return NULL;
}

static void check_image(struct doctor *doctor, char path[DOCTOR_PATH])
{
	for (int depth = 0; depth < INTERPRETERS_MOST; depth++) {
		struct elf elf;
		char line[DOCTOR_PATH / 2], shown[512], *argument = NULL;
		if (!check_file(doctor, path))
			return;
		enum elf_status status = elf_open(path, &elf);
		if (status == ELF_OK) {
			check_rights(doctor, path);
			check_elf(doctor, &elf, path);
			elf_close(&elf);
			return;
		}
		text_add(shown, shown + sizeof shown, path_inside(doctor, path));
		if (status == ELF_UNREADABLE) {
			doctor_find(doctor, SEVERITY_NOTE, "unreadable", "its type is unknown",
				    "try it: `varve record` reports if nothing was recorded",
				    "cannot read %s: %s", shown, strerror(errno));
			return;
		}
		if (status == ELF_BROKEN || !script_line(path, line, &argument)) {
			doctor_find(
				doctor, SEVERITY_BLOCKS, "no-program",
				"the kernel executes ELF files and scripts that begin with #!",
				"begin a script with #!/bin/sh, or build a damaged program again",
				"%s is %s", shown,
				status == ELF_BROKEN ? "a damaged ELF file"
						     : "neither a program nor a script with #!");
			return;
		}
		const char *slash = strrchr(line, '/');
		const char *next =
			!strcmp(slash ? slash + 1 : line, "env") ? env_word(argument) : NULL;
		if (program_find(doctor, next ? next : line, path)) {
			doctor_find(doctor, SEVERITY_BLOCKS, "no-interpreter",
				    "the kernel reports \"not found\" for a script without its "
				    "interpreter",
				    "install it, or correct the first line",
				    "%s needs the interpreter %s, which does not exist", shown,
				    next ? next : line);
			return;
		}
	}
}

/* Inside another root, the library must have the path that is in LD_PRELOAD, and the lanes must be shared. */
static void check_root(struct doctor *doctor)
{
	char path[DOCTOR_PATH * 2];
	if (!*doctor->root || !doctor->library_there)
		return;
	snprintf(path, sizeof path, "%s%s", doctor->root, doctor->library);
	if (access(path, R_OK))
		doctor_find(doctor, SEVERITY_BLOCKS, "library-not-visible",
			    "the loader inside does not find the library, prints a message and "
			    "continues without it",
			    "copy or mount the library at the same path (docker: -v)",
			    "%s does not exist inside %s", doctor->library, doctor->root);
	snprintf(path, sizeof path, "%s/dev/shm", doctor->root);
	if (access(path, W_OK))
		doctor_find(doctor, SEVERITY_BLOCKS, "lanes-not-visible",
			    "programs inside reach the run through its folder in /dev/shm",
			    "mount /dev/shm inside (docker: --ipc=host), or use --lanes with a "
			    "folder that has the same path inside",
			    "/dev/shm is not writable inside %s", doctor->root);
}

void doctor_program(struct doctor *doctor, const char *name)
{
	char path[DOCTOR_PATH];
	check_root(doctor);
	int error = program_find(doctor, name, path);
	if (error == EISDIR || error == EACCES)
		error = strchr(name, '/') ? 0 : error;
	if (error == ENOENT && !*doctor->root && found_here(doctor, name))
		return;
	if (error) {
		cannot_look(doctor, name, error);
		return;
	}
	check_image(doctor, path);
}
