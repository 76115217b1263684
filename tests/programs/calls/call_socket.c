/* Calls: sockets are made, named, connected, queried and shut down. See tests/calls/call.h. Loopback only. */
#include "../../calls/call.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

/* A descriptor with the name that Varve has for a socket. */
static const char *named(long number, const char *name)
{
	return text("%ld <socket:%s>", number, name);
}

static void close_named(long number, const char *name)
{
	const char *function = call.function, *symbol = call.symbol;
	int (*close_it)(int) = use("close", &(struct variant)LINKED(close));
	TRY(close_it((int)number));
	line("fd=%s", named(number, name));
	call.function = function;
	call.symbol = symbol;
}

static int made(int domain, int type, const char *shown)
{
	const char *function = call.function, *symbol = call.symbol;
	int (*make)(int, int, int) = use("socket", &(struct variant)LINKED(socket));
	int number = (int)TRY(make(domain, type, 0));
	facts("\"kind\":\"socket\",\"identity\":\"seen\"");
	line("%s, protocol=0", shown);
	call.function = function;
	call.symbol = symbol;
	return number;
}

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons((uint16_t)port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int port_of(long number)
{
	struct sockaddr_in address;
	socklen_t length = sizeof address;
	raw(SYS_getsockname, number, (long)&address, (long)&length, 0);
	return ntohs(address.sin_port);
}

static void making(const struct variant *variant)
{
	static const struct {
		int domain, type;
		const char *shown, *name;
	} all[] = {
		{AF_UNIX, SOCK_STREAM, "domain=AF_UNIX, type=SOCK_STREAM", "unix:stream"},
		{AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC,
		 "domain=AF_UNIX, type=SOCK_SEQPACKET|SOCK_CLOEXEC", "unix:seqpacket"},
		{AF_INET, SOCK_DGRAM | SOCK_NONBLOCK,
		 "domain=AF_INET, type=SOCK_DGRAM|SOCK_NONBLOCK", "inet:dgram"},
		{AF_INET6, SOCK_STREAM, "domain=AF_INET6, type=SOCK_STREAM", "inet6:stream"},
		{AF_NETLINK, SOCK_RAW, "domain=AF_NETLINK, type=SOCK_RAW", "netlink:raw"},
	};
	int (*make)(int, int, int) = use("socket", variant);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		long number = TRY(make(all[i].domain, all[i].type, 0));
		facts("\"kind\":\"socket\"");
		line("%s, protocol=0", all[i].shown);
		say("  close-on-exec %ld", raw(SYS_fcntl, number, F_GETFD, 0, 0));
		close_named(number, all[i].name);
	}
	TRY(make(AF_UNIX, 9, 0));
	line("domain=AF_UNIX, type=0x9, protocol=0");
	TRY(make(4711, SOCK_STREAM, 1));
	line("domain=4711, type=SOCK_STREAM, protocol=1");
	TRY(make(AF_INET, SOCK_STREAM, 200));
	line("domain=AF_INET, type=SOCK_STREAM, protocol=200");
}

static void making_pair(const struct variant *variant)
{
	int ends[2] = {-1, -1};
	char got[4] = "";
	int (*make)(int, int, int, int *) = use("socketpair", variant);
	TRY(make(AF_INET, SOCK_STREAM, 0, ends));
	line("domain=AF_INET, type=SOCK_STREAM, protocol=0");
	TRY(make(AF_UNIX, SOCK_DGRAM, 0, (void *)8));
	line("domain=AF_UNIX, type=SOCK_DGRAM, protocol=0");
	TRY(make(AF_UNIX, SOCK_STREAM, 0, ends));
	facts("\"kind\":\"socket\"");
	line("domain=AF_UNIX, type=SOCK_STREAM, protocol=0, first_end=%d, second_end=%d", ends[0],
	     ends[1]);
	raw(SYS_write, ends[1], (long)"abc", 3, 0);
	say("  %ld %s", raw(SYS_read, ends[0], (long)got, 3, 0), got);
	close_named(ends[0], "unix:stream");
	close_named(ends[1], "unix:stream");
}

