#!/usr/bin/env python3
"""Programs that copy files: tar, cp, rsync. Their results are the same, including permissions, links and holes."""
from _real import calls, need, run_tests, sample, transparent


def test_tar():
    need("tar", "gzip")
    info, _ = transparent(["sh", "-c", "tar --sort=name -czf a.tgz source && tar -tvzf a.tgz && mkdir out && "
                           "tar -xpzf a.tgz -C out && tar -cf - --sort=name source | tar -xf - -C tmp"],
                          ["tar", "gzip", "dash|sh|bash"], prepare=sample)
    assert calls(info, "mkfifo", "mknod", "mkfifoat", "mknodat") >= 2


def test_tar_that_fails():
    need("tar")
    transparent(["tar", "-cf", "a.tar", "source/d0", "no such file"], ["tar"], status=2, prepare=sample)


def test_cp():
    need("cp")
    info, _ = transparent(["sh", "-c", "cp -av source copy >tmp/list && sort tmp/list && rm tmp/list"], ["cp", "sort"], prepare=sample)
    assert calls(info, "copy_file_range", "write") > 30
    assert calls(info, "link", "linkat") == 1


def test_rsync():
    """Three processes that communicate over socket pairs."""
    need("rsync")
    info, _ = transparent(["sh", "-c", "rsync -aH --specials --out-format='%n %l' source/ copy/ && "
                           "echo more >>source/d0/e0/'file 0' && rsync -aHc --delete --out-format='%n %l' source/ copy/"],
                          ["rsync"], prepare=sample)
    assert calls(info, "fork") >= 4


run_tests(globals())
