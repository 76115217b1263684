"""Which functions of the C library take or make a path, a descriptor, a FILE or a DIR: derived, not listed.

From the library's own dynamic symbols and from the prototypes in the headers of its development package. A function is a
candidate because of the types and names of its parameters, because of the type of its result, or because it is another name of
such a function (__read_chk of read). Functions without such a parameter (socket makes a descriptor, getwchar reads stdin) are
listed here, and so are functions that look like candidates and are none, with the reason. This file does not decide which
candidates are intercepted.
"""
import os
import re
import subprocess
import tempfile

# Parameters by type, at any place; results by the same types.
HANDLE_TYPES = re.compile(
    r"\b(FILE|__FILE|DIR|FTS|FTS64|fd_set|mqd_t|glob_t|glob64_t|posix_spawn_file_actions_t|"
    r"struct (pollfd|aiocb|aiocb64|file_handle|__dirstream|_IO_FILE))\b")
# Integers and arrays of integers that are descriptors, by name.
DESCRIPTOR_NAMES = re.compile(
    r"^(\w*fd|fds|fd2p|fd[0-9]|fdin|fdout|fildes|pipedes|dfd|\w+_dfd|sd|tcfd|fp|s|amaster|aslave)$")
# Texts that are paths, by name.
PATH_NAMES = re.compile(
    r"^(path|pathname|\w+_pathname|file|filename|\w+_file|fname|name|\w+_name|dir|dirname|from|to|old|new|special|template|"
    r"words|pattern)$")

# Functions that make or take one, although no parameter shows it.
MAKERS = {
    "a descriptor is the result": """accept accept4 epoll_create epoll_create1 eventfd fanotify_init fsmount fsopen getpt
        inotify_init inotify_init1 memfd_create open_by_handle_at pidfd_getfd pidfd_open posix_openpt rresvport
        rresvport_af signalfd socket timerfd_create rexec rexec_af rcmd rcmd_af""",
    "ranges of descriptors": "close_range closefrom",
    "a descriptor is given under another name": """epoll_wait epoll_pwait epoll_pwait2 timerfd_settime timerfd_gettime
        process_madvise process_mrelease posix_spawn_file_actions_addtcsetpgrp_np
        posix_spawn_file_actions_addclosefrom_np getsourcefilter setsourcefilter getipv4sourcefilter setipv4sourcefilter""",
    "a path is the result": "getcwd getwd get_current_dir_name tmpnam tmpnam_r tempnam ctermid",
    "all streams, or a standard one": """fcloseall _flushlbf getchar getchar_unlocked getwchar getwchar_unlocked putchar
        putchar_unlocked putwchar putwchar_unlocked gets puts printf vprintf scanf vscanf wprintf vwprintf wscanf vwscanf
        perror""",
    "a mapping of a file": "munmap msync mremap remap_file_pages",
    "memory shared by a key": "shmget shmat shmdt shmctl",
    "everything that is open": "sync vhangup",
    "a semaphore that is a file": "sem_close",
}

# Undeclared since their headers were removed: <stropts.h>, <libio.h> (2.28), those of Sun RPC (2.32); system calls without a
# header.
UNDECLARED = {
    "STREAMS": "fattach fdetach getmsg getpmsg isastream putmsg putpmsg",
    "<libio.h>, which programs used through the macros of <stdio.h>": """_IO_getc _IO_putc _IO_feof _IO_ferror
        _IO_peekc_locked _IO_flockfile _IO_funlockfile _IO_ftrylockfile _IO_vfscanf _IO_vfprintf _IO_padn _IO_sgetn
        _IO_seekoff _IO_seekpos _IO_free_backup_area _IO_free_wbackup_area __underflow __uflow __overflow __wunderflow
        __wuflow __woverflow""",
    "Sun RPC": """clnttcp_create clntudp_create clntudp_bufcreate clntunix_create svcfd_create svctcp_create svcudp_create
        svcudp_bufcreate svcunix_create svcunixfd_create svc_getreq svc_getreqset svc_getreq_common svc_getreq_poll
        xdrstdio_create""",
    "rlogin and its kin": "__ivaliduser",
    "system calls": "chflags fchflags llseek pivot_root uselib",
}

# Functions that match the rules above but are no candidates; a rule states what the argument is instead.
NO_FILES = [
    (r"getaddrinfo|get(alias|host|net|proto|rpc|serv)byname2?(_r)?|get(gr|pw|sg|sp)nam(_r)?",
     "a name in a database: of a user, a host, a service"),
    (r"getfs(file|spec)", "a key that is looked for in the table of file systems, not opened"),
    (r"(__)?(secure_)?getenv|setenv|unsetenv|envz_(add|entry|get|remove)", "the name of a variable"),
    (r"[gs]et(host|domain)name|__get(host|domain)name_chk|setlogin|(__)?getlogin_r(_chk)?",
     "the name of the machine or of the user"),
    (r"dlv?sym", "the name of a symbol"),
    (r"pthread_setname_np", "the name of a thread"),
    (r"__assert(_fail|_perror_fail)?|error_at_line", "text of a message: the source file that it is about"),
    (r"basename|dirname|__xpg_basename|fnmatch|glob_pattern_p", "works on the text of a path, looks at no file"),
    (r"regcomp|re_compile_pattern", "a pattern of text"),
    (r"globfree(64)?|posix_spawn_file_actions_(init|destroy)", "memory: names no file"),
    (r"_IO_(sprintf|vsprintf|sscanf|str_\w+)", "prints to and reads from text"),
    (r"_IO_(default|wdefault|file|wfile|proc|iter|list|init|switch|marker|wmarker|remove|unsave|least)_\w+|"
     r"_IO_w?(do_write|doallocbuf|setb)|_IO_seekw?mark|_IO_adjust_w?column|_IO_s(unget|putback)w?c|"
     r"_IO_(getline|getline_info|link_in|un_link|init|flush_all|flush_all_linebuffered)",
     "inside of streams, which no header for programs has ever declared: tables of functions, marks, buffers"),
]

