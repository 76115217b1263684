/* Calls: messages that are sent and received through sockets, also with descriptors. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { OLD = 60 };

static int ends[2];
static char buffer[64];

/* Varve has names for both ends. */
static const char *end_of(int which)
{
	return text("%d <socket:unix:dgram>", ends[which]);
}

/* Sends or receives without any wrapper. */
static void put(const char *content)
{
	raw(SYS_write, ends[0], (long)content, (long)strlen(content), 0);
}

static void say_got(int which)
{
	char got[64] = "";
	raw(SYS_fcntl, ends[which], F_SETFL, O_NONBLOCK, 0);
	long length = raw(SYS_read, ends[which], (long)got, sizeof got - 1, 0);
	say("  got %ld %s", length, got);
	raw(SYS_fcntl, ends[which], F_SETFL, 0, 0);
}

static void sending(const struct variant *variant)
{
	ssize_t (*give)(int, const void *, size_t, int) = use("send", variant);
	TRY(give(ends[0], "hello", 5, MSG_NOSIGNAL | MSG_DONTWAIT));
	line("fd=%s, size=5, flags=MSG_DONTWAIT|MSG_NOSIGNAL", end_of(0));
	say_got(1);
	TRY(give(-1, "hello", 5, 0));
	line("fd=-1, size=5, flags=0");
	TRY(give(ends[0], (void *)8, 5, MSG_OOB));
	line("fd=%s, size=5, flags=MSG_OOB", end_of(0));
}

static void sending_to(const struct variant *variant)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "receiver"};
	socklen_t length = sizeof address;
	long receiver = raw(SYS_socket, AF_UNIX, SOCK_DGRAM, 0, 0);
	char got[8] = "";
	raw(SYS_bind, receiver, (long)&address, length, 0);
	ssize_t (*give)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) =
		use("sendto", variant);
	TRY(give(ends[0], "word", 4, 0, NULL, 0));
	line("fd=%s, size=4, flags=0, address=NULL, length=0", end_of(0));
	say_got(1);
	long sender = raw(SYS_socket, AF_UNIX, SOCK_DGRAM, 0, 0);
	TRY(give((int)sender, "word", 4, MSG_EOR, (void *)&address, length));
	line("fd=%s, size=4, flags=MSG_EOR, address=\"unix:receiver\", length=%d", fd((int)sender),
	     (int)length);
	say("  %ld %s", raw(SYS_read, receiver, (long)got, 4, 0), got);
	TRY(give((int)sender, "word", 4, 0, (void *)8, length));
	line("fd=%s, size=4, flags=0, address=NULL, length=%d", fd((int)sender), (int)length);
	strcpy(address.sun_path, "missing");
	TRY(give((int)sender, "word", 4, 0, (void *)&address, length));
	line("fd=%s, size=4, flags=0, address=\"unix:missing\", length=%d", fd((int)sender),
	     (int)length);
	close_fd(sender);
	raw(SYS_close, receiver, 0, 0, 0);
	remove_name("receiver");
}

static void receiving(const struct variant *variant)
{
	bool checked = !strcmp(variant->symbol, "__recv_chk");
	ssize_t (*take)(int, void *, size_t, int) = use("recv", variant);
	ssize_t (*take_checked)(int, void *, size_t, size_t, int) = use("recv", variant);
	put("hello");
	TRY(checked ? take_checked(ends[1], buffer, 40, sizeof buffer, MSG_PEEK)
		    : take(ends[1], buffer, 40, MSG_PEEK));
	line("fd=%s, size=40, flags=MSG_PEEK", end_of(1));
	say("  %.5s", buffer);
	say_got(1);
	TRY(checked ? take_checked(ends[1], buffer, 4, sizeof buffer, MSG_DONTWAIT)
		    : take(ends[1], buffer, 4, MSG_DONTWAIT));
	line("fd=%s, size=4, flags=MSG_DONTWAIT", end_of(1));
	TRY(checked ? take_checked(-1, buffer, 4, sizeof buffer, 0) : take(-1, buffer, 4, 0));
	line("fd=-1, size=4, flags=0");
}

