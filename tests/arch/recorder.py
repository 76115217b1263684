"""Code that runs inside a traced program never allocates, prints or exits, and reads the environment only for its settings. The
rooms between it and the command print nothing: they write to files and memory only, never to stdout or stderr.
Checks the calls in src/record, src/sink, src/codec, src/codec/inprocess, src/base, src/base/program and the generated wrappers."""
import re

from _sources import Report, sources

# A name before "(", not a member (`real.free(`) and not a longer name (`real_free(`).
NEVER = re.compile(
    r"(?<![\w.>])(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|strdup|strndup|v?asprintf|"
    r"v?[fsd]?printf|v?snprintf|f?puts|f?putc|putchar|perror|fopen|fdopen|fclose|fread|fwrite|fflush|fgets|getline|"
    r"strerror|setlocale|syslog|exit|abort|assert|atexit|pthread_mutex_\w+|pthread_rwlock_\w+|pthread_cond_\w+|"
    r"sigaction|signal)\s*\(")
# In the other rooms: what writes to stdout or stderr, and every use of these two streams.
PRINTS = re.compile(r"(?<![\w.>])(v?printf|v?dprintf|puts|putchar|putchar_unlocked|perror|psignal|v?syslog|v?warnx?|v?errx?)\s*\(|"
                    r"(?<![\w.>])(stdout|stderr|STDOUT_FILENO|STDERR_FILENO|(?:sys_)?write\s*\(\s*[12])\b")
ENVIRONMENT = re.compile(r"(?<![\w.>])(secure_getenv|getenv)\s*\(")
HEADERS = re.compile(r"^\s*#\s*include\s*<(stdio|malloc|assert|locale|syslog)\.h>")

PRINTING = ("cli", "pages")  # rooms that may print


def in_process(source):
    return source.module in ("record", "sink") or source.room in ("base", "base/program", "codec", "codec/inprocess")


def reads_settings(source):
    return source.module == "cli" or (
        source.module == "record" and source.base in ("start.c", "preload_settings.c"))


report = Report()
for source in sources():
    report.checked += 1
    for number, line in enumerate(source.code(), 1):
        where = "%s:%d" % (source.name, number)
        # A line that starts in column 0 is a declaration or definition, for example of a wrapper, never a call.
        calls = line[:1].isspace() or line.startswith("#")
        found = ENVIRONMENT.search(line)
        if calls and found and not reads_settings(source):
            report.complain(where, "%s() belongs into src/cli and the recorder's start" % found.group(1))
        if not in_process(source):
            found = PRINTS.search(line)
            if calls and found and source.module not in PRINTING:
                report.complain(where, "%s: only src/cli and src/pages print" % (found.group(1) or found.group(2)))
            continue
        found = NEVER.search(line)
        if calls and found:
            report.complain(where, "%s() is not for code that runs inside other programs" % found.group(1))
        found = HEADERS.match(line)
        # Wrappers need the type FILE.
        if found and not (source.module == "record" and found.group(1) == "stdio"):
            report.complain(where, "<%s.h> is not for code that runs inside other programs" % found.group(1))
report.finish(least=10)
