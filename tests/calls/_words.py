"""Replaces numbers in expected lines by the words that `varve dump` prints. The programs print the numbers of the system; the
words are looked up in Python's modules and the list of system calls."""
import os
import re
import socket
import time

SOURCE = os.environ.get("VARVE_SOURCE", "")
RETURNS_ADDRESS = ("mmap", "mremap", "shmat")
POINTERS = re.compile(r"\b(addr|newaddr|buf|start|end|semaphore)=NULL")
MILLISECONDS = ("poll", "epoll_wait", "epoll_pwait")
THREADS = ("thrd_success", "thrd_busy", "thrd_error", "thrd_nomem", "thrd_timedout")
SIGNALS = {9: "SIGKILL", 6: "SIGABRT", 15: "SIGTERM", 17: "SIGCHLD", 19: "SIGSTOP", 10: "SIGUSR1"}
TYPES = {0o10000: "S_IFIFO", 0o20000: "S_IFCHR", 0o40000: "S_IFDIR", 0o100000: "S_IFREG", 0o140000: "S_IFSOCK"}
REGISTERS = {"1": "IORING_UNREGISTER_BUFFERS", "8": "IORING_REGISTER_PROBE"}
STATUS_FLAGS = {0o4000: "O_NONBLOCK", 0o2000: "O_APPEND", 0o100000: "O_LARGEFILE"}
RETURNS_STATUS = ("system", "pclose", "_IO_proc_close")


def named(list_name, number):
    with open(os.path.join(SOURCE, "src", "trace", "names", list_name)) as file:
        found = re.search(rf"\({number}, (\w+)\)", file.read())
    return found[1] if found else str(number)


def duration(number):
    if number == -1:
        return "NULL"
    for unit, name in ((10**9, "s"), (10**6, "ms"), (10**3, "us"), (1, "ns")):
        if number >= unit or unit == 1:
            part = f"{number % unit:0{len(str(unit)) - 1}d}".rstrip("0") if unit > 1 else ""
            return f"{number // unit}{'.' + part if part else ''}{name}"
    return str(number)


def ended(word):
    if word & 0x7f == 0:
        return f"exit {word >> 8 & 0xff}"
    if word & 0xff == 0x7f:
        return f"stopped {SIGNALS.get(word >> 8 & 0xff, word >> 8 & 0xff)}"
    if word == 0xffff:
        return "continued"
    return f"signal {SIGNALS.get(word & 0x7f, word & 0x7f)}" + (" with a core dump" if word & 0x80 else "")


def constant(prefix, number):
    names = sorted(name for name in dir(socket) if name.startswith(prefix) and "J1939" not in name and getattr(socket, name) == number)
    return names[0] if names else str(number)


def flags(number):
    known = [name for bit, name in sorted(STATUS_FLAGS.items()) if number & bit]
    rest = number & ~sum(bit for bit in STATUS_FLAGS if number & bit) & ~3
    return "|".join([("O_RDONLY", "O_WRONLY", "O_RDWR")[number & 3], *known] + ([hex(rest)] if rest else []))


def worded(line):
    function = line.strip().split("(")[0]
    sub = lambda pattern, make: re.sub(pattern, make, line)
    line = POINTERS.sub(r"\1=?", line)
    if function in RETURNS_ADDRESS:
        line = re.sub(r" = NULL$", " = ok", line).replace(" = 0xffffffffffffffff ", " = -1 ")
    if function in MILLISECONDS:
        line = sub(r"\btimeout=(\d+)", lambda m: f"timeout={duration(int(m[1]) * 1000000)}")
    else:
        line = sub(r"\b(timeout|timer)=(-?\d+)", lambda m: f"{m[1]}={duration(int(m[2]))}")
    line = sub(r"\bstatus=0x([0-9a-f]+)", lambda m: "status=" + ended(int(m[1], 16)))
    line = sub(r"\binfo=0x([0-9a-f]+)", lambda m: f"info={ended(int(m[1], 16) & 0xffffffff)} of {int(m[1], 16) >> 32}")
    if function == "syscall":
        line = sub(r"number=(\d+)", lambda m: "number=" + named("syscall_names.def", m[1]))
    if function == "prctl":
        line = sub(r"option=(\d+)", lambda m: "option=" + named("prctl_names.def", m[1]))
    line = re.sub(r"^( *exec.*|fexecve.*) = \? unfinished$", r"\1 = 0, now", line)
    if function == "io_uring_register":
        line = sub(r"opcode=(\d+)", lambda m: "opcode=" + REGISTERS.get(m[1], m[1]))
    if function == "pidfd_send_signal":
        line = sub(r"signal=(\d+)", lambda m: "signal=" + {0: "none", **SIGNALS}[int(m[1])])
    if function == "isfdtype":
        line = sub(r"type=(\d+)", lambda m: "type=" + TYPES.get(int(m[1]), m[1]))
    if function.startswith(("mtx_", "cnd_", "thrd_")):
        line = sub(r" = (\d)$", lambda m: " = " + THREADS[int(m[1])])
    if function == "pthread_barrier_wait":
        line = sub(r" = -1$", lambda m: " = PTHREAD_BARRIER_SERIAL_THREAD")
    line = sub(r"\bclock=(\d+)", lambda m: "clock=" + next(
        (name for name in ("CLOCK_REALTIME", "CLOCK_MONOTONIC") if getattr(time, name) == int(m[1])), m[1]))
    line = sub(r"level=SOL_SOCKET, option=(\d+)", lambda m: "level=SOL_SOCKET, option=" + constant("SO_", int(m[1])))
    line = sub(r"\b(option=SO_(?:RCV|SND)TIMEO, value)=(\d+)", lambda m: f"{m[1]}={duration(int(m[2]))}")
    line = sub(r"level=IPPROTO_TCP, option=(\d+)", lambda m: "level=IPPROTO_TCP, option=" + constant("TCP_", int(m[1])))
    line = sub(r"(domain=AF_NETLINK, .*protocol=)0\b", lambda m: m[1] + "NETLINK_ROUTE")
    line = sub(r"(domain=AF_INET6?, .*protocol=)([1-9]\d*)\b", lambda m: m[1] + constant("IPPROTO_", int(m[2])))
    if function in RETURNS_STATUS and "command=NULL" not in line:
        line = sub(r" = (\d+)$", lambda m: " = " + ended(int(m[1])))
    line = sub(r"(cmd=F_GETFL, .*\) = )(\d+)$", lambda m: m[1] + flags(int(m[2])))
    line = sub(r"cmd=F_SETFD, arg=1\b", lambda m: "cmd=F_SETFD, arg=FD_CLOEXEC")
    return sub(r"cmd=F_SETFL, arg=(\d+)\b", lambda m: "cmd=F_SETFL, arg=" + flags(int(m[1])))