static void receiving_from(const struct variant *variant)
{
	bool checked = !strcmp(variant->symbol, "__recvfrom_chk");
	struct sockaddr_un from = {0}, mine = {.sun_family = AF_UNIX, .sun_path = "giver"};
	socklen_t length = sizeof from;
	long giver = raw(SYS_socket, AF_UNIX, SOCK_DGRAM, 0, 0);
	raw(SYS_bind, giver, (long)&mine, sizeof mine.sun_family + 6, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "taker"};
	long taker = raw(SYS_socket, AF_UNIX, SOCK_DGRAM, 0, 0);
	raw(SYS_bind, taker, (long)&address, sizeof address, 0);
	raw(SYS_connect, giver, (long)&address, sizeof address, 0);
	ssize_t (*take)(int, void *, size_t, int, struct sockaddr *, socklen_t *) =
		use("recvfrom", variant);
	ssize_t (*take_checked)(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *) =
		use("recvfrom", variant);
	raw(SYS_write, giver, (long)"one", 3, 0);
	TRY(checked ? take_checked((int)taker, buffer, 9, sizeof buffer, 0, (void *)&from, &length)
		    : take((int)taker, buffer, 9, 0, (void *)&from, &length));
	line("fd=%s, size=9, flags=0, address=\"unix:giver\"", fd((int)taker));
	say("  %s %d", from.sun_path, (int)length);
	raw(SYS_write, giver, (long)"two", 3, 0);
	TRY(checked ? take_checked((int)taker, buffer, 9, sizeof buffer, 0, NULL, NULL)
		    : take((int)taker, buffer, 9, 0, NULL, NULL));
	line("fd=%s, size=9, flags=0, address=NULL", fd((int)taker));
	/* The reported length is larger than the buffer: only the written part is recorded. */
	raw(SYS_write, giver, (long)"three", 5, 0);
	length = 2;
	TRY(checked ? take_checked((int)taker, buffer, 9, sizeof buffer, 0, (void *)&from, &length)
		    : take((int)taker, buffer, 9, 0, (void *)&from, &length));
	line("fd=%s, size=9, flags=0, address=\"unix:\"", fd((int)taker));
	say("  %d", (int)length);
	TRY(checked ? take_checked((int)taker, buffer, 9, sizeof buffer, MSG_DONTWAIT, NULL, NULL)
		    : take((int)taker, buffer, 9, MSG_DONTWAIT, NULL, NULL));
	line("fd=%s, size=9, flags=MSG_DONTWAIT", fd((int)taker));
	close_fd(taker);
	raw(SYS_close, giver, 0, 0, 0);
	remove_name("giver");
	remove_name("taker");
}

/* A message of two pieces, with room for descriptors. */
static struct {
	struct iovec pieces[2];
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr head;
} message;

static struct msghdr *message_of(const int *fds, size_t count)
{
	message.pieces[0] = (struct iovec){buffer, 3};
	message.pieces[1] = (struct iovec){buffer + 3, 5};
	message.head = (struct msghdr){.msg_iov = message.pieces, .msg_iovlen = 2};
	if (count) {
		message.head.msg_control = message.control.bytes;
		message.head.msg_controllen = CMSG_SPACE(count * sizeof(int));
		memset(&message.control, 0, sizeof message.control);
		message.control.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof(int)),
							 .cmsg_level = SOL_SOCKET,
							 .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&message.control.align), fds, count * sizeof(int));
	}
	return &message.head;
}

/* A record inside the previous one. */
static void line_passed(int number)
{
	const char *function = call.function, *symbol = call.symbol;
	call.function = "  passed";
	call.symbol = "";
	expect_as("", "fd=%s", fd(number));
	call.function = function;
	call.symbol = symbol;
}

static void sending_message(const struct variant *variant)
{
	int file = open_fd("data", O_RDWR, "O_RDWR");
	ssize_t (*give)(int, const struct msghdr *, int) = use("sendmsg", variant);
	strcpy(buffer, "abcdefgh");
	TRY(give(ends[0], message_of(NULL, 0), 0));
	line("fd=%s, size=8, address=NULL, passed=0, flags=0", end_of(0));
	say_got(1);
	TRY(give(ends[0], message_of((int[]){file, ends[1]}, 2), 0));
	line("fd=%s, size=8, address=NULL, passed=2, flags=0", end_of(0));
	line_passed(file);
	call.function = "  passed";
	call.symbol = "";
	expect_as("", "fd=%s", end_of(1));
	use("sendmsg", variant);
	say_got(1);
	TRY(give(ends[0], message_of((int[]){-1}, 1), 0));
	line("fd=%s, size=8, address=NULL, passed=1, flags=0", end_of(0));
	TRY(give(ends[0], (void *)8, 0));
	line("fd=%s, size=0, address=NULL, passed=0, flags=0", end_of(0));
	message_of(NULL, 0)->msg_iov = (void *)8;
	TRY(give(ends[0], &message.head, 0));
	line("fd=%s, size=0, address=NULL, passed=0, flags=0", end_of(0));
	close_fd(file);
}

