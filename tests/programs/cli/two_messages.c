/* For tests/cli/test_moved.py. Sends two messages, of 300 and 100 bytes, with one sendmmsg(), and receives them with one
 * recvmmsg(). */
#define _GNU_SOURCE
#include <sys/socket.h>

int main(void)
{
	int ends[2];
	char bytes[1000] = {0};
	struct iovec parts[2] = {{bytes, 100}, {bytes, 200}}, room = {bytes, sizeof bytes};
	struct mmsghdr sent[2] = {{.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}},
				  {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 1}}};
	struct mmsghdr got[2] = {{.msg_hdr = {.msg_iov = &room, .msg_iovlen = 1}},
				 {.msg_hdr = {.msg_iov = &room, .msg_iovlen = 1}}};
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) || sendmmsg(ends[0], sent, 2, 0) != 2 ||
	       recvmmsg(ends[1], got, 2, 0, 0) != 2;
}
