/* Record: admits users to the run. See users.h, docs/adr/0076.
 *
 * Each is an entry in the access lists (POSIX) of the lane folder and of the control page. In the folder it may search and make
 * files, not list them. Lanes keep their mode 0600, and the folder is sticky, so that users cannot remove lanes of others. Works
 * with paths alone: no descriptor is needed.
 */
#include "record/process/users.h"

#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "record/lane/lanes.h"
#include "record/ops.h"
#include "record/process/detached.h"

#include <alloca.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>

enum { ACL_VERSION = 2, ACL_OWNER = 1, ACL_USER = 2, ACL_GROUP = 4, ACL_MASK = 16, ACL_OTHER = 32 };
enum { MAY_SEARCH = 1, MAY_WRITE = 2, MAY_READ = 4 };
enum { NOBODY_IN_PARTICULAR = -1, ENTRIES_MOST = USERS_MOST + 4 };

static const char acl_name[] = "system.posix_acl_access";

/* In the kernel's format, and in the byte order of both machines that Varve runs on. */
struct acl {
	uint32_t version;
	struct acl_entry {
		uint16_t tag;
		uint16_t permissions;
		uint32_t user;
	} entries[ENTRIES_MOST];
};

bool user_admitted(const char *path, uint32_t user)
{
	struct acl acl;
	long length = sys6(SYS_lgetxattr, sys_address(path), sys_address(acl_name),
			   sys_address(&acl), sizeof acl, 0, 0);
	for (long i = 0; length > 4 && i < (length - 4) / (long)sizeof *acl.entries; i++)
		if (acl.entries[i].tag == ACL_USER && acl.entries[i].user == user)
			return true;
	return false;
}

static void entry_add(struct acl *acl, unsigned *count, unsigned tag, unsigned permissions,
		      uint32_t user)
{
	acl->entries[(*count)++] = (struct acl_entry){(uint16_t)tag, (uint16_t)permissions, user};
}

/* Gives access to the owner and to the users of the list only. */
static bool list_set(const char *path, unsigned owner, unsigned others, const uint32_t *users)
{
	struct acl acl = {.version = ACL_VERSION};
	unsigned count = 0;
	const uint32_t none = (uint32_t)NOBODY_IN_PARTICULAR;
	entry_add(&acl, &count, ACL_OWNER, owner, none);
	for (unsigned i = 0; i < USERS_MOST && users[i]; i++)
		entry_add(&acl, &count, ACL_USER, others, users[i] - 1);
	entry_add(&acl, &count, ACL_GROUP, 0, none);
	entry_add(&acl, &count, ACL_MASK, others, none);
	entry_add(&acl, &count, ACL_OTHER, 0, none);
	return sys6(SYS_lsetxattr, sys_address(path), sys_address(acl_name), sys_address(&acl),
		    (long)(sizeof acl.version + count * sizeof *acl.entries), 0, 0) == 0;
}

/* Adds the user to the list of the run; entries are only added. False: it is full. */
static bool user_note(uint32_t *users, uint32_t user)
{
	for (unsigned i = 0; i < USERS_MOST; i++) {
		uint32_t here = 0;
		if (__atomic_compare_exchange_n(&users[i], &here, user + 1, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) ||
		    here == user + 1)
			return true;
	}
	return false;
}

static void users_copy(uint32_t copy[USERS_MOST], const uint32_t *users)
{
	for (unsigned i = 0; i < USERS_MOST; i++)
		copy[i] = __atomic_load_n(&users[i], __ATOMIC_ACQUIRE);
}

/* After storing the access lists, checks whether users were added meanwhile, and repeats: the lists that are stored last contain
 * all users. */
static bool lists_set(const char *folder, const char *page, const uint32_t *users)
{
	uint32_t now[USERS_MOST], then[USERS_MOST];
	users_copy(now, users);
	do {
		memcpy(then, now, sizeof then);
		if (!list_set(page, MAY_READ | MAY_WRITE, MAY_READ | MAY_WRITE, now) ||
		    !list_set(folder, MAY_READ | MAY_WRITE | MAY_SEARCH, MAY_WRITE | MAY_SEARCH,
			      now))
			return false;
		users_copy(now, users);
	} while (memcmp(now, then, sizeof now) != 0);
	return true;
}

