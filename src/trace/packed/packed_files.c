/* Trace: maps the file of a packed trace, or its several files, as one range of addresses. See packed.h.
 *
 * The first file contains everything that is needed to open the trace; the others contain only parts. Damage of another
 * file is reported, and only the streams with parts in it are lost. Each file is mapped up to its end or to the length in
 * the first file's list, whichever is less, so that no address in the range is after the end of its file.
 */
#include "base/text.h"
#include "trace/packed/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The alignment of files in the range; it must work on every machine. */
enum { PLACE = 65536 };

static bool is_folder(const char *path)
{
	struct stat stat_buffer;
	return !stat(path, &stat_buffer) && S_ISDIR(stat_buffer.st_mode);
}

bool packed_file_path(const char *path, size_t at, char name[PACKED_PATH])
{
	const char *slash = strrchr(path, '/');
	bool folder = is_folder(path);
	const char *end = name + PACKED_PATH;
	size_t length = folder || !at ? strlen(path) : slash ? (size_t)(slash - path) + 1 : 0;
	if (length + 1 + TRACE_FILE_NAME > PACKED_PATH)
		return false;
	char *to = text_add_bytes(name, end, path, length);
	if (folder)
		to = text_add(to, end, "/");
	if (folder || at)
		trace_file_name(to, end, TRACE_FILE_PACKED, (uint32_t)at);
	return true;
}

/* Whether there is a header of a section in one of the places of the foot: the first places may be damaged. */
static bool looks_packed(int fd, off_t length, int *error)
{
	const off_t size = (off_t)packed_foot_block();
	const off_t places[] = {0, size, length - size};
	struct block_header header;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		ssize_t got = places[i] < 0 ? 0 : pread(fd, &header, sizeof header, places[i]);
		if (got < 0)
			*error = errno;
		if (got == (ssize_t)sizeof header && header.magic == BLOCK_MAGIC &&
		    header.type == BLOCK_PACKED)
			return true;
	}
	return false;
}

/* Opens only regular files: opening a pipe or a device can affect other processes. */
int packed_look(const char *path, bool *is)
{
	char name[PACKED_PATH];
	struct stat found;
	*is = false;
	if (!packed_file_path(path, 0, name))
		return ENAMETOOLONG;
	bool inside = strcmp(name, path) != 0;
	if (stat(name, &found))
		return inside && errno == ENOENT ? 0 : errno;
	if (!S_ISREG(found.st_mode))
		return 0;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno;
	/* in a folder, the name of the file is enough */
	int error = 0;
	*is = inside || looks_packed(fd, found.st_size, &error);
	close(fd);
	return error;
}

bool packed_is(const char *path)
{
	bool is;
	return packed_look(path, &is) == 0 && is;
}

/* Opens a file and returns its length. -1: see errno. */
static int file_open(const struct varve_trace *trace, size_t at, uint64_t *length)
{
	char name[PACKED_PATH];
	struct stat stat;
	int fd = -1;
	errno = ENOENT;
	if (trace->files)
		fd = at < trace->file_count ? fcntl(trace->files[at], F_DUPFD_CLOEXEC, 0) : -1;
	else if (packed_file_path(trace->path, at, name))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	int error = fstat(fd, &stat) ? errno : S_ISREG(stat.st_mode) ? 0 : EINVAL;
	if (error) {
		close(fd);
		errno = error;
		return -1;
	}
	*length = (uint64_t)stat.st_size;
	return fd;
}

enum varve_status packed_map(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	uint64_t length;
	int fd = file_open(trace, 0, &length);
	if (fd < 0)
		return cause(causes, VARVE_SYSTEM, "cannot open %s: %s", trace->path,
			     strerror(errno));
	void *file = length ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	int error = errno;
	close(fd);
	if (file == MAP_FAILED)
		return cause(causes, VARVE_SYSTEM, "cannot map %s: %s", trace->path,
			     strerror(error));
	packed->file = file;
	packed->bytes = packed->size = length;
	packed->extents[0] = (struct packed_extent){
		.length = length, .streams = SIZE_MAX, .name = TRACE_FIRST_PACKED};
	packed->extent_count = 1;
	return VARVE_OK;
}

/* The first file's list entry for another file. */
struct expected {
	uint64_t length;
	/* checksum of the header of its foot; before version 3 of its first block */
	uint64_t check;
	const char *name;
	uint64_t found; /* its current length */
};

static enum varve_status read_list(struct packed *packed, struct expected *expected,
				   struct varve_causes *causes)
{
	const uint8_t *bytes = packed->sections[SECTION_FILES];
	struct input input = {bytes, bytes + packed->lengths[SECTION_FILES], false};
	uint64_t count = input_number(&input);
	size_t streams = packed->place_count;
	if (count < 2 || count > PACKED_FILES_MOST)
		return packed_damaged(causes, "impossible number of files");
	for (size_t i = 0; i < count && !input.bad; i++) {
		uint64_t share = input_number(&input);
		if (share > streams)
			return packed_damaged(causes, "its files have too many streams");
		streams -= share;
		packed->extents[i].streams = share;
		if (!i)
			continue;
		expected[i].length = input_number(&input);
		const uint8_t *check = input_bytes(&input, sizeof expected[i].check);
		if (check)
			memcpy(&expected[i].check, check, sizeof expected[i].check);
	}
	if (input.bad || input.at != input.end || streams)
		return packed_damaged(causes, "the list of its files is truncated");
	packed->extent_count = count;
	return VARVE_OK;
}

/* Checks whether this is the file that was written with the first one. If not, some of its parts may still be good: each
 * part has a checksum. */
