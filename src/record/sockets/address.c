/* Record: addresses of sockets as texts. See address.h. */
#include "record/sockets/address.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/un.h>

static const char *family_name(int family)
{
	switch (family) {
	case AF_UNIX:
		return "unix";
	case AF_INET:
		return "inet";
	case AF_INET6:
		return "inet6";
	case AF_NETLINK:
		return "netlink";
	case AF_PACKET:
		return "packet";
	case AF_ALG:
		return "alg";
	case AF_VSOCK:
		return "vsock";
	default:
		return NULL;
	}
}

static const char *type_name(int type)
{
	static const char *const names[] = {NULL, "stream", "dgram", "raw", "rdm", "seqpacket"};
	return type > 0 && type < (int)(sizeof names / sizeof *names) ? names[type] : NULL;
}

static char *name_add_number(char *at, const char *end, const char *name, const char *otherwise,
			     int number)
{
	if (name)
		return text_add(at, end, name);
	return text_add_number(text_add(at, end, otherwise), end, (uint64_t)(unsigned)number);
}

static char *add_hex(char *at, unsigned value)
{
	bool begun = false;
	for (int shift = 12; shift >= 0; shift -= 4) {
		unsigned digit = value >> shift & 15;
		begun = begun || digit || !shift;
		if (begun)
			*at++ = "0123456789abcdef"[digit];
	}
	return at;
}

/* In the usual notation: the longest row of at least two zeros is omitted. */
static char *add_inet6(char *at, const uint8_t *bytes)
{
	unsigned group[8], best = 8, best_length = 1;
	for (unsigned i = 0; i < 8; i++)
		group[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
	for (unsigned i = 0; i < 8; i++) {
		unsigned length = 0;
		while (i + length < 8 && !group[i + length])
			length++;
		if (length > best_length) {
			best = i;
			best_length = length;
		}
	}
	for (unsigned i = 0; i < 8; i++) {
		if (i == best) {
			*at++ = ':';
			i += best_length - 1;
			if (i == 7)
				*at++ = ':';
			continue;
		}
		if (i)
			*at++ = ':';
		at = add_hex(at, group[i]);
	}
	return at;
}

/* Adds the part after the family; adds nothing if it is unknown or empty. */
static char *add_rest(char *at, const char *end, const struct sockaddr *address, socklen_t length)
{
	const struct sockaddr_un *path = (const void *)address;
	const struct sockaddr_in *inet = (const void *)address;
	const struct sockaddr_in6 *inet6 = (const void *)address;
	if (address->sa_family == AF_UNIX && length > offsetof(struct sockaddr_un, sun_path)) {
		size_t room = length - offsetof(struct sockaddr_un, sun_path);
		room = room < sizeof path->sun_path ? room : sizeof path->sun_path;
		size_t used = path->sun_path[0] ? strnlen(path->sun_path, room) : room;
		memcpy(at, path->sun_path, used);
		if (!path->sun_path[0])
			*at = '@';
		at += used;
	} else if (address->sa_family == AF_INET && length >= sizeof *inet) {
		uint32_t host = ntohl(inet->sin_addr.s_addr);
		for (int shift = 24; shift >= 0; shift -= 8) {
			at = text_add_number(at, end, host >> shift & 255);
			*at++ = shift ? '.' : ':';
		}
		at = text_add_number(at, end, ntohs(inet->sin_port));
	} else if (address->sa_family == AF_INET6 && length >= sizeof *inet6) {
		*at++ = '[';
		at = add_inet6(at, inet6->sin6_addr.s6_addr);
		*at++ = ']';
		*at++ = ':';
		at = text_add_number(at, end, ntohs(inet6->sin6_port));
	}
	return at;
}

size_t address_text(char *text, const struct sockaddr *address, socklen_t length)
{
	const char *end = text + ADDRESS_TEXT;
	if (length < sizeof address->sa_family)
		return 0;
	const char *family = family_name(address->sa_family);
	char *at = name_add_number(text, end, family, "family ", address->sa_family);
	if (family)
		*at++ = ':';
	return (size_t)(add_rest(at, end, address, length) - text);
}

size_t socket_name(char *text, int domain, int type)
{
	const char *end = text + ADDRESS_TEXT;
	int plain = type & 0xf;
	char *at = text_add(text, end, "socket:");
	at = name_add_number(at, end, family_name(domain), "family ", domain);
	at = text_add(at, end, ":");
	return (size_t)(name_add_number(at, end, type_name(plain), "type ", plain) - text);
}

/* The length of "socket:", family and type in a socket's name, without an address; 0: it is not of this form. */
static size_t plain_length(const char *name, size_t length)
{
	unsigned colons = 0;
	for (size_t i = 0; i < length; i++)
		if (name[i] == ':' && ++colons == 3)
			return i;
	return colons == 2 ? length : 0;
}

size_t socket_name_at(char *text, size_t room, const char *name, size_t name_length,
		      const struct sockaddr *address, socklen_t length)
{
	char rest[ADDRESS_TEXT];
	size_t plain = plain_length(name, name_length);
	size_t added = (size_t)(add_rest(rest, rest + sizeof rest, address, length) - rest);
	if (!plain || !added || plain + 1 + added > room)
		return 0;
	memcpy(text, name, plain);
	text[plain] = ':';
	memcpy(text + plain + 1, rest, added);
	return plain + 1 + added;
}
