#!/usr/bin/env python3
"""Words that `varve dump` prints for values: addresses that were not recorded, an exec that succeeded, how processes ended,
times, system calls, options of sockets. The same words in filters."""
import csv
import json
import re

from lib import dump_json, holds, program, run_tests, same, varve


def recorded(*options):
    same(varve("record", *options, "-o", "t.varve", "--", program("worded_calls")).returncode, 0)
    return varve("dump", "t.varve").stdout.decode()


def results(text, function):
    return re.findall(rf"  {function}\((.*)\) = (.*)", text)


def test_addresses():
    text = recorded()
    assert "NULL" not in "".join(line for line in text.splitlines() if "mmap" in line or "munmap" in line), text
    same([result for _, result in results(text, "mmap")], ["ok", "-1 EINVAL"])
    same([found for found, _ in results(text, "munmap")], ["addr=?, length=4096"])
    calls = [call for call in dump_json("t.varve") if call["function"] == "mmap"]
    same([(call["result"], call["args"]["addr"]) for call in calls], [(None, None), (-1, None)])
    same([call["function"] for call in dump_json("t.varve", "--where", "function in mmap,munmap and has result")],
         ["munmap", "mmap"])
    same(dump_json("t.varve", "--where", "has arg.addr"), [])
    rows = [line for line in varve("dump", "-f", "csv", "t.varve").stdout.decode().splitlines() if ",mmap," in line]
    holds(rows[0], 'offset=0",,,0')


def test_addresses_recorded():
    text = recorded("--pointers")
    first, failed = results(text, "mmap")
    assert re.fullmatch("0x[0-9a-f]+", first[1]), first
    holds(first[0], "addr=NULL, ")
    same(failed[1], "-1 EINVAL")
    same(results(text, "munmap")[0][0], f"addr={first[1]}, length=4096")
    call = [call for call in dump_json("t.varve") if call["function"] == "mmap"][0]
    same((call["result"], call["args"]["addr"]), (int(first[1], 16), 0))


def test_exec():
    text = recorded()
    same([result for _, result in results(text, "execl")],
         ["0, now process 5 [vfork child]", "0, now process 6", "-1 ENOENT", "0, now process 7"])
    calls = dump_json("t.varve", "--where", "function == execl")
    same([call.get("image") for call in calls], [5, 6, None, 7])
    same([call.get("unfinished", False) for call in calls], [True, True, False, True])
    programs = {call["process"]: call["pid"] for call in dump_json("t.varve")}
    same(programs[6], programs[1])
    same(programs[7], programs[1])


def test_exec_unknown():
    # A static program is not recorded: the trace does not show that it was started.
    words = [program("worded_calls"), "again", program("status_static")]
    same(varve("record", "-o", "t.varve", "--", *words).returncode, 0)
    same([result for _, result in results(varve("dump", "t.varve").stdout.decode(), "execl")], ["-1 ENOENT", "? unfinished"])
    rows = [line for line in varve("info", "t.varve").stdout.decode().splitlines() if " execl " in line]
    assert len(rows) == 1 and rows[0].endswith("  1 did not return"), rows
    [row] = [row for row in json.loads(varve("info", "-f", "json", "t.varve").stdout)["functions"] if row["function"] == "execl"]
    same((row["calls"], row["unfinished"], row["did_not_return"]), (2, 0, 1))
    [row] = [row for row in csv.DictReader(varve("info", "-f", "csv", "t.varve").stdout.decode().splitlines()) if row["function"] == "execl"]
    same((row["calls"], row["unfinished"], row["did_not_return"]), ("2", "0", "1"))


def test_waits_for_no_child():
    """A wait that returned for no child (WNOHANG) has no status, also in a filter. Results have words, too."""
    same(varve("record", "-o", "t.varve", "--", program("waits_for_none")).returncode, 0)
    text = varve("dump", "t.varve").stdout.decode()
    [(running, _), (killed, _)] = results(text, "waitpid")
    assert "status=" not in running and "info=" not in results(text, "waitid")[0][0], text
    holds(killed, "status=signal SIGTERM")
    same(varve("dump", "--where", 'arg.status == "exit 0" or has arg.info', "--function", "wait*", "t.varve").stdout, b"")
    same(["status" in call["args"] for call in dump_json("t.varve", "--function", "waitpid")], [False, True])
    same([result for _, result in results(text, "pclose")], ["exit 4"])
    flags = [result for found, result in results(text, "fcntl") if "F_GETFL" in found]
    assert flags[0].startswith("O_WRONLY|O_APPEND"), flags


def test_words():
    text = recorded()
    same([found.split("timeout=")[1] for found, _ in results(text, "ppoll")], ["1.5us", "3599.999999999s", "NULL"])
    same([found for found, _ in results(text, "wait")][:2], ["status=exit 7", "status=signal SIGKILL"])
    [(waited, _)] = results(text, "waitid")
    assert re.search(r"info=exit 3 of \d+, ", waited), waited
    same(results(text, "syscall")[0], ("number=lseek", "-1 EBADF"))
    holds(results(text, "socket")[0][0], "protocol=IPPROTO_TCP")
    options = [found for found, _ in results(text, "setsockopt")]
    holds(options[0], "level=SOL_SOCKET, option=SO_REUSEADDR")
    holds(options[1], "level=IPPROTO_TCP, option=TCP_NODELAY")
    assert options[2].endswith("option=SO_RCVTIMEO, value=1.5s, length=16"), options
    assert options[3].endswith("option=TCP_USER_TIMEOUT, value=1.5s, length=4"), options
    same([found.split("timeout=")[1] for found, _ in results(text, "poll")], ["1.5s", "-1", "0ns"])
    assert results(text, "epoll_wait")[0][0].endswith("timeout=2ms"), text
    holds(results(text, "ioctl")[0][0], "request=SIOCGIFINDEX, ")
    commands = [found for found, _ in results(text, "fcntl")]
    holds(commands[0], "cmd=F_SETFD, arg=FD_CLOEXEC")
    assert commands[1].endswith(", arg=O_RDONLY|O_APPEND|O_NONBLOCK"), commands


def test_filters():
    recorded()
    for where, functions in (("arg.number == lseek", ["syscall"]), ("arg.status == 'exit 7'", ["wait"]),
                             ("arg.status == 0x700", ["wait"]), ("arg.status == 'signal SIGKILL'", ["wait"]),
                             ("arg.status == 'signal 9'", ["wait"]), ("arg.timeout == 1.5us", ["ppoll"]),
                             ("arg.timeout == 1500ms", ["poll"]), ("arg.timeout == 1500", ["poll"]),
                             ("arg.timeout > 1.9999s", ["ppoll"]), ("arg.timeout >= 1.4999s", ["ppoll", "poll"]),
                             ("arg.timeout < 0", ["ppoll", "poll"]), ("arg.request == SIOCGIFINDEX", ["ioctl"])):
        where += " and function in syscall,wait,ppoll,poll,ioctl"
        same([call["function"] for call in dump_json("t.varve", "--where", where)], functions, where)


if __name__ == "__main__":
    run_tests(globals())
