#!/usr/bin/env python3
"""Servers that start as root and continue as their own user, under load, also with a process killed: the records of their data
files are equal to what strace sees in the same run, call for call and byte for byte; requests of io_uring are equal to the
kernel's.

label: long
timeout: 1800

Each load takes VARVE_LOAD_SECONDS (2). strace runs around `varve record`. If a file is also used as a stream, the C library
makes its system calls, and only written bytes are compared: in a process that is killed some are still in its buffer.
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from _real import Missing, need, run_tests
from _rings import Rings
from lib import LIBRARY, VARVE, Trace, same

SECONDS = float(os.environ.get("VARVE_LOAD_SECONDS", "2"))
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Functions and system calls that are counted together; "read" and "write" have bytes.
ALIKE = {
    "read": "read pread pread64 readv preadv preadv64 preadv2 preadv64v2 sendfile sendfile64",
    "write": "write pwrite pwrite64 writev pwritev pwritev64 pwritev2 pwritev64v2",
    "fallocate": "fallocate fallocate64 posix_fallocate posix_fallocate64",
    "fadvise": "fadvise64 posix_fadvise posix_fadvise64",
    "lseek": "lseek lseek64", "truncate": "ftruncate ftruncate64",
    "fsync": "fsync", "fdatasync": "fdatasync", "sync_file_range": "sync_file_range",
}
WAYS = {name: way for way, names in ALIKE.items() for name in names.split()}
# Of two descriptors the second is the file that sendfile() reads.
START = re.compile(r"^(\d+) +(\w+)\((?:\d+<[^>]*>, (?=\d+<))?\d+<([^>]*)>")
REQUEST = re.compile(r"aio_lio_opcode=IOCB_(\w+).*?aio_fildes=\d+<([^>]*)>.*?aio_nbytes=(\d+)")
RESULT = re.compile(r"\) += (-?\d+|\?)")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>")


class Sums:
    """For each file and way: calls, bytes, calls without an end."""

    def __init__(self):
        self.rows = collections.defaultdict(lambda: [0, 0, 0])
        self.pids = set()

    def add(self, path, function, moved):
        """`moved` is None for a call without an end."""
        way = WAYS[function]
        row = self.rows[path, way]
        row[2] += moved is None
        row[0] += moved is not None
        row[1] += max(moved or 0, 0) if way in ("read", "write") else 0

    def request(self, path, opcode, size):
        """For libaio: it has no end of its own."""
        row = self.rows[path, opcode]
        row[0] += 1
        row[1] += size

    def without(self, streams):
        return {key: row for key, row in self.rows.items() if key[0] not in streams}


def seen_by_strace(log, data):
    sums, waiting = Sums(), {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            began, resumed, ended = START.match(line), RESUMED.match(line), RESULT.search(line)
            sums.pids.add(int(line.split(" ", 1)[0]))
            for opcode, path, size in REQUEST.findall(line):
                if path.startswith(data):
                    sums.request(path, "IO_" + opcode, int(size))
            if resumed:
                began = waiting.pop(resumed.group(1), None)
            if not began or began.group(2) not in WAYS or not began.group(3).startswith(data):
                continue
            if line.rstrip().endswith("<unfinished ...>"):
                waiting[began.group(1)] = began
            else:
                moved = None if not ended or ended.group(1) == "?" else int(ended.group(1))
                sums.add(began.group(3).removesuffix(" (deleted)"), began.group(2), moved)
    for began in waiting.values():
        sums.add(began.group(3).removesuffix(" (deleted)"), began.group(2), None)
    return sums


def seen_by_varve(trace, data):
    """Sums of the calls by descriptor, the files that are streams as well, and the records of rings."""
    sums, streams, rings, ends = Sums(), set(), [], collections.Counter()
    with subprocess.Popen([VARVE, "dump", "--format", "json", trace.path], stdout=subprocess.PIPE) as dump:
        for line in dump.stdout:
            call = json.loads(line)
            path = call.get("absolute") or call.get("path") or ""
            if call["function"] in ("ring_request", "ring_event"):
                rings.append(call)
            elif call["function"] == "io_request" and path.startswith(data):
                sums.request(path, call["args"]["opcode"], call["args"]["size"])
            elif call["function"] == "io_event" and path.startswith(data):
                ends[path, "IO_CMD_P" + call["args"]["direction"].upper()] += call["result"]
            elif call["layer"] == "stdio":
                streams.add(path)
            elif call["layer"] == "posix" and call["function"] in WAYS:
                if call["function"] == "sendfile":
                    path = call["second"].get("absolute", "")
                if path.startswith(data):
                    sums.add(path, call["function"], None if call.get("unfinished") else call["result"])
    same(dump.returncode, 0)
    # All requests of libaio are complete, and transferred all of their bytes.
    for key, size in ends.items():
        same(size, sums.rows[key][1], key)
    return sums, streams, rings


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

    def run(self, words, ready, load, amid=None, kill=None):
        """`load(seconds)` returns 0 if all succeeded. `amid(main)` runs in the middle of the load. kill(main) names a process
        that is killed then, and the load continues after that; the server itself is killed at the end."""
        trace, log = os.path.join(self.root, "t.varve"), os.path.join(self.root, "strace.log")
        # Those that have these names in the kernel.
        names = ",".join("?" + name for name in [*sorted(WAYS), "io_submit"])
        self.killed = bool(kill)
        with open("out", "wb") as out, Rings() as self.rings:
            process = subprocess.Popen(["strace", "-f", "-y", "-s0", "-o", log, "-e", f"trace={names}", "-e", "signal=none", "-e", "abbrev=!io_submit",
                                        os.path.abspath(self.varve), "record", "--no-pack", "-o", trace, "--", *words],
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={"PATH": PATH, "LANG": "C.UTF-8"})
            try:
                self.wait(process, ready)
                main = self.server(process.pid, words)
                self.loaded(process, main, ready, load, amid, kill)
                if process.poll() is None and os.path.exists(f"/proc/{main}"):
                    os.kill(main, signal.SIGTERM)
                process.wait(timeout=120)
            finally:
                if process.poll() is None:
                    for pid in descendants(process.pid):
                        os.kill(pid, signal.SIGKILL)
                    process.wait()
        return Trace(trace), log

    def loaded(self, process, main, ready, load, amid, kill):
        began, statuses = time.monotonic(), []
        client = threading.Thread(target=lambda: statuses.append(load(SECONDS)))
        client.start()
        time.sleep(SECONDS / 2)
        if amid:
            amid(main)
        victim = kill(main) if kill else None
        if victim == main:
            time.sleep(max(0, began + SECONDS * 0.9 - time.monotonic()))
        if victim:
            os.kill(victim, signal.SIGKILL)
        client.join()
        if victim and victim != main:
            time.sleep(0.3)
            self.wait(process, ready)
            statuses = [load(max(0.5, began + SECONDS - time.monotonic()))]
        same(victim == main or statuses == [0], True, (statuses, open("out", "rb").read()[-2000:]))

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

    def check(self, trace, log, least=10):
        info = trace.info()
        same((info["losses"], info["damage"], info["untraced"]), ([], [], []))
        first = subprocess.run([VARVE, "info", trace.path], check=True, capture_output=True).stdout.split(b"\n")[0]
        assert first.startswith(b"complete "), first
        strace, (varve, streams, records) = seen_by_strace(log, self.data), seen_by_varve(trace, self.data)
        theirs, ours = strace.without(streams), varve.without(streams)
        calls = sum(row[0] for row in theirs.values())
        ends = [sum(row[2] for row in rows.values()) for rows in (theirs, ours)]
        apart = {key: (ours.get(key), theirs.get(key)) for key in {*ours, *theirs} if ours.get(key) != theirs.get(key)}
        late = sum((theirs.get(key) or [0])[0] - (ours.get(key) or [0])[0] for key in apart)
        print(f"# {len({key[0] for key in theirs})} files, {calls} calls, {sum(row[1] for row in theirs.values())} bytes; without "
              f"an end: strace {ends[0]}, varve {ends[1]}; ended for strace alone: {late}", flush=True)
        assert calls >= least, theirs
        for key in {*ours, *theirs}:
            self.alike(key, ours.get(key, [0, 0, 0]), theirs.get(key, [0, 0, 0]))
        self.check_streams(trace, varve, strace, streams)
        self.rings.check(records, strace.pids, self.killed)

    def alike(self, key, mine, other):
        """Every call that ended for the program ended for strace. A call that a kill interrupted has no end in the trace, and
        may have had one."""
        missing = other[0] - mine[0]
        assert 0 <= missing <= mine[2] and mine[1] <= other[1] and (missing or mine[1] == other[1]), (key, mine, other)

    def check_streams(self, trace, varve, strace, streams):
        """Bytes that were written through streams and directly."""
        rows = json.loads(subprocess.run([VARVE, "info", "--files", "--format", "json", trace.path], check=True,
                                         capture_output=True).stdout)["files"]
        files = {path for path in streams if path.startswith(self.data)}
        written = collections.Counter()
        for row in rows:
            written[os.path.normpath(row["file"])] += row["bytes_written"] if row["layer"] == "stdio" else 0
        for path in files:
            mine, other = written[path] + varve.rows[path, "write"][1], strace.rows[path, "write"][1]
            assert mine >= other if self.killed else mine == other, (path, mine, other)
        print(f"# {len(files)} streams, {sum(written[path] for path in files)} bytes written", flush=True)


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


def worker(main):
    return descendants(main)[0]


def itself(main):
    return main


def user_of(name):
    """If the package that makes the user is not installed, another user than root."""
    return name if quiet("id", name).returncode == 0 else "nobody"


def quiet(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=90 + SECONDS, env={"PATH": PATH, "LANG": "C.UTF-8"})


def done(*words):
    result = quiet(*words)
    same(result.returncode, 0, result.stdout[-2000:])


def requests(*addresses):
    """A load: pages are fetched from each address. A broken connection does not end it."""
    def load(seconds):
        clients = [subprocess.Popen(["ab", "-r", "-q", "-t", str(max(1, round(seconds))), "-n", "100000000", "-c", "4", address],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for address in addresses]
        return max(client.wait() for client in clients)
    return load


def apache(kill=None):
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
    address = "http://127.0.0.1:18080/page"
    trace, log = server.run(["apache2", "-DFOREGROUND", "-f", conf], lambda: quiet("curl", "-fs", "-o", "/dev/null", address),
                            requests(address, address), kill=kill)
    server.check(trace, log, least=800)


def test_apache():
    apache()


def test_apache_killed():
    apache(worker)


def nginx(kill=None):
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
	sendfile on;
	server {{
		listen 127.0.0.1:18081;
		root {server.root}/data;
		location /threads/ {{ alias {server.root}/data/; sendfile off; aio threads; }}
	}}
}}
""")
    address = "http://127.0.0.1:18081/"
    trace, log = server.run(["nginx", "-c", conf, "-e", f"{server.root}/error.log"],
                            lambda: quiet("curl", "-fs", "-o", "/dev/null", address + "page"),
                            requests(address + "page", address + "threads/page"), kill=kill)
    server.check(trace, log, least=800)


