/* Record: addresses of sockets as texts, and names of sockets made from them. Uses only memory of the caller. */
#ifndef RECORD_SOCKETS_ADDRESS_H
#define RECORD_SOCKETS_ADDRESS_H

#include <stddef.h>
#include <sys/socket.h>

enum {
	ADDRESS_TEXT = 160, /* the longest text is the path of a Unix socket */
};

/* Makes "unix:/path", "unix:@abstract", "unix:", "inet:127.0.0.1:80", "inet6:[::1]:80" or "family 16"; returns the length. */
size_t address_text(char *text, const struct sockaddr *address, socklen_t length);

/* Makes the name of a new socket, for example "socket:inet:stream"; returns the length. */
size_t socket_name(char *text, int domain, int type);

/* Makes the name of a bound or connected socket: family and type from `name`, then the address. Returns the length; 0 when there is
 * nothing to add, or no room. */
size_t socket_name_at(char *text, size_t room, const char *name, size_t name_length,
		      const struct sockaddr *address, socklen_t length);

#endif
