#!/usr/bin/env python3
"""Programs that developers run all day: git, make, gcc, vim, ssh-keygen. Many short processes, pipes and temporary files."""
import os
import re
import shutil
import subprocess

from _real import calls, need, run_tests, sample, script, transparent
from lib import compiled_source

MAKEFILE = """\
all: one two three
\t./one; ./two; ./three
%: %.c common.h
\tgcc -O1 -o $@ $<
clean:
\t-rm no-such-file
\trm one two three
"""


def sources(folder):
    for name in ("one.c", "two.c", "three.c", "common.h"):
        shutil.copy(compiled_source(f"make/{name}"), folder)
    script(MAKEFILE, "Makefile")(folder)


def test_make():
    """Two at a time, so the order of lines is not fixed: each target prints nothing, and the results are run in order."""
    need("make", "gcc")
    transparent(["sh", "-c", "make -s -j2 && make -s clean 2>&1 | sed 's/make: .*Makefile/make: Makefile/'; ls"],
                ["make", "x86_64-linux-gnu-gcc-.*|gcc", "cc1", "ld.*|.*-ld.*", "as|.*-as", "one", "three"],
                prepare=sources)


def test_gcc():
    """With its temporary files kept in TMPDIR, an error, and the preprocessor in a pipe."""
    need("gcc")
    info, _ = transparent(["sh", "-c", "gcc -c -g one.c && gcc -pipe -O2 -S two.c && gcc -o two two.s && ./two; "
                           "echo 'int main(void) { return missing; }' >bad.c; gcc bad.c; echo $?"],
                          ["cc1", "ld.*|.*-ld.*", "collect2"], prepare=sources)
    assert calls(info, "vfork", "posix_spawn", "fork") >= 7


def commits(folder):
    """A repository with two branches, made without Varve."""
    sample(folder, 25)
    quiet = dict(cwd=os.path.join(folder, "source"), check=True, stdout=subprocess.DEVNULL, env={
        "PATH": os.environ["PATH"], "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "A"), ("EMAIL", "a@b"), ("DATE", "1500000000 +0000"))}})
    os.unlink(os.path.join(folder, "source", "pipe"))
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"], ["checkout", "-qb", "other"],
                  ["rm", "-q", "hole"], ["commit", "-qm", "second"], ["checkout", "-q", "main"]):
        subprocess.run(["git", *words], **quiet)


def test_git():
    need("git")
    info, _ = transparent(["sh", "-ec", """
        git clone -q --no-local source copy
        cd copy
        git checkout -q other
        git log --format=%H
        git config user.name A; git config user.email a@b
        echo more >>'hole again'
        GIT_AUTHOR_DATE='1500000000 +0000' GIT_COMMITTER_DATE='1500000000 +0000' git commit -qam third
        git -c gc.auto=0 merge-base HEAD origin/main
        git gc -q
        git fsck
        git status --short
        git log --oneline --all
        git cat-file -p no-such-object || echo $?"""],
                          ["git"], prepare=commits, GIT_CONFIG_NOSYSTEM="1", varying=rb"\.git/(index|logs/)")
    assert calls(info, "execve", "execv", "execvp") >= 10


def test_vim():
    need("vim")
    info, _ = transparent(["vim", "-es", "-u", "NONE", "-i", "NONE", "-c", r"%s/line \(\d\)/row \1\1/", "-c", "2d", "-c", "w! out",
                           "-c", "wq", "text"], ["vim.*"], prepare=script("line 1\nline 2\nline 3\n", "text"))
    assert calls(info, "fsync") >= 1


def test_ssh_keygen():
    """Keys differ in each run: the files are the same, and so is the output except for the fingerprint."""
    need("ssh-keygen")

    def tidy(text):
        text = re.sub(rb"SHA256:\S+", b"SHA256:", text)
        return re.sub(rb"(?m)^(\|.*\||\+-+\[[^\n]*\]-+\+)$", b"|", text)
    transparent(["sh", "-c", "ssh-keygen -t ed25519 -N '' -C me -f key && ssh-keygen -l -f key.pub && "
                 "ssh-keygen -y -f key >again && cmp -s again key.pub; ssh-keygen -t rsa -b 1024 -q -N x -f key2; "
                 "ssh-keygen -l -f nothing"],
                ["ssh-keygen"], status=255, prepare=None, tidy=tidy)


run_tests(globals())
