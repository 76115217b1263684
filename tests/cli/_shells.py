"""Completes command lines in real shells: a shell completes `varve du` with the cursor at its end, with the script that was
built."""
import os
import pty
import shlex
import signal
import subprocess

PAGES = os.path.join(os.environ["VARVE_BUILD"], "pages")
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"


def bash(line, more=""):
    """COMPREPLY for the words of `line`, split as readline does it: an = is a word. `more` is sourced before."""
    words = []
    for word in line.split(" "):
        name, equals, value = word.partition("=")
        words += [name, "=", value] if equals and value else [name, "="] if equals else [name]
    script = f"""{more}
source {shlex.quote(PAGES)}/varve.bash
compopt() {{ :; }} # it is for use below readline alone
COMP_WORDS=({' '.join(map(shlex.quote, words))})
COMP_CWORD={len(words) - 1} COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
_varve varve "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    result = subprocess.run(["bash", "--norc", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=60)
    assert result.stderr == "", result.stderr
    return sorted(word.strip() for word in result.stdout.splitlines() if word.strip())


def fish(line):
    script = f"source {shlex.quote(PAGES)}/varve.fish; complete -C {shlex.quote(line)}"
    result = subprocess.run(["fish", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=60,
                            env=dict(os.environ, HOME=os.getcwd(), XDG_CONFIG_HOME=os.getcwd(), XDG_DATA_HOME=os.getcwd()))
    assert result.stderr == "", result.stderr
    return sorted(word.split("\t")[0] for word in result.stdout.splitlines())


# compadd makes the matches in zsh: each match is stored first, then added as usual. A key writes them to a FIFO.
ZSH_SETUP = r"""
PS1= RPS1= ; unsetopt prompt_cr prompt_sp beep
fpath=(%(pages)s $fpath)
autoload -Uz compinit && compinit -u -D
typeset -ga captured
compadd() {
    local -a hits
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    builtin compadd -O hits "$@"
    captured+=($hits)
    builtin compadd "$@"
}
capture() {
    captured=()
    _main_complete
    print -rl -- $captured > %(answer)s
    compstate[list]= compstate[insert]=
}
zle -C capture list-choices capture
bindkey '^G' capture
"""


def zsh(lines):
    """A list of matches for each line, from one interactive zsh at a terminal of its own."""
    answer, setup = os.path.abspath("zsh.answer"), os.path.abspath("zsh.setup")
    os.mkfifo(answer)
    with open(setup, "w") as file:
        file.write(ZSH_SETUP % {"pages": PAGES, "answer": answer})
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", ZDOTDIR=os.getcwd(), HOME=os.getcwd())
        os.execvp("zsh", ["zsh", "-f", "-i"])
    found = []
    signal.alarm(90)  # the FIFO may have no writer if something is wrong
    try:
        os.write(terminal, f"source {setup}\n".encode())
        for line in lines:
            os.write(terminal, b"\x15" + line.encode() + b"\x07")
            with open(answer) as file:
                found.append(sorted(set(word.strip() for word in file.read().splitlines() if word.strip())))
    finally:
        signal.alarm(0)
        os.close(terminal)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.unlink(answer)
    return found
