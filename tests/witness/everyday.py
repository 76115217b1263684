#!/usr/bin/env python3
"""Short programs compared with strace: a shell script, perl, python, vim, sqlite3, ssh-keygen.
label: long
timeout: 600
"""
import os
import subprocess

from _witness import agree, need, run_tests, sample, script

PYTHON = "/usr/bin/python3"
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
EXAMPLE = os.path.join(os.environ["VARVE_SOURCE"], "examples", "checkpoint.c")

BASH = r"""
exec 7>log
for name in source/*; do echo "$name" >&7; [ -d "$name" ] && cd "$name" && cd ../..; done
exec 7>&-
cat <<END >here
text
END
/bin/ls -l source >list; wc -l <list; cp list copy; mv copy moved; rm moved
( exit 3 ); mkdir -p a/b/c; rmdir a/b/c; touch a/file; ln -s a link; test -e nothing || echo "none" >>log
read -r line <log; printf '%s\n' "$line"; : >empty; dd if=log of=part bs=10 count=2 status=none
"""

PERL = r"""
use strict; use Fcntl qw(:flock SEEK_SET); use File::Copy; use File::Path; use POSIX ();
open(my $f, '+>', 'data') or die; flock($f, LOCK_EX) or die; syswrite($f, 'x' x 5000); sysseek($f, 10, SEEK_SET);
sysread($f, my $b, 20); print $f "buffered\n"; truncate $f, 4000; close $f;
my $pid = fork; if (!$pid) { open(my $g, '>>', 'data'); print $g "child\n"; close $g; POSIX::_exit(4) } waitpid $pid, 0;
opendir(my $d, 'source') or die; my @n = readdir $d; closedir $d; copy('data', 'copy'); rename 'copy', 'moved';
symlink 'moved', 'link'; readlink 'link'; lstat 'link'; chmod 0600, 'moved'; utime 1, 2, 'moved'; mkpath 'a/b/c'; rmtree 'a';
open(my $n, '<', 'nothing') or 1; unlink 'data'; exit 0;
"""

IMPORTS = """
import json, os, shutil, sqlite3, tempfile, zipfile, hashlib, mmap, threading, subprocess
os.makedirs('a/b'); os.rename('a/b', 'a/c')
with open('file', 'w+b', buffering=0) as file:
    file.write(b'x' * 10000); os.pwrite(file.fileno(), b'y', 5); os.pread(file.fileno(), 10, 3); os.ftruncate(file.fileno(), 9000)
    os.writev(file.fileno(), [b'abc', b'de']); os.lseek(file.fileno(), 100, 0); os.readv(file.fileno(), [bytearray(5), bytearray(7)])
    with mmap.mmap(file.fileno(), 4096) as area:
        area[0] = 1; area.flush()
    os.fsync(file.fileno()); os.dup(file.fileno())
shutil.copytree('source', 'copy', symlinks=True, ignore=lambda *_: ['pipe']); shutil.rmtree('copy')
def work():
    with open('thread', 'w') as file:
        file.write('text')
thread = threading.Thread(target=work); thread.start(); thread.join()
subprocess.run(['/bin/cat', 'thread'], stdout=subprocess.DEVNULL)
os.link('file', 'hard'); os.symlink('file', 'soft'); os.readlink('soft'); os.chmod('file', 0o600); os.utime('file', (1, 2))
for name in os.scandir('.'): name.stat()
os.truncate('file', 10); os.unlink('hard'); os.access('file', os.R_OK); os.statvfs('.'); os.mkfifo('fifo')
"""

SQL = """
create table t(id integer primary key, text text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) insert into t select i, 'row ' || i from n;
delete from t where id % 2 = 0; vacuum; create index i on t(text); select count(*) from t;
"""


def with_sample(name, text):
    def prepare(folder):
        sample(folder, 20)
        script(text, name)(folder)
    return prepare


def test_bash():
    need("bash")
    agree(["bash", "script"], with_sample("script", BASH))


def test_perl():
    need("perl")
    agree(["perl", "script"], with_sample("script", PERL), PERL_HASH_SEED="0")


def test_python():
    need(PYTHON)
    agree([PYTHON, "script"], with_sample("script", IMPORTS), PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")


def test_vim():
    need("vim")
    agree(["vim", "-es", "-u", "NONE", "-i", "NONE", "-c", "%s/line/row/", "-c", "wq", "text"], script("line 1\nline 2\n", "text"))


def test_sqlite3():
    need("sqlite3")
    agree(["sqlite3", "base", ".read script"], script(SQL))


def keys(folder):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", os.path.join(folder, "key")], check=True)


def test_ssh_keygen():
    need("ssh-keygen")
    agree(["sh", "-c", "ssh-keygen -y -f key >again; ssh-keygen -l -f key.pub >list; ssh-keygen -l -f nothing"], keys, status=255)


def test_jemalloc():
    """Another allocator, whose own calls go through the library."""
    need(JEMALLOC, "gcc")
    subprocess.run(["gcc", "-O1", "-pthread", "-o", "program", EXAMPLE], check=True)
    agree([os.path.abspath("program"), "out"], LD_PRELOAD=JEMALLOC)


run_tests(globals())
