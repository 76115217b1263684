#!/usr/bin/env python3
"""sqlite3 with both kinds of journal: locks, syncs, truncation, a backup. Its files are the same byte for byte."""
from _real import calls, need, run_tests, script, transparent

SQL = """
pragma journal_mode=wal; create table t(id integer primary key, text text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into t select i, 'row ' || i from n;
select count(*), sum(length(text)) from t; pragma wal_checkpoint(truncate); pragma journal_mode=delete;
begin; delete from t where id % 3 = 0; rollback; begin; delete from t where id % 2 = 0; commit; vacuum;
create index i on t(text); select text from t where text like 'row 19%' order by text desc limit 3;
attach 'second' as s; create table s.u as select * from t; select count(*) from s.u; pragma integrity_check;
.backup copy
.dump sqlite_master
select * from nothing;
.read nothing
"""

def test_sqlite3():
    need("sqlite3")
    info, _ = transparent(["sh", "-c", "sqlite3 base <script.sql"], ["sqlite3"], status=1, prepare=script(SQL, "script.sql"))
    assert calls(info, "pwrite") > 50 and calls(info, "fdatasync", "fsync") > 5


run_tests(globals())
