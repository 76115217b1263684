/* Record: addresses of sockets as texts, and the names of sockets that are made of them. No memory but the caller's. */
#ifndef RECORD_SOCKETS_ADDRESS_H
#define RECORD_SOCKETS_ADDRESS_H

#include <stddef.h>
#include <sys/socket.h>

enum {
	ADDRESS_TEXT = 160, /* the longest: the path of a Unix socket */
};

/* "unix:/path", "unix:@abstract", "unix:", "inet:127.0.0.1:80", "inet6:[::1]:80", "family 16"; its length. */
size_t address_text(char *text, const struct sockaddr *address, socklen_t length);

/* "socket:inet:stream" of a new socket. */
size_t socket_name(char *text, int domain, int type);

/* What a socket is called that has been bound or connected: its family and type from `name`, then the address. Its length; 0
 * when there is nothing to add, or no room. */
size_t socket_name_at(char *text, size_t room, const char *name, size_t name_length,
		      const struct sockaddr *address, socklen_t length);

#endif
