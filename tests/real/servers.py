#!/usr/bin/env python3
"""Servers that start as root and go on as their own user, under load, one worker killed: what is recorded of their data files is
what strace sees in the same run, call for call and byte for byte.

label: long
timeout: 900
"""
import os
import re
import shutil
import signal
import subprocess
import time

from _real import need, run_tests
from cli._harness import same
from faults._faults import LIBRARY, VARVE, Trace

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
READS = {"read", "pread64", "readv", "preadv", "preadv2", "pread"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "pwrite"}
START = re.compile(r"^(\d+) +(\w+)\((\d+)<([^>]*)>")
RESULT = re.compile(r"\) += (-?\d+|\?)")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>")


def side(function):
    return "read" if function in READS else "write" if function in WRITES else None


def add(sums, path, function, moved):
    row = sums.setdefault((path, side(function)), [0, 0])
    row[0] += 1
    row[1] += max(moved, 0)


def seen_by_strace(log, data):
    """Calls and bytes of each data file, and how many calls had no end."""
    sums, waiting, cut = {}, {}, 0
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            began, resumed, ended = START.match(line), RESUMED.match(line), RESULT.search(line)
            if resumed:
                began = waiting.pop(resumed.group(1), None)
            if not began or not side(began.group(2)) or not began.group(4).startswith(data):
                continue
            if line.rstrip().endswith("<unfinished ...>"):
                waiting[began.group(1)] = began
            elif not ended or ended.group(1) == "?":
                cut += 1
            else:
                add(sums, began.group(4).removesuffix(" (deleted)"), began.group(2), int(ended.group(1)))
    return sums, cut + len(waiting)


def seen_by_varve(trace, data):
    """The same of the records of reads and writes by descriptor, and the files that are streams as well, whose system calls are
    the C library's."""
    sums, cut = {}, 0
    streams = {call.get("absolute") for call in trace.calls("--layer", "stdio")}
    for call in trace.calls("--layer", "posix"):
        path = call.get("absolute") or call.get("path") or ""
        if not side(call["function"]) or not path.startswith(data):
            continue
        if call.get("unfinished"):
            cut += 1
        else:
            add(sums, path, call["function"], call["result"])
    return sums, cut, streams


class Server:
    """A server in a folder that every user can enter, with a data folder of its user."""

    def __init__(self, user):
        os.chmod(".", 0o755)
        self.root = os.getcwd()
        self.data = os.path.join(self.root, "data")
        os.mkdir(self.data)
        os.mkdir("bin")
        self.varve, self.library = (shutil.copy(name, "bin") for name in (VARVE, LIBRARY))
        self.user = user
        self.own(self.data)

    def own(self, *names):
        for name in names:
            shutil.chown(name, self.user, None)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, words, ready, load, kill=None):
        trace, log = os.path.join(self.root, "t.varve"), os.path.join(self.root, "strace.log")
        names = ",".join(sorted((READS | WRITES) - {"pread", "pwrite"}))
        with open("out", "wb") as out:
            process = subprocess.Popen(["strace", "-f", "-y", "-s0", "-o", log, "-e", f"trace={names}", "-e", "signal=none",
                                        os.path.abspath(self.varve), "record", "--no-pack", "-o", trace, "--", *words],
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={"PATH": PATH, "LANG": "C.UTF-8"})
        try:
            self.wait(process, ready)
            main = self.server(process.pid, words)
            load()
            if kill:
                os.kill(kill(main), signal.SIGKILL)
                time.sleep(0.5)
                self.wait(process, ready)
                load()
            os.kill(main, signal.SIGTERM)
            process.wait(timeout=120)
        finally:
            if process.poll() is None:
                for pid in descendants(process.pid):
                    os.kill(pid, signal.SIGKILL)
                process.wait()
        return Trace(trace), log

    def wait(self, process, ready):
        until = time.monotonic() + 90
        while ready().returncode:
            assert process.poll() is None and time.monotonic() < until, open("out", "rb").read()[-2000:]
            time.sleep(0.1)

    def server(self, pid, words):
        """The process that the command started, which is the server by now."""
        for candidate in descendants(pid):
            with open(f"/proc/{candidate}/comm", encoding="utf-8") as file:
                name = file.read().strip()
            if name not in ("varve", "strace", "sh"):
                return candidate
        raise AssertionError(words)

    def check(self, trace, log, kills=0, least=10):
        info = trace.info()
        same((info["losses"], info["damage"], info["untraced"]), ([], [], []))
        (theirs, their_cut), (ours, our_cut, streams) = seen_by_strace(log, self.data), seen_by_varve(trace, self.data)
        theirs = {key: row for key, row in theirs.items() if key[0] not in streams}
        ours = {key: row for key, row in ours.items() if key[0] not in streams}
        calls = sum(row[0] for row in theirs.values())
        assert calls >= least, theirs
        apart = {key: (ours.get(key), theirs.get(key)) for key in {*ours, *theirs} if ours.get(key) != theirs.get(key)}
        print(f"# {len(theirs)} files and ways, {calls} calls, {sum(row[1] for row in theirs.values())} bytes, "
              f"{their_cut} and {our_cut} cut off, {len(streams)} streams", flush=True)
        missing = sum(abs((mine or [0])[0] - (other or [0])[0]) for mine, other in apart.values())
        assert missing <= (kills if their_cut + our_cut else 0), apart
        assert all(key[0] for key in apart) and (kills or not apart), apart