static void file_check(struct varve_trace *trace, size_t at, const struct expected *expected)
{
	struct packed *packed = trace->packed;
	struct packed_extent *extent = &packed->extents[at];
	const uint8_t *bytes = packed->file + extent->base;
	const char *name = expected->name;
	struct block_header header = {0};
	struct packed_foot foot;
	bool guarded = packed->foot.version >= PACKED_VERSION_GUARDED;
	bool whole = extent->length >= sizeof header;
	if (guarded)
		whole = packed_foot_find(bytes, extent->length, &header, &foot);
	else if (whole)
		memcpy(&header, bytes, sizeof header);
	uint64_t begin = guarded ? packed_begin() : sizeof header;
	if (whole && memcmp(header.run_id, trace->run_id, sizeof header.run_id))
		trace_report(trace, name, 0, 0, "this file belongs to another run");
	else if (whole ? header.header_check != expected->check : extent->length >= begin)
		trace_report(trace, name, 0, 0,
			     "the file does not belong to this trace, or its beginning is damaged");
	else if (expected->found < expected->length)
		trace_report(trace, name, expected->found, expected->length - expected->found,
			     "the file is truncated");
	else if (expected->found > expected->length) {
		packed->longer++;
		trace_report(trace, name, expected->length, expected->found - expected->length,
			     "unexpected bytes after the end of the file");
	}
	extent->foreign = guarded && whole && header.header_check != expected->check;
	if (guarded && whole && !extent->foreign)
		packed_feet_mend(packed, extent->base, extent->length, header.run_id, &foot);
}

/* Opens another file and reports what is wrong. -1: nothing can be read. */
static int file_look(struct varve_trace *trace, size_t at, struct expected *expected)
{
	struct packed *packed = trace->packed;
	struct packed_extent *extent = &packed->extents[at];
	char *name = arena_get(&packed->memory, TRACE_FILE_NAME, 1);
	uint64_t length;
	if (!name)
		return -1;
	trace_file_name(name, name + TRACE_FILE_NAME, TRACE_FILE_PACKED, (uint32_t)at);
	extent->name = name;
	int fd = file_open(trace, at, &length);
	if (fd < 0) {
		if (errno == ENOENT)
			trace_report(trace, name, 0, expected->length, "the file is missing");
		else
			trace_report(trace, name, 0, expected->length, "cannot open the file: %s",
				     strerror(errno));
		return -1;
	}
	expected->name = name;
	expected->found = length;
	extent->length = length < expected->length ? length : expected->length;
	packed->bytes += length;
	return fd;
}

/* Assigns each extent its place in the range; false: the address space is too small. */
static bool place_all(struct packed *packed)
{
	uint64_t size = 0, end;
	for (size_t i = 0; i < packed->extent_count; i++) {
		struct packed_extent *extent = &packed->extents[i];
		extent->base = size;
		if (__builtin_add_overflow(size, extent->length, &end) || end > SIZE_MAX / 2)
			return false;
		size = (end + PLACE - 1) / PLACE * PLACE;
	}
	packed->size = (size_t)size;
	return true;
}

/* Maps all files one after the other in one range; the first one is moved there. */
static enum varve_status map_all(struct varve_trace *trace, const int *files,
				 struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	void *first = (void *)(uintptr_t)packed->file;
	size_t first_length = packed->size;
	uint8_t *range = MAP_FAILED;
	if (place_all(packed))
		range = mmap(NULL, packed->size, PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range == MAP_FAILED) {
		packed->size = first_length;
		return cause(causes, VARVE_LIMIT, "the files of %s are too large to map",
			     trace->path);
	}
	packed->file = range;
	if (mremap(first, first_length, (size_t)packed->extents[0].length,
		   MREMAP_MAYMOVE | MREMAP_FIXED, range) == MAP_FAILED) {
		munmap(first, first_length);
		return cause(causes, VARVE_SYSTEM, "cannot map %s: %s", trace->path,
			     strerror(errno));
	}
	for (size_t i = 1; i < packed->extent_count; i++) {
		const struct packed_extent *extent = &packed->extents[i];
		if (files[i] >= 0 && extent->length &&
		    mmap(range + extent->base, extent->length, PROT_READ, MAP_PRIVATE | MAP_FIXED,
			 files[i], 0) == MAP_FAILED)
			return cause(causes, VARVE_SYSTEM, "cannot map packed.%zu: %s", i,
				     strerror(errno));
	}
	return VARVE_OK;
}

enum varve_status packed_map_others(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct expected expected[PACKED_FILES_MOST] = {0};
	int files[PACKED_FILES_MOST];
	memset(files, -1, sizeof files);
	if (!packed->sections[SECTION_FILES])
		return VARVE_OK;
	TRY(read_list(packed, expected, causes));
	for (size_t i = 1; i < packed->extent_count; i++)
		files[i] = file_look(trace, i, &expected[i]);
	enum varve_status status = map_all(trace, files, causes);
	for (size_t i = 1; i < packed->extent_count; i++) {
		if (files[i] < 0)
			continue;
		close(files[i]);
		if (status == VARVE_OK)
			file_check(trace, i, &expected[i]);
	}
	return status;
}

uint64_t packed_offset(const struct packed *packed, size_t file, uint64_t offset, uint32_t stored)
{
	const struct packed_extent *extent = &packed->extents[file];
	return offset > extent->length || stored > extent->length - offset ? packed->size
									   : extent->base + offset;
}

uint64_t packed_data_begin(const struct packed *packed, size_t file)
{
	return file ? packed_begin() : packed->foot.section[SECTION_DATA].offset;
}

void packed_release(const struct packed *packed, const struct packed_place *place)
{
	uint64_t begin = place->begin - place->begin % PLACE;
	/* Corrected bytes exist only in memory. */
	if (begin < place->end && !packed->mended)
		madvise((void *)(uintptr_t)(packed->file + begin), place->end - begin,
			MADV_DONTNEED);
}
