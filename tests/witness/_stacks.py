"""The caller of a system call: the C library's function that the program, or a library of it, called.

Walks the stack of `strace -k` from the innermost frame out of libc and the loader. The name is that of the import in the
calling instruction; if that cannot be read (a call through a pointer, a tail call), that of the last function inside libc.
"""
import os
import re

from _elf import opened

LIBC = re.compile(r"/(libc\.so\.6|libc-2\.\d+\.so)$")
LOADER = re.compile(r"/ld-linux-x86-64\.so\.2$|/ld-2\.\d+\.so$")

# Functions inside libc in which a call without a name of its own ends, and the called function.
INSIDE = {
    "__fopen_internal": "fopen", "__spawni_child": "posix_spawn", "__spawnix": "posix_spawn", "do_system": "system",
    "start_thread": "pthread_create", "__opendir_common": "opendir", "__alloc_dir": "opendir",
    "opendir_tail": "opendir", "__libc_start_call_main": "__libc_start_main", "_dl_start_user": "the loader",
    "__tz_convert": "localtime", "_IO_new_proc_open": "popen", "spawn_process": "popen", "fts_build": "fts_read",
    "__gen_tempname": "mkstemp", "tempname_len": "mkstemp", "nftw_internal": "nftw", "ftw_startup": "nftw",
    "_IO_cleanup": "exit", "__close_nocancel": "closedir",
}
# The same if it may be one of several.
INSIDE_ANY = {"_IO_default_uflow": ["__uflow", "getc", "fgetc"],
              "_IO_new_file_underflow": ["__uflow", "getc", "fgetc"]}

# Functions of libc that call back: a function directly before them was the program's last step, or one that main, a thread or a
# destructor ended in without a frame of its own.
BACK = {"__libc_start_call_main", "__libc_start_main", "__run_exit_handlers", "__cxa_finalize", "_dl_fini", "_dl_call_fini", "call_init", "_dl_init",
        "__nptl_deallocate_tsd", "__call_tls_dtors", "exit"}

# Functions that read or write on their own and get neither a path nor a descriptor, a stream or a directory: functions without
# a row. The patterns of their names, and their purpose.
QUIET = [
    (r"(new|set|use|dup)locale|bind_?textdomain(_codeset)?|textdomain|.*gettext|nl_langinfo(_l)?|"
     r"(__xpg_)?strerror(_r|_l)?|strsignal", "loads the locale"),
    (r"iconv(_open)?|btowc|wctob|mb(r|sr|snr)?towcs?|wc(r|sr|snr)?tombs?|mblen|mbrlen|towlower|towupper", "loads a conversion"),
    (r"(local|gm)time(_r|64|64_r)?|ctime(_r)?|timegm|mktime|timelocal|tzset|(wcs|str)ftime(_l)?", "reads the time zone"),
    (r"(get|set|end)(pw|gr|sp|host|net|proto|serv|rpc|alias|ut|mnt)[a-z0-9_]*|getaddrinfo|getnameinfo|initgroups|getgrouplist|"
     r"innetgr|gethostid|cuserid|getlogin(_r)?|res_.*|ns_.*", "asks the system's databases"),
    (r"(c|m|re)alloc|reallocarray|free|memalign|(posix_mem|aligned_)?align(ed_alloc)?|posix_memalign|valloc|pvalloc|malloc_trim|"
     r"mallopt|strn?dup|v?asprintf|__v?asprintf_chk|sbrk|brk|qsort(_r)?",
     "gets or returns memory"),
    (r"dl(open|mopen|close|sym|vsym|addr|info|error|_iterate_phdr)|__libc_dl.*|_dl_.*|the loader|__tls_get_addr",
     "is the loader"),
    (r"__libc_start_main|exit|_exit|quick_exit|abort|raise|__cxa_finalize", "ends the program and writes out streams"),
    (r"sysconf|get_n?procs(_conf)?|get_(av)?phys_pages|getloadavg|pathconf|gnu_get_libc_version", "asks about the system"),
    (r"(open|v?sys|close|set)log(mask)?|__v?syslog_chk", "talks to the system's log"),
    (r"error(_at_line)?|v?(err|warn)x?|__assert(_perror)?_fail|__fortify_fail|__stack_chk_fail|__chk_fail|psignal|psiginfo|"
     r"getopt(_long)?(_only)?|argp_.*", "prints a message"),
    (r"backtrace|_Unwind_.*|pthread_(join|detach|exit|cancel|getattr_np|attr_.*|setname_np|getname_np)|setrlimit|prlimit64?|"
     r"sigaltstack|makecontext|clone|__clone.*|thrd_join", "looks after threads and stacks"),
]


def plain(names):
    """Names without the prefixes and versions of the library's internal functions."""
    found = set()
    for name in names:
        name = name.split("@")[0]
        if name.startswith("__GI_"):
            name = name[5:]
        found.add(name)
    return found


def reason_for(name):
    for pattern, reason in QUIET:
        if re.fullmatch(pattern, name):
            return reason
    return None


class Caller:
    """The library function that made a system call: `names` are all of its possible names, the best one first."""

    def __init__(self, names, where):
        self.names, self.where = names, where

    def __repr__(self):
        return f"{'/'.join(self.names[:3]) or '?'} called from {self.where}"


def libc_names(path, offset):
    elf = opened(path)
    names = plain(elf.functions(offset)) if elf else set()
    several = [more for name in names for more in INSIDE_ANY.get(name, ())]
    return several + sorted({INSIDE.get(name, name) for name in names}, key=lambda name: (name.startswith("_"), len(name), name))


def calls_back(path, offset):
    elf = opened(path)
    return bool(elf and plain(elf.functions(offset)) & BACK)


def caller(frames):
    """None when the program itself, not libc, made the system call."""
    inside = []
    for path, offset in frames:
        if not (LIBC.search(path) or LOADER.search(path)) or (inside and calls_back(path, offset)):
            break
        inside.append((path, offset))
    if not inside:
        return None
    outside = frames[len(inside)] if len(inside) < len(frames) else None
    last = inside[-1]
    if all(LOADER.search(path) for path, _ in inside):
        return Caller(["the loader"], "the loader")
    if not outside:
        # Nothing of the program is on the stack: a thread of libc's own, a child before its program, the very start.
        names = [name for path, offset in inside for name in libc_names(path, offset) if name in INSIDE.values()]
        return Caller(names or libc_names(*last), "libc")
    where = f"{os.path.basename(outside[0])}+{outside[1]:#x}"
    elf, libc = opened(outside[0]), opened(last[0])
    imported = elf.import_called(outside[1]) if elf else None
    defined = {name.split("@")[0] for start, _, name in libc.dynamic if start} if libc else set()
    names = libc_names(*last)
    if imported in defined:
        return Caller([imported], where)
    return Caller(names, where)