def test_nginx():
    nginx()


def test_nginx_killed():
    nginx(worker)


def redis(kill):
    need("strace", "redis-server", "redis-benchmark")
    server = Server(user_of("redis"))
    port = ["-p", "18082"]

    def load(seconds):
        return int(quiet("timeout", str(seconds), "redis-benchmark", *port, "-q", "-l", "-r", "20000", "-d", "100", "-c", "4",
                         "-t", "set,lpush").returncode != 124)

    def saved(main):
        """A child writes the data, another one writes the log again."""
        for word in ("bgsave", "bgrewriteaof"):
            done("redis-cli", *port, word)
            while descendants(main):
                time.sleep(0.05)

    def saving(main):
        """The child, which is slow."""
        done("redis-cli", *port, "config", "set", "rdb-key-save-delay", "10000")
        done("redis-cli", *port, "bgsave")
        done("redis-cli", *port, "config", "set", "rdb-key-save-delay", "0")
        time.sleep(0.5)
        return worker(main)

    trace, log = server.run(["setpriv", "--reuid", server.user, "--clear-groups", "redis-server", "--port", "18082",
                             "--bind", "127.0.0.1", "--dir", server.data, "--appendonly", "yes", "--save", ""],
                            lambda: quiet("redis-cli", *port, "ping"), load, None if kill else saved, saving if kill else None)
    server.check(trace, log, least=100)


