/* Command line: prints arguments as words. See print_words.h. On the hot path of `dump`: no stdio here.
 *
 * A filter accepts the same words, except those whose meaning depends on another argument of the call.
 */
#include "cli/print/print_words.h"

#include "cli/print/print_values.h"
#include "cli/terminal/output.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct named_value {
	int64_t when; /* value of the other argument, which decides */
	int64_t value;
	const char *name;
};

bool word_absent(const struct varve_kind *kind, uint64_t word)
{
	return word == (uint64_t)INT64_MIN && !strcmp(kind->name, "offset_given");
}

bool pointer_absent(const struct varve_trace *trace, const struct varve_kind *kind, uint64_t word)
{
	static const struct varve_trace *asked;
	static bool recorded;
	if (kind->style != VARVE_STYLE_POINTER || word)
		return false;
	if (asked != trace) {
		const char *value = varve_description(trace, "pointers", 0);
		recorded = value && !strcmp(value, "1");
		asked = trace;
	}
	return !recorded;
}

/* Prints a time without rounding: 1.5s, 20ms, 3us or 100ns. */
static void put_time(int64_t ns)
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	size_t unit = 0;
	if (ns < 0)
		put_char('-');
	while (size < units[unit].unit && units[unit].unit > 1)
		unit++;
	put_unsigned(size / units[unit].unit);
	uint64_t rest = size % units[unit].unit, scale = units[unit].unit / 10;
	if (rest)
		put_char('.');
	for (; rest; rest %= scale, scale /= 10)
		put_char((char)('0' + rest / scale));
	put_text(units[unit].name);
}

static void put_signal(int number)
{
	const char *name = sigabbrev_np(number);
	put_text(name ? "SIG" : "");
	if (name)
		put_text(name);
	else
		put_signed(number);
}