bool way_open(const char *path)
{
	struct stat found;
	size_t length = strlen(path);
	char *folder = alloca(length + 1);
	memcpy(folder, path, length + 1);
	for (char *slash = strrchr(folder, '/'); slash && slash > folder;
	     slash = strrchr(folder, '/')) {
		*slash = 0;
		if (sys_stat(folder, &found) != 0 || !(found.st_mode & S_IXOTH))
			return false;
	}
	return true;
}

bool may_have(uint32_t capabilities)
{
	enum { CAPABILITY_VERSION = 0x20080522 };
	uint32_t head[2] = {CAPABILITY_VERSION, 0}, sets[6] = {0};
	return sys6(SYS_capget, sys_address(head), sys_address(sets), 0, 0, 0, 0) != 0 ||
	       sets[0] & capabilities;
}

/* Whether the kernel will let the process become that user; otherwise the user is not admitted. */
static bool may_become(uint32_t user)
{
	enum { SET_USER = 1 << 7 };
	uint32_t real = 0, effective = 0, saved = 0;
	sys6(SYS_getresuid, sys_address(&real), sys_address(&effective), sys_address(&saved), 0, 0,
	     0);
	return user == real || user == effective || user == saved || may_have(SET_USER);
}

/* Whether users can be admitted: the user that began the run must be able to read their lanes, which root of the same user
 * namespace can. */
static bool may_admit(const char *page)
{
	struct stat found;
	return sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0) == 0 && sys_stat(page, &found) == 0 &&
	       found.st_uid == 0 && recorder.control->user_namespace &&
	       recorder.control->user_namespace == process_user_namespace();
}

bool user_admit(uint32_t user)
{
	struct stat found;
	size_t size = strlen(recorder.lanes) + sizeof "/" LANES_CONTROL;
	char *page = alloca(size);
	*page = 0;
	text_add(text_add(page, page + size, recorder.lanes), page + size, "/" LANES_CONTROL);
	if (sys_stat(page, &found) != 0)
		return false;
	bool owner = found.st_uid == user;
	bool in = owner || user_admitted(page, user) ||
		  (may_admit(page) && way_open(recorder.lanes) &&
		   user_note(recorder.control->users, user) &&
		   lists_set(recorder.lanes, page, recorder.control->users));
	if (in)
		__atomic_store_n(&recorder.users_in[owner], user + 1, __ATOMIC_RELAXED);
	return in;
}

/* For servers, which change to a user and back for each request. */
static bool is_remembered(uint32_t user)
{
	return __atomic_load_n(&recorder.users_in[0], __ATOMIC_RELAXED) == user + 1 ||
	       __atomic_load_n(&recorder.users_in[1], __ATOMIC_RELAXED) == user + 1;
}

static void reserve_now(void *unused)
{
	(void)unused;
	lanes_reserve();
}

/* Before the process becomes another user, while it still has its rights. */
void before_user(struct thread *self, struct op *op)
{
	(void)self;
	uint32_t user = (uint32_t)op->number;
	if (recorder.quiet || user == (uint32_t)NOBODY_IN_PARTICULAR || is_remembered(user) ||
	    !may_become(user) || user_admit(user))
		return;
	detached_blocking(reserve_now, NULL);
}

/* Whether the call can succeed. A call that enters a new user namespace gets the capability by that. */
static bool root_may_change(const struct op *op)
{
	return (op->number & CLONE_NEWUSER) || may_have(1 << CAP_SYS_CHROOT | 1 << CAP_SYS_ADMIN);
}

/* The same before the process loses access to the run: another root, another namespace. */
void before_root(struct thread *self, struct op *op)
{
	(void)self;
	if (!recorder.quiet && root_may_change(op))
		detached_blocking(reserve_now, NULL);
}
