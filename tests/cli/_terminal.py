"""Runs a command at a pseudo terminal, and returns what a user would see."""
import os
import pty
import select
import struct
import subprocess
import termios
import fcntl

VARIABLES = ("TERM", "NO_COLOR", "PAGER", "VARVE_PAGER", "LESS")


class Terminal:
    """`with Terminal(words) as t`: t.until(text) reads until the text appears, t.type(text), t.end() -> (status, all)."""

    def __init__(self, words, stdout=None, rows=24, columns=200, **variables):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
        environment.update({"TERM": "xterm", **variables})
        for name in [key for key, value in environment.items() if value is None]:
            del environment[name]
        self.seen = b""

        def own_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(words, stdin=slave, stdout=slave if stdout is None else stdout,
                                        stderr=slave, env=environment,
                                        preexec_fn=own_terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def read(self):
        """Available output, after waiting for some; "" when the command has ended and nothing remains."""
        while True:
            if select.select([self.master], [], [], 0.02)[0]:
                piece = os.read(self.master, 65536)
                self.seen += piece
                return piece
            if self.process.poll() is not None and not select.select([self.master], [], [], 0)[0]:
                return b""

    def until(self, text):
        while text not in self.seen:
            if not self.read():
                raise AssertionError(f"{text!r} never came: {self.seen!r}")

    def type(self, text):
        os.write(self.master, text)

    def end(self):
        """Waits for the end; returns the lines with plain newlines."""
        while self.read():
            pass
        return self.process.wait(), self.seen.replace(b"\r\n", b"\n")

    def sane(self):
        """Whether the terminal has its former state."""
        return termios.tcgetattr(self.slave) == self.before
