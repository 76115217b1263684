/* Record: hooks of calls on sockets, and the words of their arguments. See ops.h, words.h, inner.h.
 *
 * The name of a socket is its family and type, then the address that it was bound or connected to. A descriptor that was received
 * in a message is a new one, whatever its number meant before.
 */
#include "record/ops.h"

#include "base/sys.h"
#include "record/inner.h"
#include "record/names/requests.h"
#include "record/sockets/address.h"
#include "record/words.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

enum { VECTOR_MOST = 1024, PASSED_MOST = 253 /* the kernel's limit for one message */ };

/* Copies an address, as far as it fits; false: it cannot be read. */
static bool address_copy(struct thread *self, const void *address, socklen_t length,
			 struct sockaddr_storage *copy, socklen_t *used)
{
	*used = length < sizeof *copy ? length : sizeof *copy;
	if (!address || *used < sizeof copy->ss_family || !memory_readable(self, address, *used))
		return false;
	memset(copy, 0, sizeof *copy);
	memcpy(copy, address, *used);
	return true;
}

uint64_t word_sockaddr(struct thread *self, const void *address, socklen_t length)
{
	struct sockaddr_storage copy;
	char text[ADDRESS_TEXT];
	socklen_t used;
	if (!address_copy(self, address, length, &copy, &used))
		return 0;
	size_t bytes = address_text(text, (const struct sockaddr *)&copy, used);
	return bytes ? name_define(self, text, bytes, VARVE_BASE_NONE, 0, 0) : 0;
}

socklen_t room_for(struct thread *self, const socklen_t *length)
{
	return length && memory_readable(self, length, sizeof *length) ? *length : 0;
}

socklen_t reported_length(struct thread *self, const socklen_t *length, socklen_t room)
{
	socklen_t reported = room_for(self, length);
	return reported < room ? reported : room;
}

uint64_t word_option(struct thread *self, int level, int option, const void *value,
		     socklen_t length)
{
	int32_t number = 0;
	if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO) && value &&
	    length >= sizeof(struct timeval))
		return word_timeval(self, value);
	size_t bytes = length < sizeof number ? length : sizeof number;
	if (value && bytes && memory_readable(self, value, bytes))
		memcpy(&number, value, bytes);
	return (uint64_t)(int64_t)number;
}

uint64_t word_host(struct thread *self, char *const *host)
{
	return host && memory_readable(self, host, sizeof *host) ? word_text(self, *host) : 0;
}

static bool message_readable(struct thread *self, const struct msghdr *message)
{
	return message && memory_readable(self, message, sizeof *message);
}

static uint64_t message_size(struct thread *self, const struct msghdr *message)
{
	if (message->msg_iovlen > VECTOR_MOST)
		return 0;
	return word_vector(self, message->msg_iov, (int)message->msg_iovlen);
}

uint64_t word_message_size(struct thread *self, const struct msghdr *message)
{
	return message_readable(self, message) ? message_size(self, message) : 0;
}

uint64_t word_message_address(struct thread *self, const struct msghdr *message)
{
	if (!message_readable(self, message))
		return 0;
	return word_sockaddr(self, message->msg_name, message->msg_namelen);
}

/* Finds the descriptors in a message's control data, at most PASSED_MOST. */
static unsigned passed_in(struct thread *self, const struct msghdr *message, int *fds)
{
	unsigned count = 0;
	if (!message_readable(self, message) || !message->msg_control ||
	    !memory_readable(self, message->msg_control, message->msg_controllen))
		return 0;
	const char *at = message->msg_control, *end = at + message->msg_controllen;
	while ((size_t)(end - at) >= sizeof(struct cmsghdr)) {
		struct cmsghdr head;
		memcpy(&head, at, sizeof head);
		if (head.cmsg_len < sizeof head || head.cmsg_len > (size_t)(end - at))
			break;
		size_t bytes = head.cmsg_len - sizeof head;
		if (head.cmsg_level == SOL_SOCKET && head.cmsg_type == SCM_RIGHTS)
			for (size_t i = 0; i + sizeof *fds <= bytes && count < PASSED_MOST;
			     i += sizeof *fds)
				memcpy(&fds[count++], at + sizeof head + i, sizeof *fds);
		size_t whole = CMSG_ALIGN(head.cmsg_len);
		if (whole > (size_t)(end - at))
			break;
		at += whole;
	}
	return count;
}

uint64_t word_message_passed(struct thread *self, const struct msghdr *message)
{
	int fds[PASSED_MOST];
	return passed_in(self, message, fds);
}

uint64_t word_messages(struct thread *self, const struct mmsghdr *messages, int count)
{
	uint64_t bytes = 0;
	if (count <= 0 || count > VECTOR_MOST || !messages ||
	    !memory_readable(self, messages, (size_t)count * sizeof *messages))
		return 0;
	for (int i = 0; i < count; i++)
		bytes += message_size(self, &messages[i].msg_hdr);
	return bytes;
}

INNER void inner_passed(int fd)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	uint64_t words[] = {word_fd(self, fd)};
	_Static_assert(WORDS_socket_passed == 1, "a passed descriptor has one word");
	inner_record(self, CALL_socket_passed, words, WORDS_socket_passed, 0);
}