static void binding(const struct variant *variant)
{
	int (*bind_it)(int, const struct sockaddr *, socklen_t) = use("bind", variant);
	struct sockaddr_un path = {.sun_family = AF_UNIX, .sun_path = "a path"};
	struct sockaddr_in inet = loopback(0);
	struct sockaddr_in6 inet6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int number = made(AF_UNIX, SOCK_STREAM, "domain=AF_UNIX, type=SOCK_STREAM");
	TRY(bind_it(number, (void *)8, sizeof path));
	line("fd=%s, address=NULL, length=%zu", named(number, "unix:stream"), sizeof path);
	TRY(bind_it(-1, (void *)&path, sizeof path));
	line("fd=-1, address=\"unix:a path\", length=%zu", sizeof path);
	TRY(bind_it(number, (void *)&inet, sizeof inet));
	line("fd=%s, address=\"inet:127.0.0.1:0\", length=16", named(number, "unix:stream"));
	TRY(bind_it(number, (void *)&path, sizeof path));
	line("fd=%s, address=\"unix:a path\", length=%zu", named(number, "unix:stream"),
	     sizeof path);
	say_name("a path");
	close_named(number, "unix:stream:a path");
	remove_name("a path");
	/* An abstract name, of exactly this length. */
	number = made(AF_UNIX, SOCK_DGRAM, "domain=AF_UNIX, type=SOCK_DGRAM");
	memcpy(path.sun_path, "\0varve.test", 11);
	TRY(bind_it(number, (void *)&path, (socklen_t)(sizeof path.sun_family + 11)));
	line("fd=%s, address=\"unix:@varve.test\", length=13", named(number, "unix:dgram"));
	close_named(number, "unix:dgram:@varve.test");
	number = made(AF_INET, SOCK_STREAM, "domain=AF_INET, type=SOCK_STREAM");
	TRY(bind_it(number, (void *)&inet, sizeof inet));
	line("fd=%s, address=\"inet:127.0.0.1:0\", length=16", named(number, "inet:stream"));
	close_named(number, text("inet:stream:127.0.0.1:%d", port_of(number)));
	number = made(AF_INET6, SOCK_DGRAM, "domain=AF_INET6, type=SOCK_DGRAM");
	TRY(bind_it(number, (void *)&inet6, sizeof inet6));
	if (call.result == 0) {
		line("fd=%s, address=\"inet6:[::1]:0\", length=28", named(number, "inet6:dgram"));
		close_named(number, text("inet6:dgram:[::1]:%d", port_of(number)));
	} else {
		line("fd=%s, address=\"inet6:[::1]:0\", length=28", named(number, "inet6:dgram"));
		close_named(number, "inet6:dgram");
	}
	inet6.sin6_addr = (struct in6_addr){
		{{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0xab, 0xcd}}};
	inet6.sin6_port = htons(9);
	TRY(bind_it(-1, (void *)&inet6, sizeof inet6));
	line("fd=-1, address=\"inet6:[2001:db8::1:0:0:abcd]:9\", length=28");
	TRY(bind_it(-1, (void *)&(struct sockaddr){.sa_family = 77}, 16));
	line("fd=-1, address=\"family 77\", length=16");
	TRY(bind_it(-1, (void *)&inet, 1));
	line("fd=-1, address=NULL, length=1");
}

/* A listening socket, made without any wrapper; Varve has its name since its bind. */
static int listening(const char **name)
{
	const char *function = call.function, *symbol = call.symbol;
	struct sockaddr_in inet = loopback(0);
	int number = made(AF_INET, SOCK_STREAM, "domain=AF_INET, type=SOCK_STREAM");
	int (*bind_it)(int, const struct sockaddr *, socklen_t) =
		use("bind", &(struct variant){"bind", (void (*)(void))bind});
	TRY(bind_it(number, (void *)&inet, sizeof inet));
	line("fd=%s, address=\"inet:127.0.0.1:0\", length=16", named(number, "inet:stream"));
	raw(SYS_listen, number, 5, 0, 0);
	*name = text("inet:stream:127.0.0.1:%d", port_of(number));
	call.function = function;
	call.symbol = symbol;
	return number;
}

static void connecting(const struct variant *variant)
{
	const char *name;
	int server = listening(&name), port = port_of(server);
	int (*join)(int, const struct sockaddr *, socklen_t) = use("connect", variant);
	struct sockaddr_in inet = loopback(port);
	int client = made(AF_INET, SOCK_STREAM, "domain=AF_INET, type=SOCK_STREAM");
	TRY(join(client, (void *)8, sizeof inet));
	line("fd=%s, address=NULL, length=16", named(client, "inet:stream"));
	TRY(join(client, (void *)&inet, sizeof inet));
	line("fd=%s, address=\"inet:127.0.0.1:%d\", length=16", named(client, "inet:stream"), port);
	TRY(join(client, (void *)&inet, sizeof inet));
	line("fd=%s, address=\"inet:127.0.0.1:%d\", length=16", named(client, name), port);
	close_named(client, name);
	client = made(AF_INET, SOCK_STREAM | SOCK_NONBLOCK,
		      "domain=AF_INET, type=SOCK_STREAM|SOCK_NONBLOCK");
	TRY(join(client, (void *)&inet, sizeof inet));
	line("fd=%s, address=\"inet:127.0.0.1:%d\", length=16", named(client, "inet:stream"), port);
	close_named(client, name);
	TRY(join(-1, (void *)&inet, sizeof inet));
	line("fd=-1, address=\"inet:127.0.0.1:%d\", length=16", port);
	close_named(server, name);
}

