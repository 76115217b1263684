/* Compiled by faults/late into a shared library, which is linked with liburing: read_by_ring() reads 5 bytes of a file with one
 * request of io_uring, and returns its result.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

int read_by_ring(const char *path);

int read_by_ring(const char *path)
{
	struct io_uring ring;
	struct io_uring_cqe *completion;
	char buffer[16];
	int fd = open(path, O_RDONLY), result = io_uring_queue_init(4, &ring, 0);
	if (result < 0)
		return result;
	struct io_uring_sqe *request = io_uring_get_sqe(&ring);
	if (!request)
		return -1;
	io_uring_prep_read(request, fd, buffer, 5, 2);
	io_uring_submit(&ring);
	io_uring_wait_cqe(&ring, &completion);
	result = completion->res;
	io_uring_cqe_seen(&ring, completion);
	io_uring_queue_exit(&ring);
	close(fd);
	return result;
}