def test_redis():
    redis(False)


def test_redis_killed():
    redis(True)


def backend(main):
    """The process of a client's session."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for pid in descendants(main):
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                if "[local]" in file.read():
                    return pid
    raise AssertionError("no session")


def postgres(kill=None):
    programs = "/usr/lib/postgresql/15/bin"
    need("strace", f"{programs}/initdb", f"{programs}/pgbench")
    server = Server("postgres")
    become = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    os.rmdir("data")
    os.mkdir("data", 0o700)
    server.own("data", ".")
    done(*become, f"{programs}/initdb", "-A", "trust", "-N", "-D", server.data)
    reach = ["-h", server.root, "-p", "18083", "-U", "postgres"]

    def load(seconds):
        """The first one makes the tables. One process serves its clients: when one is killed, the server disconnects all."""
        if not os.path.exists("filled"):
            done(f"{programs}/pgbench", *reach, "-i", "-q", "postgres")
            open("filled", "w", encoding="ascii").close()
        return quiet(f"{programs}/pgbench", *reach, "-c", "4", "-T", str(max(1, round(seconds))), "postgres").returncode

    trace, log = server.run([*become, f"{programs}/postgres", "-D", server.data, "-p", "18083", "-k", server.root,
                             "-c", "listen_addresses="], lambda: quiet(f"{programs}/pg_isready", *reach), load, kill=kill)
    server.check(trace, log, least=200)


def test_postgres():
    postgres()


def test_postgres_killed():
    postgres(backend)


def mariadb(*options, kill=None):
    need("strace", "mariadbd", "mariadb-install-db", "mariadb")
    user = user_of("mysql")
    server = Server(user)
    server.own(".")
    done("mariadb-install-db", "--no-defaults", f"--user={user}", f"--datadir={server.data}",
         "--auth-root-authentication-method=normal", "--skip-test-db")
    client = ["mariadb", "--no-defaults", "-u", "root", f"--socket={server.root}/socket"]

    def session(name, until, statuses):
        """A table that is larger than the server's memory for pages, written and read."""
        words = f"create or replace table test.{name} (a int primary key auto_increment, b varchar(2000)) engine=innodb;"
        while time.monotonic() < until and not any(statuses):
            statuses.append(quiet(*client, "-e", words).returncode)
            words = f"insert into test.{name} (b) values " + ",".join(["(repeat('x', 1500))"] * 200) + \
                f"; select sum(length(b)) from test.{name}; update test.{name} set b = repeat('y', 1400) where a % 7 = 0;"

    def load(seconds):
        statuses, until = [quiet(*client, "-e", "create database if not exists test").returncode], time.monotonic() + seconds
        clients = [threading.Thread(target=session, args=(f"t{at}", until, statuses)) for at in range(3)]
        for one in clients:
            one.start()
        for one in clients:
            one.join()
        return max(statuses)

    trace, log = server.run(["mariadbd", "--no-defaults", f"--user={user}", f"--datadir={server.data}", "--skip-networking",
                             f"--socket={server.root}/socket", f"--pid-file={server.root}/pid", "--innodb-buffer-pool-size=8M", *options],
                            lambda: quiet(*client, "-e", "select 1"), load, kill=kill)
    server.check(trace, log, least=200)


def test_mariadb():
    mariadb()


def test_mariadb_killed():
    mariadb(kill=itself)


def test_mariadb_libaio():
    if "innodb-linux-aio" not in quiet("mariadbd", "--no-defaults", "--help", "--verbose").stdout.decode(errors="replace"):
        raise Missing("a mariadbd with --innodb-linux-aio")
    mariadb("--innodb-linux-aio=aio")


run_tests(globals())
