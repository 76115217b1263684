/* Base: bytes in a temporary file. See spool.h. */
#include "base/host/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For file systems without O_TMPFILE. */
static int open_named(const char *folder)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/.varve-spool-XXXXXX", folder) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int spool_file(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? open_named(folder) : fd;
}

enum varve_status spool_open(struct spool *spool, const char *folder, const char *name,
			     struct varve_causes *causes)
{
	*spool = (struct spool){.fd = spool_file(folder), .name = name};
	if (spool->fd < 0)
		return cause(causes, VARVE_SYSTEM, "cannot create %s: %s", name, strerror(errno));
	spool->buffer = malloc(SPOOL_BUFFER);
	if (!spool->buffer) {
		spool_close(spool);
		return cause(causes, VARVE_NO_MEMORY, "no memory for temporary columns");
	}
	return VARVE_OK;
}

void spool_close(struct spool *spool)
{
	if (spool->buffer || spool->fd > 0)
		close(spool->fd);
	free(spool->buffer);
	*spool = (struct spool){.fd = -1};
}

static enum varve_status write_all(struct spool *spool, const uint8_t *bytes, size_t length,
				   struct varve_causes *causes)
{
	while (length) {
		ssize_t wrote = pwrite(spool->fd, bytes, length, (off_t)spool->written);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return cause(causes, VARVE_SYSTEM, "cannot write %s: %s", spool->name,
				     strerror(wrote < 0 ? errno : ENOSPC));
		bytes += wrote;
		length -= (size_t)wrote;
		spool->written += (uint64_t)wrote;
	}
	return VARVE_OK;
}

static enum varve_status spool_flush(struct spool *spool, struct varve_causes *causes)
{
	size_t held = spool->held;
	spool->held = 0;
	return write_all(spool, spool->buffer, held, causes);
}

enum varve_status spool_put(struct spool *spool, const void *bytes, size_t length, uint64_t *offset,
			    struct varve_causes *causes)
{
	*offset = spool->written + spool->held;
	if (length > SPOOL_BUFFER - spool->held)
		TRY(spool_flush(spool, causes));
	if (length > SPOOL_BUFFER)
		return write_all(spool, bytes, length, causes);
	memcpy(spool->buffer + spool->held, bytes, length);
	spool->held += length;
	return VARVE_OK;
}

enum varve_status spool_get(struct spool *spool, uint64_t offset, void *bytes, size_t length,
			    struct varve_causes *causes)
{
	if (offset + length > spool->written)
		TRY(spool_flush(spool, causes));
	uint8_t *to = bytes;
	while (length) {
		ssize_t got = pread(spool->fd, to, length, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return cause(causes, VARVE_SYSTEM, "cannot read %s: %s", spool->name,
				     strerror(got < 0 ? errno : EIO));
		to += got;
		length -= (size_t)got;
		offset += (uint64_t)got;
	}
	return VARVE_OK;
}
