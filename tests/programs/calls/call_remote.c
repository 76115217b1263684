/* Calls: sockets with a port that only root may use, and commands on other machines: this one. See tests/calls/call.h. Without root
 * the ports are refused. */
#include "../../calls/call.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

static long server;
static int port;

/* Answers one command, without any wrapper: four texts, then success. */
static long answering(void)
{
	long child = raw(SYS_fork, 0, 0, 0, 0);
	if (child)
		return child;
	long client = raw(SYS_accept, server, 0, 0, 0);
	char byte = 1;
	for (int texts = 0; texts < 4;)
		if (raw(SYS_read, client, (long)&byte, 1, 0) != 1 || !byte)
			texts++;
	raw(SYS_write, client, (long)"", 1, 0);
	raw(SYS_exit_group, 0, 0, 0, 0);
	return 0;
}

static void open_server(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	server = raw(SYS_socket, AF_INET, SOCK_STREAM, 0, 0);
	raw(SYS_bind, server, (long)&address, length, 0);
	raw(SYS_listen, server, 5, 0, 0);
	raw(SYS_getsockname, server, (long)&address, (long)&length, 0);
	port = address.sin_port;
}

static void binding_port(const struct variant *variant)
{
	int (*bind_it)(int, struct sockaddr_in *) = use("bindresvport", variant);
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	long number = raw(SYS_socket, AF_INET, SOCK_STREAM, 0, 0);
	TRY(bind_it((int)number, &address));
	line("fd=%s", fd((int)number));
	raw(SYS_getsockname, number, (long)&address, (long)&length, 0);
	say("  of root's %d", ntohs(address.sin_port) < 1024);
	address.sin_family = AF_UNIX;
	TRY(bind_it((int)number, &address));
	line("fd=%s", fd((int)number));
	close_fd(number);
}

static void reserving(const struct variant *variant)
{
	bool of_family = !strcmp(variant->symbol, "rresvport_af");
	int (*reserve)(int *) = use("rresvport", variant);
	int (*reserve_of)(int *, sa_family_t) = use("rresvport", variant);
	int wanted = 1023;
	TRY(of_family ? reserve_of(&wanted, AF_INET) : reserve(&wanted));
	facts("\"kind\":\"socket\"");
	line("port=%d", wanted);
	say("  of root's %d", wanted < 1024);
	close_fd(call.result);
	if (of_family) {
		TRY(reserve_of(&wanted, AF_UNIX));
		line("%s", "");
	}
}

static void commanding(const struct variant *variant)
{
	bool of_family = strstr(variant->symbol, "_af");
	char *host = "127.0.0.1";
	long child = answering();
	int (*command)(char **, unsigned short, const char *, const char *, const char *, int *) =
		use("rcmd", variant);
	int (*command_of)(char **, unsigned short, const char *, const char *, const char *, int *,
			  sa_family_t) = use("rcmd", variant);
	TRY(of_family ? command_of(&host, (unsigned short)port, "me", "you", "do it", NULL, AF_INET)
		      : command(&host, (unsigned short)port, "me", "you", "do it", NULL));
	facts("\"kind\":\"socket\"");
	line("host=\"127.0.0.1\", port=%d, user=\"me\", other=\"you\", command=\"do it\"", port);
	raw(SYS_wait4, child, 0, 0, 0);
	close_fd(call.result);
}

static void executing(const struct variant *variant)
{
	bool of_family = strstr(variant->symbol, "_af");
	char *host = "127.0.0.1";
	long child = answering();
	int (*execute)(char **, int, const char *, const char *, const char *, int *) =
		use("rexec", variant);
	int (*execute_of)(char **, int, const char *, const char *, const char *, int *,
			  sa_family_t) = use("rexec", variant);
	TRY(of_family ? execute_of(&host, port, "me", "secret", "do it", NULL, AF_INET)
		      : execute(&host, port, "me", "secret", "do it", NULL));
	facts("\"kind\":\"socket\"");
	line("host=\"127.0.0.1\", port=%d, user=\"me\", command=\"do it\"", port);
	raw(SYS_wait4, child, 0, 0, 0);
	close_fd(call.result);
}

int main(void)
{
	open_server();
	RUN(binding_port, LINKED(bindresvport));
	RUN(executing, LINKED(rexec), LINKED(rexec_af));
	if (raw(SYS_geteuid, 0, 0, 0, 0) != 0)
		return 0;
	RUN(reserving, LINKED(rresvport), LINKED(rresvport_af));
	RUN(commanding, LINKED(rcmd), LINKED(rcmd_af));
	return 0;
}