# Old names: their beginning, and that of the present name.
PREFIXES = {"__isoc99_": "", "__libc_": "", "_IO_": "", "__fx": "f", "__lx": "l", "__x": "", "__": "", "_": ""}
SUFFIXES = ["_chk", "_2", "_unlocked", "_nocancel", "64", "_r"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def library():
    return output("gcc", "-print-file-name=libc.so.6").strip()


def exported():
    """Functions by name, with their versions; those for the library's own parts (GLIBC_PRIVATE) are left out."""
    made = {}
    for line in output("nm", "-D", "--defined-only", library()).splitlines():
        parts = line.split()
        name, _, version = parts[-1].partition("@")
        if parts[-2] in "TWi" and version.lstrip("@") != "GLIBC_PRIVATE":
            made.setdefault(name, []).append(version.lstrip("@"))
    return made


def headers():
    listed = output("dpkg", "-L", "libc6-dev").split()
    return sorted(path for path in listed if path.endswith(".h") and "/bits/" not in path)


def preprocessed(header, folder):
    source = os.path.join(folder, "source.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f"#include <stdio.h>\n#include <sys/types.h>\n#include <stdint.h>\n#include \"{header}\"\n")
    made = subprocess.run(["gcc", "-E", "-P", "-D_GNU_SOURCE", source], capture_output=True, text=True)
    return made.stdout if made.returncode == 0 else ""


def without_attributes(text):
    """Without attributes for the compiler, and without bodies of inline functions."""
    nested = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
    text = re.sub(r"__(?:attribute|asm)__\s*" + nested, " ", text)
    text = re.sub(r"\b(?:__extension__|__restrict|__inline|extern|__const)\b", " ", text)
    return re.sub(r"\s+", " ", text)


def prototypes():
    """Result type and parameters of each declared function."""
    made = {}
    pattern = re.compile(r"(?:^|[;}])\s*([\w\s*]+?[\s*])(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*(?=;)")
    with tempfile.TemporaryDirectory(prefix="varve-test-") as folder:
        for header in headers():
            for match in pattern.finditer(without_attributes(preprocessed(header, folder))):
                if not re.search(r"\b(typedef|return|static)\b", match[1]):
                    made.setdefault(match[2], (match[1].strip(), parameters(match[3])))
    return made


def parameters(text):
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text + ","):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts


def is_file(parameter):
    """Whether a parameter is a path, a descriptor or an open stream or folder."""
    if "(*" in parameter:
        return False
    if HANDLE_TYPES.search(parameter):
        return True
    match = re.match(r"^(.*?[\s*])_*(\w+?)\s*(\[\w*\])?$", parameter)
    if not match:
        return False
    kind, name = match[1].replace(" ", ""), match[2]
    if kind in ("int", "int*", "unsignedint", "constint*"):
        return bool(DESCRIPTOR_NAMES.match(name))
    return kind in ("constchar*", "char*") and bool(PATH_NAMES.match(name))


def bases(name):
    """Names of which this one may be another form."""
    found, fresh = set(), {name}
    while fresh:
        found |= fresh
        fresh = {now + n[len(old):] for n in fresh for old, now in PREFIXES.items() if n.startswith(old)} | \
                {n[:-len(s)] for n in fresh for s in SUFFIXES if n.endswith(s) and len(n) > len(s)}
        fresh -= found
    return found - {name}


def no_file(name):
    return next((reason for pattern, reason in NO_FILES if re.fullmatch(pattern, name)), None)


def listed(groups):
    return {name: reason for reason, names in groups.items() for name in names.split()}


def suspects():
    """Candidates, and functions that look like one."""
    symbols, declared = exported(), prototypes()
    made = {**listed(MAKERS), **listed(UNDECLARED)}
    for name, (result, given) in declared.items():
        if HANDLE_TYPES.search(result) or any(is_file(parameter) for parameter in given):
            made.setdefault(name, f"{result} {name}({', '.join(given)})")
    for name in symbols:
        if name not in made and name not in declared:
            base = sorted(bases(name) & set(made))
            if base:
                made[name] = f"another name of {base[0]}"
            elif name.startswith("_IO_"):
                made[name] = "by its name it works on a stream"
    return {name: why for name, why in made.items() if name in symbols}
