#!/usr/bin/env python3
"""PostgreSQL from initdb over a short pgbench to a stopped server: independent processes, and shared memory.
label: long
timeout: 300
"""
import glob
import os
import re

from _real import Missing, a_user, calls, run_tests, script, transparent

CLUSTER = """
set -e
initdb -D data -A trust -U me --no-sync --locale=C --encoding=UTF8 >init.log 2>&1
grep -c ok init.log
cat >>data/postgresql.conf <<END
listen_addresses = ''
unix_socket_directories = '$PWD/tmp'
shared_buffers = 16MB
autovacuum = off
fsync = on
END
pg_ctl -D data -l server.log -w -t 60 start >/dev/null
trap 'pg_ctl -D data -m immediate stop >/dev/null' EXIT
export PGHOST=$PWD/tmp PGUSER=me PGDATABASE=postgres
psql -qAtc "create table t as select i, 'row ' || i as text from generate_series(1, 3000) i; select count(*) from t"
pgbench -i -q -s 1 >/dev/null 2>&1
pgbench -n -c 2 -j 2 -t 40 2>&1 | grep -E 'processed|failed'
psql -qAtc 'select count(*) from pgbench_history; checkpoint; select nothing' 2>&1 || echo "status $?"
trap - EXIT
pg_ctl -D data -m fast -w -t 60 stop | tail -n 1
pg_controldata data | grep state
rm -rf data init.log server.log tmp/*
"""


def postgres():
    """The folder with the server's programs."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(re.findall(r"\d+", path)[0]))
    if not found:
        raise Missing("PostgreSQL")
    return os.path.dirname(found[-1])


def test_postgres():
    """Its server refuses to run as root; it listens in the folder only."""
    info, _ = transparent(["sh", "script"], ["initdb", "postgres", "pgbench", "psql", "pg_ctl"], user=a_user(),
                          prepare=script(CLUSTER), PATH=postgres() + ":/usr/bin:/bin", timeout=200)
    assert calls(info, "pwrite") > 100


run_tests(globals())
