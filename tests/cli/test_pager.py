#!/usr/bin/env python3
"""The pager: it shows the text of `dump` and `info` at a terminal; the exit status is that of Varve, no message is lost, and
the terminal keeps its state."""
import os
import signal

from lib import BIG, VARVE, damage_last_block, holds, run_tests, same, varve
from _terminal import Terminal

# A pager that prints its input.
SAY = "sed s/^/PAGED:/"


def record(program="true", *options):
    varve("record", "-o", "t.varve", *options, "--", "sh", "-c", program)


def run(*words, **variables):
    variables.setdefault("NO_COLOR", "1")
    with Terminal([VARVE, *words], **variables) as terminal:
        status, text = terminal.end()
        assert terminal.sane()
    return status, text


def paged(text):
    return b"".join(b"PAGED:" + line for line in text.splitlines(keepends=True))


def test_which_output_is_paged():
    record()
    for verb in ("dump", "info"):
        same(run(verb, "t.varve", VARVE_PAGER=SAY), (0, paged(varve(verb, "t.varve").stdout)), verb)
        for words in (["--no-pager"], ["--format", "json"], ["--format=csv"]):
            status, text = run(verb, *words, "t.varve", VARVE_PAGER=SAY)
            same(status, 0)
            assert text and b"PAGED" not in text, text
    assert b"PAGED" not in run("version", VARVE_PAGER=SAY)[1]
    assert b"PAGED" not in run("dump", "t.varve", VARVE_PAGER=SAY, TERM="dumb")[1]
    assert b"PAGED" not in varve("dump", "t.varve", env=dict(os.environ, VARVE_PAGER=SAY)).stdout


def test_which_pager():
    record()
    text = varve("dump", "t.varve").stdout
    same(run("dump", "t.varve", PAGER=SAY)[1], paged(text))
    same(run("dump", "t.varve", PAGER="false", VARVE_PAGER=SAY)[1], paged(text))
    for none in ("", "cat"):
        same(run("dump", "t.varve", PAGER=SAY, VARVE_PAGER=none), (0, text), none)
        same(run("dump", "t.varve", PAGER=none), (0, text), none)


def test_a_pager_that_is_not_there():
    record()
    text = varve("dump", "t.varve").stdout
    status, shown = run("dump", "t.varve", PAGER="no-such-pager -x")
    same(status, 0)
    said, _, rest = shown.partition(b"\n")
    same(rest, text)
    holds(said, b"varve: ... 'no-such-pager -x' ... VARVE_PAGER ... --no-pager")
    same(run("dump", "--quiet", "t.varve", PAGER="no-such-pager -x"), (0, text))
    status, shown = run("dump", "t.varve", PAGER="X=1 no-such-pager")
    holds(shown, b"varve: ... VARVE_PAGER")


def test_less_by_itself_leaves_one_screen_standing():
    record()
    with Terminal([VARVE, "dump", "--limit", "3", "t.varve"], NO_COLOR="1") as terminal:
        status, text = terminal.end()
        assert terminal.sane()
    same(status, 0)
    for line in varve("dump", "--limit", "3", "t.varve").stdout.splitlines():
        holds(text, line)


def test_less_shows_colours():
    record()
    with Terminal([VARVE, "dump", "--recorder", "--limit", "3", "t.varve"], PAGER="less") as terminal:
        status, text = terminal.end()
    same(status, 0)
    holds(text, b"\x1b[36mlane\x1b[m")


def test_status_is_our_own():
    record("true", "--no-pack")
    same(run("dump", "t.varve", PAGER="cat >/dev/null; exit 7")[0], 0)
    damage_last_block()
    same(run("dump", "t.varve", PAGER="cat >/dev/null; exit 0")[0], 3)


def test_what_is_said_meanwhile_waits_for_the_end_of_the_pager():
    # The records of a later block of a long stream: damage there is found while the pager already shows earlier records.
    record(BIG, "--no-pack")
    damage_last_block()
    plain = varve("dump", "t.varve")
    same(plain.returncode, 3)
    holds(plain.stderr, b"damaged: ")
    # A pager that has read everything, and waits for the user.
    with Terminal([VARVE, "dump", "t.varve"], NO_COLOR="1",
                  PAGER="cat > held; echo READY; read key < /dev/tty; cat held") as terminal:
        terminal.until(b"READY")
        assert b"damaged: " not in terminal.seen, terminal.seen
        terminal.type(b"\n")
        status, text = terminal.end()
    same(status, 3)
    same(text, b"READY\n\n" + plain.stdout + plain.stderr)


def test_a_reader_that_has_seen_enough():
    record(BIG)
    assert len(varve("dump", "t.varve").stdout) > 1 << 20
    status, text = run("dump", "t.varve", PAGER="head -n 2")
    same(status, 141)
    same(text, b"".join(varve("dump", "--limit", "2", "t.varve").stdout.splitlines(keepends=True)))


def test_quitting_less_leaves_a_sane_terminal():
    record(BIG)
    with Terminal([VARVE, "dump", "t.varve"], PAGER="less") as terminal:
        terminal.until(b":")
        assert not terminal.sane()  # less reads keys
        terminal.type(b"q")
        same(terminal.end()[0], 141)
        assert terminal.sane()


def test_interrupt_ends_after_the_pager():
    record(BIG)
    with Terminal([VARVE, "dump", "t.varve"], PAGER="trap : INT; head -c 10; read key < /dev/tty; echo SEEN $key") as terminal:
        terminal.until(b".")
        terminal.process.send_signal(signal.SIGINT)
        terminal.type(b"enough\n")
        status, text = terminal.end()
        same(status, -signal.SIGINT)
        holds(text, b"SEEN enough")


def test_a_pager_that_is_killed_leaves_a_sane_terminal():
    record(BIG)
    with Terminal([VARVE, "dump", "t.varve"], PAGER="stty -echo -icanon < /dev/tty; kill -9 $$") as terminal:
        same(terminal.end()[0], 141)
        assert terminal.sane()


run_tests(globals())
