/* Record: which files the path filter excludes. See path_filter.h. */
#include "record/names/path_filter.h"

#include "base/hash.h"
#include "base/pattern.h"

#include <string.h>

enum { VERDICTS = 4096, PATH_ROOM = NAME_LONGEST };

/* Each entry is a hash with a verdict in its last two bits; 0: free. It is written by one store, so threads need no lock. */
static uint64_t verdicts[VERDICTS];

/* Removes redundant parts of a path: "//", "/./", "/x/../". Returns the new length. */
static size_t path_clean(char *path, size_t length)
{
	size_t kept = 0;
	for (size_t at = 0; at < length;) {
		size_t end = at + 1;
		while (end < length && path[end] != '/')
			end++;
		size_t piece = end - at - 1;
		if (piece == 2 && path[at + 1] == '.' && path[at + 2] == '.') {
			while (kept && path[--kept] != '/')
				;
		} else if (piece && !(piece == 1 && path[at + 1] == '.')) {
			memmove(path + kept, path + at, end - at);
			kept += end - at;
		}
		at = end;
	}
	if (!kept)
		path[kept++] = '/';
	return kept;
}

static enum verdict patterns_ask(char *path, size_t length)
{
	bool include = false, included = false;
	length = path_clean(path, length);
	for (const char *at = recorder.control->choice.patterns; *at; at += strlen(at) + 1) {
		bool fits = pattern_fits_path(at + 1, path, length);
		if (*at == '-' && fits)
			return VERDICT_OUT;
		include |= *at == '+';
		included |= *at == '+' && fits;
	}
	return include && !included ? VERDICT_OUT : VERDICT_IN;
}

/* The verdict for an absolute path; the text may be changed. */
static enum verdict path_verdict(char *path, size_t length)
{
	uint64_t hash = hash_name(path, length, 0);
	uint64_t *place = &verdicts[(hash >> 20) % VERDICTS];
	uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (word && word >> 2 == hash >> 2)
		return (enum verdict)(word & 3);
	enum verdict verdict = patterns_ask(path, length);
	__atomic_store_n(place, (hash & ~3ull) | verdict, __ATOMIC_RELAXED);
	return verdict;
}

/* The path of a descriptor, from the table or the kernel; 0: it has none. */
static size_t fd_path(int fd, char path[PATH_ROOM])
{
	const struct fd_entry *entry = fd_entry(fd);
	size_t length = entry ? entry->path_length : 0;
	if (length > PATH_ROOM)
		length = 0;
	if (length)
		memcpy(path, fd_path_text(fd, entry), length);
	else
		length = handle_ask_path(fd, path, PATH_ROOM);
	static const char gone[] = " (deleted)", memory[] = "/memfd:";
	if (!length || path[0] != '/' ||
	    (length >= sizeof memory && !memcmp(path, memory, sizeof memory - 1)))
		return 0;
	if (length > sizeof gone && !memcmp(path + length - sizeof gone + 1, gone, sizeof gone - 1))
		length -= sizeof gone - 1;
	return length;
}

static enum verdict fd_verdict(struct thread *self, int fd)
{
	if (!handle_meet(self, fd))
		return VERDICT_NONE;
	struct fd_entry *entry = fd_entry(fd);
	if (entry && entry->verdict)
		return (enum verdict)entry->verdict;
	char path[PATH_ROOM];
	size_t length = fd_path(fd, path);
	enum verdict verdict = length ? path_verdict(path, length) : VERDICT_NONE;
	if (entry)
		entry->verdict = (uint8_t)verdict;
	return verdict;
}

static enum verdict name_verdict(struct thread *self, int dirfd, const char *name)
{
	char path[PATH_ROOM];
	size_t length = 0;
	if (!name)
		return VERDICT_NONE;
	long given = text_length(self, name, PATH_ROOM);
	if (given < 0)
		return VERDICT_NONE;
	if (given == 0)
		return dirfd == AT_FDCWD ? VERDICT_NONE : fd_verdict(self, dirfd);
	if (name[0] != '/') {
		if (dirfd == AT_FDCWD)
			folder_copy(path, sizeof path, &length);
		else if (handle_meet(self, dirfd))
			length = fd_path(dirfd, path);
		if (!length || length + (size_t)given + 1 > sizeof path)
			return VERDICT_NONE;
		path[length++] = '/';
	}
	if (length + (size_t)given > sizeof path)
		return VERDICT_NONE;
	memcpy(path + length, name, (size_t)given);
	return path_verdict(path, length + (size_t)given);
}

static enum verdict stream_verdict(struct thread *self, const FILE *stream)
{
	int fd = handle_of_pointer(stream)			 ? handle_pointer_fd(stream)
		 : memory_readable(self, stream, sizeof *stream) ? stream_fd(stream)
								 : -1;
	return fd < 0 ? VERDICT_NONE : fd_verdict(self, fd);
}

static enum verdict about_verdict(struct thread *self, const struct about *about)
{
	switch (about->kind) {
	case ABOUT_FD:
		return fd_verdict(self, about->fd);
	case ABOUT_PATH:
		return name_verdict(self, about->fd, about->pointer);
	case ABOUT_STREAM:
		return about->pointer ? stream_verdict(self, about->pointer) : VERDICT_NONE;
	case ABOUT_DIR:
		break;
	}
	int fd = about->pointer ? handle_pointer_fd(about->pointer) : -1;
	return fd < 0 ? VERDICT_NONE : fd_verdict(self, fd);
}

bool path_filter_excludes(struct thread *self, const struct about *about, unsigned count)
{
	bool out = false;
	for (unsigned i = 0; i < count; i++) {
		enum verdict verdict = about_verdict(self, &about[i]);
		if (verdict == VERDICT_IN)
			return false;
		out |= verdict == VERDICT_OUT;
	}
	return out;
}