static void awaiting(const struct variant *variant)
{
	int (*await)(int, int) = use("listen", variant);
	int number = made(AF_UNIX, SOCK_STREAM, "domain=AF_UNIX, type=SOCK_STREAM");
	TRY(await(number, 5));
	line("fd=%s, backlog=5", named(number, "unix:stream"));
	close_named(number, "unix:stream");
	TRY(await(-1, 0));
	line("fd=-1, backlog=0");
	number = made(AF_INET, SOCK_STREAM, "domain=AF_INET, type=SOCK_STREAM");
	TRY(await(number, 7));
	line("fd=%s, backlog=7", named(number, "inet:stream"));
	close_named(number, "inet:stream");
}

/* A client without any wrapper. */
static long joined(int server)
{
	struct sockaddr_in inet = loopback(port_of(server));
	long client = raw(SYS_socket, AF_INET, SOCK_STREAM, 0, 0);
	raw(SYS_connect, client, (long)&inet, sizeof inet, 0);
	return client;
}

static void accepting(const struct variant *variant)
{
	bool four = !strcmp(variant->symbol, "accept4");
	const char *name, *flags = four ? ", flags=SOCK_CLOEXEC" : "";
	int server = listening(&name);
	int (*take)(int, struct sockaddr *, socklen_t *) = use(variant->symbol, variant);
	int (*take4)(int, struct sockaddr *, socklen_t *, int) = use(variant->symbol, variant);
	struct sockaddr_in peer;
	socklen_t length = sizeof peer;
	long client = joined(server);
	TRY(four ? take4(server, (void *)&peer, &length, SOCK_CLOEXEC)
		 : take(server, (void *)&peer, &length));
	facts("\"kind\":\"socket\"");
	line("fd=%s, address=\"inet:127.0.0.1:%d\"%s", named(server, name), port_of(client), flags);
	say("  %d %d, close-on-exec %ld", ntohs(peer.sin_port) == port_of(client), (int)length,
	    raw(SYS_fcntl, call.result, F_GETFD, 0, 0));
	close_named(call.result, text("inet:stream:127.0.0.1:%d", port_of(client)));
	raw(SYS_close, client, 0, 0, 0);
	/* Without asking for the peer. */
	client = joined(server);
	TRY(four ? take4(server, NULL, NULL, SOCK_CLOEXEC) : take(server, NULL, NULL));
	line("fd=%s, address=NULL%s", named(server, name), flags);
	close_named(call.result, name);
	raw(SYS_close, client, 0, 0, 0);
	raw(SYS_fcntl, server, F_SETFL, O_NONBLOCK, 0);
	TRY(four ? take4(server, NULL, NULL, SOCK_CLOEXEC) : take(server, NULL, NULL));
	line("fd=%s%s", named(server, name), flags);
	TRY(four ? take4(-1, (void *)&peer, &length, SOCK_CLOEXEC)
		 : take(-1, (void *)&peer, &length));
	line("fd=-1%s", flags);
	close_named(server, name);
}

static void shutting(const struct variant *variant)
{
	int (*shut)(int, int) = use("shutdown", variant);
	int number = made(AF_UNIX, SOCK_STREAM, "domain=AF_UNIX, type=SOCK_STREAM");
	static const char *const hows[] = {"SHUT_RD", "SHUT_WR", "SHUT_RDWR"};
	for (int how = 0; how < 3; how++) {
		TRY(shut(number, how));
		line("fd=%s, how=%s", named(number, "unix:stream"), hows[how]);
	}
	TRY(shut(number, 9));
	line("fd=%s, how=9", named(number, "unix:stream"));
	TRY(shut(-1, SHUT_RD));
	line("fd=-1, how=SHUT_RD");
	close_named(number, "unix:stream");
}