def descendants(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found += [int(name), *descendants(int(name))]
    return found


def workers(main):
    return descendants(main)[0]


def user_of(name):
    """Where the package that makes the user is not installed, another one that is not root."""
    return name if quiet("id", name).returncode == 0 else "nobody"


def quiet(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90,
                          env={"PATH": PATH, "LANG": "C.UTF-8"})


def done(*words):
    result = quiet(*words)
    same(result.returncode, 0, result.stdout[-2000:])


def test_apache():
    need("strace", "apache2", "ab", "curl")
    server = Server("www-data")
    modules = "/usr/lib/apache2/modules"
    os.mkdir("data/www")
    with open("data/www/page", "wb") as file:
        file.write(bytes(100000))
    conf = server.write("apache.conf", f"""
ServerRoot {server.root}
ServerName localhost
Listen 127.0.0.1:18080
PidFile {server.root}/pid
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
User www-data
Group www-data
StartServers 2
MinSpareThreads 1
MaxSpareThreads 200
ThreadsPerChild 25
EnableMMAP Off
EnableSendfile Off
DocumentRoot {server.root}/data/www
ErrorLog {server.root}/error.log
LogFormat "%h %r %>s %b" common
CustomLog {server.root}/data/access.log common
<Directory {server.root}/data/www>
Require all granted
</Directory>
""")
    trace, log = server.run(["apache2", "-DFOREGROUND", "-f", conf],
                            lambda: quiet("curl", "-fs", "-o", "/dev/null", "http://127.0.0.1:18080/page"),
                            lambda: done("ab", "-q", "-n", "400", "-c", "8", "http://127.0.0.1:18080/page"), workers)
    server.check(trace, log, kills=25, least=800)


def test_nginx():
    need("strace", "nginx", "ab", "curl")
    server = Server("www-data")
    with open("data/page", "wb") as file:
        file.write(bytes(100000))
    conf = server.write("nginx.conf", f"""
user www-data;
worker_processes 2;
daemon off;
pid {server.root}/pid;
error_log {server.root}/error.log;
events {{ }}
http {{
	access_log {server.root}/data/access.log;
	sendfile off;
	aio threads;
	server {{ listen 127.0.0.1:18081; root {server.root}/data; }}
}}
""")
    trace, log = server.run(["nginx", "-c", conf, "-e", f"{server.root}/error.log"],
                            lambda: quiet("curl", "-fs", "-o", "/dev/null", "http://127.0.0.1:18081/page"),
                            lambda: done("ab", "-q", "-n", "400", "-c", "8", "http://127.0.0.1:18081/page"), workers)
    server.check(trace, log, kills=8, least=800)


def test_redis():
    need("strace", "redis-server", "redis-benchmark")
    server = Server(user_of("redis"))
    port = ["-p", "18082"]
    trace, log = server.run(["setpriv", "--reuid", server.user, "--clear-groups", "redis-server", "--port", "18082",
                             "--bind", "127.0.0.1", "--dir", server.data, "--appendonly", "yes", "--save", ""],
                            lambda: quiet("redis-cli", *port, "ping"),
                            lambda: done("redis-benchmark", *port, "-q", "-n", "1000", "-c", "4", "-t", "set,lpush"))
    server.check(trace, log, least=100)


def test_postgres():
    programs = "/usr/lib/postgresql/15/bin"
    need("strace", f"{programs}/initdb", f"{programs}/pgbench")
    server = Server("postgres")
    become = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    os.rmdir("data")
    os.mkdir("data", 0o700)
    server.own("data", ".")
    done(*become, f"{programs}/initdb", "-A", "trust", "-N", "-D", server.data)
    reach = ["-h", server.root, "-p", "18083", "-U", "postgres"]
    trace, log = server.run([*become, f"{programs}/postgres", "-D", server.data, "-p", "18083", "-k", server.root,
                             "-c", "listen_addresses="],
                            lambda: quiet(f"{programs}/pg_isready", *reach),
                            lambda: (done(f"{programs}/pgbench", *reach, "-i", "-q", "postgres"),
                                     done(f"{programs}/pgbench", *reach, "-c", "4", "-t", "50", "postgres")))
    server.check(trace, log, least=200)


def test_mariadb():
    need("strace", "mariadbd", "mariadb-install-db", "mariadb")
    user = user_of("mysql")
    server = Server(user)
    server.own(".")
    done("mariadb-install-db", "--no-defaults", f"--user={user}", f"--datadir={server.data}",
         "--auth-root-authentication-method=normal", "--skip-test-db")
    client = ["mariadb", "--no-defaults", "-u", "root", f"--socket={server.root}/socket"]
    query = "create or replace table test.t (a int primary key, b varchar(200)) engine=innodb;" + "".join(
        f"insert into test.t values ({i}, repeat('x', 150));" for i in range(200))
    trace, log = server.run(["mariadbd", "--no-defaults", f"--user={user}", f"--datadir={server.data}", "--skip-networking",
                             f"--socket={server.root}/socket", "--innodb-use-native-aio=0", f"--pid-file={server.root}/pid",
                             "--innodb-buffer-pool-size=16M"],
                            lambda: quiet(*client, "-e", "select 1"),
                            lambda: done(*client, "-e", "create database if not exists test;" + query))
    server.check(trace, log, least=200)


run_tests(globals())
