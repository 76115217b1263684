/* libraries: uring
 * Run by witness/bytes: reads and writes `data` with 300 requests of io_uring, and prints how many bytes were read and written.
 * Without io_uring: status 77.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>

int main(void)
{
	static char block[4096];
	struct io_uring ring;
	struct io_uring_cqe *done;
	long moved[2] = {0, 0};
	int file = open("data", O_RDWR | O_CREAT, 0644);
	if (io_uring_queue_init(8, &ring, 0))
		return 77;
	for (unsigned i = 0; i < 300; i++) {
		struct io_uring_sqe *asked = io_uring_get_sqe(&ring);
		if (i % 3)
			io_uring_prep_write(asked, file, block, 4096, i * 1000);
		else
			io_uring_prep_read(asked, file, block, 3000, i * 500);
		io_uring_submit_and_wait(&ring, 1);
		io_uring_wait_cqe(&ring, &done);
		if (done->res > 0)
			moved[i % 3 != 0] += done->res;
		io_uring_cqe_seen(&ring, done);
	}
	io_uring_queue_exit(&ring);
	printf("%ld %ld\n", moved[0], moved[1]);
	return 0;
}