static void asking_names(const struct variant *variant)
{
	bool peer = !strcmp(variant->symbol, "getpeername");
	const char *name;
	int server = listening(&name);
	long client = joined(server);
	struct sockaddr_in address;
	socklen_t length = sizeof address;
	int (*ask)(int, struct sockaddr *, socklen_t *) = use(variant->symbol, variant);
	TRY(ask((int)client, (void *)&address, &length));
	line("fd=%s, address=\"inet:127.0.0.1:%d\"", fd((int)client),
	     peer ? port_of(server) : port_of(client));
	say("  %d", (int)length);
	length = 0;
	TRY(ask((int)client, (void *)&address, &length));
	line("fd=%s, address=NULL", fd((int)client));
	say("  %d", (int)length);
	TRY(ask((int)client, (void *)8, &length));
	line("fd=%s%s", fd((int)client), call.result ? "" : ", address=NULL");
	TRY(ask(0, (void *)&address, &length));
	line("fd=%s", fd(0));
	close_fd(client);
	close_named(server, name);
}

static void asking_options(const struct variant *variant)
{
	int value = -1;
	socklen_t length = sizeof value;
	int (*ask)(int, int, int, void *, socklen_t *) = use("getsockopt", variant);
	int number = made(AF_INET, SOCK_STREAM, "domain=AF_INET, type=SOCK_STREAM");
	TRY(ask(number, SOL_SOCKET, SO_TYPE, &value, &length));
	line("fd=%s, level=SOL_SOCKET, option=%d, value=1", named(number, "inet:stream"), SO_TYPE);
	say("  %d %d", value, (int)length);
	TRY(ask(number, IPPROTO_TCP, TCP_NODELAY, &value, &length));
	line("fd=%s, level=IPPROTO_TCP, option=%d, value=0", named(number, "inet:stream"),
	     TCP_NODELAY);
	TRY(ask(number, SOL_SOCKET, 4711, &value, &length));
	line("fd=%s, level=SOL_SOCKET, option=4711", named(number, "inet:stream"));
	TRY(ask(-1, SOL_SOCKET, SO_TYPE, &value, &length));
	line("fd=-1, level=SOL_SOCKET, option=%d", SO_TYPE);
	TRY(ask(number, SOL_SOCKET, SO_TYPE, &value, (void *)8));
	line("fd=%s, level=SOL_SOCKET, option=%d", named(number, "inet:stream"), SO_TYPE);
	close_named(number, "inet:stream");
}

static void setting_options(const struct variant *variant)
{
	int value = 1;
	int (*set)(int, int, int, const void *, socklen_t) = use("setsockopt", variant);
	int number = made(AF_INET, SOCK_STREAM, "domain=AF_INET, type=SOCK_STREAM");
	TRY(set(number, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value));
	line("fd=%s, level=SOL_SOCKET, option=%d, value=1, length=4", named(number, "inet:stream"),
	     SO_REUSEADDR);
	TRY(set(number, SOL_SOCKET, SO_REUSEADDR, (void *)8, sizeof value));
	line("fd=%s, level=SOL_SOCKET, option=%d, value=0, length=4", named(number, "inet:stream"),
	     SO_REUSEADDR);
	TRY(set(number, SOL_SOCKET, SO_REUSEADDR, &value, 1));
	line("fd=%s, level=SOL_SOCKET, option=%d, value=1, length=1", named(number, "inet:stream"),
	     SO_REUSEADDR);
	struct timeval longest = {1, 500000};
	TRY(set(number, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest));
	line("fd=%s, level=SOL_SOCKET, option=%d, value=1500000000, length=16",
	     named(number, "inet:stream"), SO_RCVTIMEO);
	TRY(set(number, SOL_SOCKET, SO_SNDTIMEO, (void *)8, sizeof longest));
	line("fd=%s, level=SOL_SOCKET, option=%d, value=-1, length=16",
	     named(number, "inet:stream"), SO_SNDTIMEO);
	close_named(number, "inet:stream");
}

static void asking_marks(const struct variant *variant)
{
	int (*ask)(int) = use("sockatmark", variant);
	const char *name;
	int server = listening(&name);
	long client = joined(server);
	TRY(ask((int)client));
	line("fd=%s", fd((int)client));
	TRY(ask(-1));
	line("fd=-1");
	close_fd(client);
	close_named(server, name);
}

int main(void)
{
	RUN(making, LINKED(socket));
	RUN(making_pair, LINKED(socketpair));
	RUN(binding, LINKED(bind));
	RUN(connecting, LINKED(connect), HIDDEN(__connect));
	RUN(awaiting, LINKED(listen));
	RUN(accepting, LINKED(accept), LINKED(accept4));
	RUN(shutting, LINKED(shutdown));
	RUN(asking_names, LINKED(getsockname), LINKED(getpeername));
	RUN(asking_options, LINKED(getsockopt));
	RUN(setting_options, LINKED(setsockopt));
	RUN(asking_marks, LINKED(sockatmark));
	return 0;
}