/* Received descriptors are named by what they are, not by the earlier meaning of their numbers. */
static void receiving_message(const struct variant *variant)
{
	int none[2] = {-1, -1}, other, stale;
	ssize_t (*take)(int, struct msghdr *, int) = use("recvmsg", variant);
	put("plain");
	TRY(take(ends[1], message_of(none, 2), 0));
	line("fd=%s, size=8, address=NULL, passed=0, flags=0", end_of(1));
	stale = open_fd("data", O_RDONLY, "O_RDONLY");
	other = (int)raw(SYS_open, (long)"other", O_RDWR, 0, 0);
	raw(SYS_sendmsg, ends[0], (long)message_of((int[]){other, other}, 2), 0, 0);
	raw(SYS_close, stale, 0, 0, 0);
	use("recvmsg", variant);
	TRY(take(ends[1], message_of(none, 2), MSG_CMSG_CLOEXEC));
	line("fd=%s, size=8, address=NULL, passed=2, flags=MSG_CMSG_CLOEXEC", end_of(1));
	int *came = (int *)CMSG_DATA(&message.control.align);
	say("  %d %d, close-on-exec %ld", came[0] == stale, came[1],
	    raw(SYS_fcntl, came[0], F_GETFD, 0, 0));
	line_passed(came[0]);
	line_passed(came[1]);
	for (int i = 0; i < 2; i++) {
		int (*sync_it)(int) = use("fsync", &(struct variant)LINKED(fsync));
		TRY(sync_it(came[i]));
		facts("\"absolute\":\"%s\",\"kind\":\"file\"", under("other"));
		line("fd=%d <%s>", came[i], under("other"));
		close_fd(came[i]);
	}
	raw(SYS_close, other, 0, 0, 0);
	use("recvmsg", variant);
	TRY(take(ends[1], message_of(NULL, 0), MSG_DONTWAIT));
	line("fd=%s, size=8, flags=MSG_DONTWAIT", end_of(1));
	TRY(take(ends[1], (void *)8, MSG_DONTWAIT));
	line("fd=%s, size=0, flags=MSG_DONTWAIT", end_of(1));
}

static struct mmsghdr several[2];

static struct mmsghdr *messages_of(const int *fds)
{
	for (int i = 0; i < 2; i++)
		several[i] = (struct mmsghdr){.msg_hdr = *message_of(fds, fds ? 1 : 0)};
	several[0].msg_hdr.msg_iovlen = 1;
	several[0].msg_hdr.msg_control = NULL;
	several[0].msg_hdr.msg_controllen = 0;
	return several;
}

static void line_message(int end, unsigned size, unsigned passed, unsigned moved)
{
	const char *function = call.function, *symbol = call.symbol;
	call.function = "  message";
	call.symbol = "";
	expect_as(text(" = %u", moved), "fd=%s, size=%u, address=NULL, passed=%u, direction=%s",
		  end_of(end), size, passed, end ? "read" : "write");
	call.function = function;
	call.symbol = symbol;
}

static void sending_messages(const struct variant *variant)
{
	int file = open_fd("data", O_RDWR, "O_RDWR");
	int (*give)(int, struct mmsghdr *, unsigned, int) = use("sendmmsg", variant);
	TRY(give(ends[0], messages_of(&file), 2, 0));
	line("fd=%s, messages=11, count=2, flags=0", end_of(0));
	line_message(0, 3, 0, 3);
	line_message(0, 8, 1, 8);
	line_passed(file);
	say_got(1);
	say_got(1);
	TRY(give(-1, messages_of(NULL), 2, 0));
	line("fd=-1, messages=11, count=2, flags=0");
	TRY(give(ends[0], (void *)8, 2, 0));
	line("fd=%s, messages=0, count=2, flags=0", end_of(0));
	close_fd(file);
}

static void receiving_messages(const struct variant *variant)
{
	int none = -1, other = (int)raw(SYS_open, (long)"other", O_RDWR, 0, 0);
	int (*take)(int, struct mmsghdr *, unsigned, int, struct timespec *) =
		use("recvmmsg", variant);
	put("ab");
	raw(SYS_sendmsg, ends[0], (long)message_of(&other, 1), 0, 0);
	raw(SYS_close, other, 0, 0, 0);
	struct timespec wait = {.tv_sec = 1, .tv_nsec = 5};
	TRY(take(ends[1], messages_of(&none), 2, 0, &wait));
	line("fd=%s, messages=11, count=2, flags=0, timeout=1000000005", end_of(1));
	line_message(1, 3, 0, 2);
	line_message(1, 8, 1, 8);
	int came = *(int *)CMSG_DATA(&message.control.align);
	line_passed(came);
	close_fd(came);
	TRY(take(ends[1], messages_of(NULL), 2, MSG_DONTWAIT, NULL));
	line("fd=%s, messages=11, count=2, flags=MSG_DONTWAIT, timeout=-1", end_of(1));
	TRY(take(-1, messages_of(NULL), 2, 0, NULL));
	line("fd=-1, messages=11, count=2, flags=0, timeout=-1");
}

int main(void)
{
	put_file("data", "0123456789abcdef");
	put_file("other", "fedcba");
	int (*make)(int, int, int, int *) = use("socketpair", &(struct variant)LINKED(socketpair));
	TRY(make(AF_UNIX, SOCK_DGRAM, 0, ends));
	line("domain=AF_UNIX, type=SOCK_DGRAM, protocol=0, first_end=%d, second_end=%d", ends[0],
	     ends[1]);
	RUN(sending, LINKED(send), HIDDEN(__send));
	RUN(sending_to, LINKED(sendto));
	RUN(receiving, LINKED(recv), HIDDEN(__recv_chk));
	RUN(receiving_from, LINKED(recvfrom), HIDDEN(__recvfrom_chk));
	RUN(sending_message, LINKED(sendmsg));
	RUN(receiving_message, LINKED(recvmsg));
	RUN(sending_messages, LINKED(sendmmsg));
	RUN(receiving_messages, LINKED(recvmmsg));
	return 0;
}