INNER void inner_message(int fd, const struct mmsghdr *message, bool received)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	uint64_t words[] = {word_fd(self, fd), word_message_size(self, &message->msg_hdr),
			    word_message_address(self, &message->msg_hdr),
			    word_message_passed(self, &message->msg_hdr),
			    received ? DIRECTION_READ : DIRECTION_WRITE};
	_Static_assert(WORDS_socket_message == 5, "a message has five words");
	inner_record(self, CALL_socket_message, words, WORDS_socket_message, message->msg_len);
}

/* Records each descriptor that was passed in a message; received ones are new. */
INNER void passed_record(const struct msghdr *message, bool received)
{
	int fds[PASSED_MOST];
	struct thread *self = wrap_enter();
	if (!self)
		return;
	unsigned count = passed_in(self, message, fds);
	for (unsigned i = 0; received && i < count; i++)
		handle_forget_fd(fds[i]);
	busy_release(self);
	for (unsigned i = 0; i < count; i++)
		inner_passed(fds[i]);
}

static void message_done(const struct op *op, bool received)
{
	if (op->result >= 0)
		passed_record(op->items, received);
}

static void messages_done(const struct op *op, bool received)
{
	const struct mmsghdr *messages = op->items;
	for (int64_t i = 0; i < op->result; i++) {
		inner_message(op->fd, &messages[i], received);
		passed_record(&messages[i].msg_hdr, received);
	}
}

void returned_send_message(const struct op *op)
{
	message_done(op, false);
}

void returned_send_messages(const struct op *op)
{
	messages_done(op, false);
}

void returned_receive_message(const struct op *op)
{
	message_done(op, true);
}

void returned_receive_messages(const struct op *op)
{
	messages_done(op, true);
}

void after_socket(struct thread *self, struct op *op)
{
	char name[ADDRESS_TEXT];
	if (op->failed)
		return;
	size_t length = socket_name(name, (int)op->cmd, (int)op->flags);
	op->handle = handle_ask_fd(self, (int)op->result, VARVE_HANDLE_SOCKET, name, length);
}

void after_socket_pair(struct thread *self, struct op *op)
{
	char name[ADDRESS_TEXT];
	size_t length = socket_name(name, (int)op->cmd, (int)op->flags);
	for (int i = 0; i < 2 && !op->failed; i++)
		handle_ask_fd(self, op->fds[i], VARVE_HANDLE_SOCKET, name, length);
}

/* The new socket gets the name of the listening one, with the address of its peer if that is known. */
void after_socket_accept(struct thread *self, struct op *op)
{
	struct sockaddr_storage peer;
	socklen_t length;
	char name[FD_PATH];
	if (op->failed)
		return;
	const struct fd_entry *from = handle_of(op->fd) ? fd_entry(op->fd) : NULL;
	size_t bytes = 0;
	if (from && op->items && op->buf &&
	    address_copy(self, op->items, reported_length(self, op->buf, (socklen_t)op->number),
			 &peer, &length))
		bytes = socket_name_at(name, sizeof name, fd_path_text(op->fd, from),
				       from->path_length, (const struct sockaddr *)&peer, length);
	if (from && !bytes && from->path_length <= sizeof name) {
		bytes = from->path_length;
		memcpy(name, from->path, bytes);
	}
	op->handle = handle_ask_fd(self, (int)op->result, VARVE_HANDLE_SOCKET, name, bytes);
}

/* For sockets that the C library makes: only the kernel's names are known. */
void after_socket_other(struct thread *self, struct op *op)
{
	if (op->failed)
		return;
	op->handle = handle_ask_fd(self, (int)op->result, VARVE_HANDLE_SOCKET, NULL, 0);
	if (op->buf)
		handle_forget_fd(*(const int *)op->buf);
}

static void called_after(struct thread *self, const struct op *op,
			 const struct sockaddr_storage *address, socklen_t length)
{
	char name[FD_PATH];
	const struct fd_entry *entry = handle_of(op->fd) ? fd_entry(op->fd) : NULL;
	if (!entry)
		return;
	size_t bytes = socket_name_at(name, sizeof name, fd_path_text(op->fd, entry),
				      entry->path_length, (const struct sockaddr *)address, length);
	if (bytes)
		handle_rename_fd(self, op->fd, name, bytes);
}

/* If the kernel has chosen the port, it is read from the kernel. */
void after_bind(struct thread *self, struct op *op)
{
	struct sockaddr_storage address;
	socklen_t length;
	if (op->failed || !address_copy(self, op->items, (socklen_t)op->number, &address, &length))
		return;
	const struct sockaddr_in *inet = (const void *)&address;
	bool machine = address.ss_family == AF_INET || address.ss_family == AF_INET6;
	/* Both families have the port at the same offset. */
	if (machine && !inet->sin_port && !recorder.quiet) {
		length = sizeof address;
		if (sys6(SYS_getsockname, op->fd, sys_address(&address), sys_address(&length), 0, 0,
			 0) != 0)
			return;
	}
	called_after(self, op, &address, length);
}

void after_bind_port(struct thread *self, struct op *op)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof address;
	if (!op->failed && !recorder.quiet &&
	    sys6(SYS_getsockname, op->fd, sys_address(&address), sys_address(&length), 0, 0, 0) ==
		    0)
		called_after(self, op, &address, length);
}

/* A nonblocking socket reports that connecting is in progress. */
void after_connect(struct thread *self, struct op *op)
{
	struct sockaddr_storage address;
	socklen_t length;
	bool coming = op->failed && op->error == EINPROGRESS;
	if ((op->failed && !coming) ||
	    !address_copy(self, op->items, (socklen_t)op->number, &address, &length))
		return;
	called_after(self, op, &address, length);
}