static void put_wait_status(int status)
{
	if (WIFEXITED(status)) {
		put_text("exit ");
		put_signed(WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		put_text("signal ");
		put_signal(WTERMSIG(status));
		put_text(WCOREDUMP(status) ? " with a core dump" : "");
	} else if (WIFSTOPPED(status)) {
		put_text("stopped ");
		put_signal(WSTOPSIG(status));
	} else if (WIFCONTINUED(status)) {
		put_text("continued");
	} else {
		put_base((uint32_t)status, 16, "0x");
	}
}

static void put_waited(uint64_t word)
{
	put_wait_status((int)(uint32_t)word);
	put_text(" of ");
	put_unsigned(word >> 32);
}

/* Gets the value of another argument of the call. */
static bool value_beside(const struct varve_call *call, const char *name, int64_t *value)
{
	struct varve_argument other;
	for (uint32_t i = 0; i < call->function->field_count; i++)
		if (!strcmp(call->function->fields[i].name, name) &&
		    varve_call_argument(call, i, &other)) {
			*value = (int64_t)other.word;
			return true;
		}
	return false;
}

#define SOCKET(name)                                                                               \
	{                                                                                          \
		SOL_SOCKET, name, #name                                                            \
	}
#define TCP(name)                                                                                  \
	{                                                                                          \
		IPPROTO_TCP, name, #name                                                           \
	}
#define IP(name)                                                                                   \
	{                                                                                          \
		IPPROTO_IP, name, #name                                                            \
	}
#define IPV6(name)                                                                                 \
	{                                                                                          \
		IPPROTO_IPV6, name, #name                                                          \
	}
static const struct named_value options[] = {
	SOCKET(SO_DEBUG),
	SOCKET(SO_REUSEADDR),
	SOCKET(SO_TYPE),
	SOCKET(SO_ERROR),
	SOCKET(SO_DONTROUTE),
	SOCKET(SO_BROADCAST),
	SOCKET(SO_SNDBUF),
	SOCKET(SO_RCVBUF),
	SOCKET(SO_SNDBUFFORCE),
	SOCKET(SO_RCVBUFFORCE),
	SOCKET(SO_KEEPALIVE),
	SOCKET(SO_OOBINLINE),
	SOCKET(SO_NO_CHECK),
	SOCKET(SO_PRIORITY),
	SOCKET(SO_LINGER),
	SOCKET(SO_REUSEPORT),
	SOCKET(SO_PASSCRED),
	SOCKET(SO_PEERCRED),
	SOCKET(SO_RCVLOWAT),
	SOCKET(SO_SNDLOWAT),
	SOCKET(SO_RCVTIMEO),
	SOCKET(SO_SNDTIMEO),
	SOCKET(SO_BINDTODEVICE),
	SOCKET(SO_ATTACH_FILTER),
	SOCKET(SO_DETACH_FILTER),
	SOCKET(SO_PEERNAME),
	SOCKET(SO_TIMESTAMP),
	SOCKET(SO_ACCEPTCONN),
	SOCKET(SO_PEERSEC),
	SOCKET(SO_PASSSEC),
	SOCKET(SO_MARK),
	SOCKET(SO_PROTOCOL),
	SOCKET(SO_DOMAIN),
	SOCKET(SO_BUSY_POLL),
	SOCKET(SO_INCOMING_CPU),
	SOCKET(SO_ZEROCOPY),
	TCP(TCP_NODELAY),
	TCP(TCP_MAXSEG),
	TCP(TCP_CORK),
	TCP(TCP_KEEPIDLE),
	TCP(TCP_KEEPINTVL),
	TCP(TCP_KEEPCNT),
	TCP(TCP_SYNCNT),
	TCP(TCP_LINGER2),
	TCP(TCP_DEFER_ACCEPT),
	TCP(TCP_WINDOW_CLAMP),
	TCP(TCP_INFO),
	TCP(TCP_QUICKACK),
	TCP(TCP_CONGESTION),
	TCP(TCP_USER_TIMEOUT),
	TCP(TCP_FASTOPEN),
	TCP(TCP_ULP),
	TCP(TCP_FASTOPEN_CONNECT),
	IP(IP_TOS),
	IP(IP_TTL),
	IP(IP_HDRINCL),
	IP(IP_OPTIONS),
	IP(IP_RECVERR),
	IP(IP_PKTINFO),
	IP(IP_MTU_DISCOVER),
	IP(IP_MTU),
	IP(IP_FREEBIND),
	IP(IP_RECVTTL),
	IP(IP_RECVTOS),
	IP(IP_TRANSPARENT),
	IP(IP_BIND_ADDRESS_NO_PORT),
	IP(IP_MULTICAST_IF),
	IP(IP_MULTICAST_TTL),
	IP(IP_MULTICAST_LOOP),
	IP(IP_ADD_MEMBERSHIP),
	IP(IP_DROP_MEMBERSHIP),
	IPV6(IPV6_V6ONLY),
	IPV6(IPV6_RECVERR),
	IPV6(IPV6_RECVPKTINFO),
	IPV6(IPV6_UNICAST_HOPS),
	IPV6(IPV6_MULTICAST_IF),
	IPV6(IPV6_MULTICAST_HOPS),
	IPV6(IPV6_MULTICAST_LOOP),
	IPV6(IPV6_JOIN_GROUP),
	IPV6(IPV6_LEAVE_GROUP),
	IPV6(IPV6_MTU_DISCOVER),
	IPV6(IPV6_TCLASS),
	IPV6(IPV6_RECVHOPLIMIT),
	IPV6(IPV6_MTU),
};

#define INET(name)                                                                                 \
	{                                                                                          \
		AF_INET, name, #name                                                               \
	}
#define INET6(name)                                                                                \
	{                                                                                          \
		AF_INET6, name, #name                                                              \
	}
#define LINK(name)                                                                                 \
	{                                                                                          \
		AF_NETLINK, name, #name                                                            \
	}
static const struct named_value protocols[] = {
	INET(IPPROTO_ICMP),
	INET(IPPROTO_TCP),
	INET(IPPROTO_UDP),
	INET(IPPROTO_SCTP),
	INET(IPPROTO_UDPLITE),
	INET(IPPROTO_RAW),
	INET(IPPROTO_IGMP),
	INET6(IPPROTO_TCP),
	INET6(IPPROTO_UDP),
	INET6(IPPROTO_SCTP),
	INET6(IPPROTO_UDPLITE),
	INET6(IPPROTO_RAW),
	INET6(IPPROTO_ICMPV6),
	LINK(NETLINK_ROUTE),
	LINK(NETLINK_USERSOCK),
	LINK(NETLINK_SOCK_DIAG),
	LINK(NETLINK_NFLOG),
	LINK(NETLINK_XFRM),
	LINK(NETLINK_SELINUX),
	LINK(NETLINK_AUDIT),
	LINK(NETLINK_CONNECTOR),
	LINK(NETLINK_NETFILTER),
	LINK(NETLINK_KOBJECT_UEVENT),
	LINK(NETLINK_GENERIC),
	LINK(NETLINK_CRYPTO),
};

static const struct named_value descriptor_flags[] = {{F_SETFD, FD_CLOEXEC, "FD_CLOEXEC"}};

/* Options of sockets whose value is a time. */
static const struct {
	int64_t level, option, ns;
	bool whole; /* only if its whole value was recorded, as a number of ns */
} option_times[] = {
	{SOL_SOCKET, SO_RCVTIMEO, 1, true},
	{SOL_SOCKET, SO_SNDTIMEO, 1, true},
	{SOL_SOCKET, SO_BUSY_POLL, 1000, false},
	{IPPROTO_TCP, TCP_KEEPIDLE, 1000000000, false},
	{IPPROTO_TCP, TCP_KEEPINTVL, 1000000000, false},
	{IPPROTO_TCP, TCP_LINGER2, 1000000000, false},
	{IPPROTO_TCP, TCP_DEFER_ACCEPT, 1000000000, false},
	{IPPROTO_TCP, TCP_USER_TIMEOUT, 1000000, false},
};

/* The ns of one unit; 0: the argument is not a time. */
static int64_t unit_of(const struct varve_call *call, const struct varve_argument *argument)
{
	int64_t level, option;
	bool whole = !strncmp(argument->kind->name, "option_value", 12);
	if (strcmp(argument->field->name, "value") != 0 || !value_beside(call, "level", &level) ||
	    !value_beside(call, "option", &option))
		return varve_value_unit(argument->kind);
	for (size_t i = 0; i < sizeof option_times / sizeof *option_times; i++)
		if (option_times[i].level == level && option_times[i].option == option)
			return whole || !option_times[i].whole ? option_times[i].ns : 0;
	return 0;
}

/* Prints a time that is counted in units. A negative value has a special meaning, for example -1 for no limit. */
static bool put_units(const struct varve_call *call, const struct varve_argument *argument)
{
	int64_t value = (int64_t)argument->word, unit = unit_of(call, argument), ns;
	if (!unit || value < 0 || __builtin_mul_overflow(value, unit, &ns))
		return false;
	put_time(ns);
	return true;
}

/* Arguments whose words depend on another argument. */
static const struct beside {
	const char *argument;
	const char *decides;
	const struct named_value *values;
	size_t count;
} besides[] = {
	{"option", "level", options, sizeof options / sizeof *options},
	{"protocol", "domain", protocols, sizeof protocols / sizeof *protocols},
	{"arg", "cmd", descriptor_flags, 1},
};

static bool put_beside(const struct varve_call *call, const struct varve_argument *argument)
{
	int64_t when, value = (int32_t)(uint32_t)argument->word;
	for (size_t i = 0; i < sizeof besides / sizeof *besides; i++) {
		const struct beside *beside = &besides[i];
		if (strcmp(argument->field->name, beside->argument) != 0 ||
		    !value_beside(call, beside->decides, &when))
			continue;
		for (size_t k = 0; k < beside->count; k++)
			if (beside->values[k].when == when && beside->values[k].value == value) {
				put_text(beside->values[k].name);
				return true;
			}
	}
	return false;
}

/* fcntl(F_SETFL) and F_GETFL: the flags of open(). */
static bool put_status_flags(const struct varve_trace *trace, const struct varve_call *call,
			     int64_t wanted, uint64_t word)
{
	int64_t command;
	if (!value_beside(call, "cmd", &command) || command != wanted)
		return false;
	for (size_t i = 0; i < varve_kind_count(trace); i++)
		if (!strcmp(varve_kind_at(trace, i)->name, "open_flags")) {
			put_plain(varve_kind_at(trace, i), word);
			return true;
		}
	return false;
}

bool put_words_of_result(const struct varve_trace *trace, const struct varve_call *call,
			 const struct varve_kind *kind)
{
	if (kind->style != VARVE_STYLE_SIGNED || call->marks & VARVE_FAILED)
		return false;
	if (!strcmp(kind->name, "fcntl_result"))
		return put_status_flags(trace, call, F_GETFL, (uint64_t)call->result);
	struct varve_argument command;
	if (strcmp(kind->name, "status_result") != 0)
		return false;
	/* system(NULL) returns whether there is a shell. */
	if (!strcmp(call->function->name, "system") && varve_call_argument(call, 0, &command) &&
	    !command.text.bytes)
		return false;
	put_wait_status((int)call->result);
	return true;
}

static bool put_number_words(const struct varve_trace *trace, const struct varve_call *call,
			     const struct varve_argument *argument)
{
	const char *name = varve_value_name(argument->kind, argument->word);
	if (name)
		put_text(name);
	return name || put_beside(call, argument) || put_units(call, argument) ||
	       (!strcmp(argument->kind->name, "fcntl_arg") &&
		put_status_flags(trace, call, F_SETFL, argument->word));
}

/* Prints a request of ioctl that is not in the tables of the trace. */
static bool put_request(const struct varve_argument *argument)
{
	const char *name = strcmp(argument->kind->name, "ioctl_request")
				   ? NULL
				   : varve_value_name(argument->kind, argument->word);
	if (name)
		put_text(name);
	return name != NULL;
}

bool put_words_of(const struct varve_trace *trace, const struct varve_call *call,
		  const struct varve_argument *argument)
{
	const struct varve_kind *kind = argument->kind;
	if (kind->style == VARVE_STYLE_SIGNED)
		return put_number_words(trace, call, argument);
	if (kind->style == VARVE_STYLE_UNSIGNED)
		return put_units(call, argument);
	if (kind->style == VARVE_STYLE_FLAGS)
		return put_request(argument);
	if (pointer_absent(trace, kind, argument->word))
		put_char('?');
	else if ((kind->style == VARVE_STYLE_TIME && (int64_t)argument->word == -1) ||
		 word_absent(kind, argument->word))
		put_text("NULL");
	else if (kind->style == VARVE_STYLE_TIME)
		put_time((int64_t)argument->word);
	else if (!strcmp(kind->name, "wait_status"))
		put_wait_status((int)(uint32_t)argument->word);
	else if (!strcmp(kind->name, "waited"))
		put_waited(argument->word);
	else
		return false;
	return true;
}
