/* For tests/cli/test_unseen.py. Usage: aio_unreturned [both]
 *
 * Writes by two asynchronous requests, waits for each with aio_error(), and calls aio_return() for one of them, or for both. */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char bytes[1000];

static void write_and_wait(struct aiocb *request)
{
	aio_write(request);
	while (aio_error(request) == EINPROGRESS)
		;
}

int main(int count, char **words)
{
	(void)words;
	close(open("/dev/null", O_RDONLY));
	struct aiocb a = {.aio_fildes = open("a.dat", O_RDWR | O_CREAT, 0666),
			  .aio_buf = bytes,
			  .aio_nbytes = 1000},
		     b = a;
	write_and_wait(&a);
	write_and_wait(&b);
	if (aio_return(&a) != 1000)
		return 1;
	return count > 1 && aio_return(&b) != 1000;
}
