"""The structures of liburing in src/record/async/rings.h are equal to those in liburing's header; those of the kernel are equal
to those in the kernel's headers."""
import os
import subprocess
import sys
import tempfile

from _sources import GENERATED, ROOT

# member of Varve's structure: member of liburing's
MEMBERS = {
    "sq.head": "sq.khead", "sq.tail": "sq.ktail", "sq.mask": "sq.kring_mask", "sq.entries": "sq.kring_entries",
    "sq.flags": "sq.kflags", "sq.dropped": "sq.kdropped", "sq.array": "sq.array", "sq.sqes": "sq.sqes",
    "sq.sqe_head": "sq.sqe_head", "sq.sqe_tail": "sq.sqe_tail", "sq.size": "sq.ring_sz", "sq.memory": "sq.ring_ptr",
    "cq.head": "cq.khead", "cq.tail": "cq.ktail", "cq.mask": "cq.kring_mask", "cq.entries": "cq.kring_entries",
    "cq.flags": "cq.kflags", "cq.overflow": "cq.koverflow", "cq.cqes": "cq.cqes", "cq.size": "cq.ring_sz",
    "cq.memory": "cq.ring_ptr", "flags": "flags", "fd": "ring_fd", "features": "features", "enter_fd": "enter_ring_fd",
}
HEADERS = ("liburing.h", "libaio.h")


def compiles(*lines):
    """Whether the compiler accepts it, and its messages."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "layouts.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        done = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-fsyntax-only", "-D_GNU_SOURCE",
                               "-I" + os.path.join(ROOT, "src"), "-I" + os.path.join(ROOT, "include"), "-I" + GENERATED, source],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode == 0, done.stdout


def same(ours, theirs, ours_type, theirs_type):
    return '_Static_assert(offsetof(%s, %s) == offsetof(%s, %s), "%s");' % (ours_type, ours, theirs_type, theirs, theirs)


for header in HEADERS:
    if not compiles("#include <%s>" % header)[0]:
        print("<%s> is not installed" % header)
        sys.exit(77)

ring = ["#include <stddef.h>", "#include <liburing.h>", '#include "record/async/rings.h"',
        '_Static_assert(sizeof(struct ring_of_library) == sizeof(struct io_uring), "size");']
ring += [same(mine, its, "struct ring_of_library", "struct io_uring") for mine, its in MEMBERS.items()]
# libaio and the kernel use the same names for their structures and cannot be included together, so both are compared with
# numbers.
request = {"aio_lio_opcode": 16, "aio_fildes": 20}
event = {"data": 0, "obj": 8, "res": 16, "res2": 24}
failed = 0
for name, lines in (
        ("liburing", ring),
        ("libaio", ["#include <stddef.h>", "#include <libaio.h>",
                    *('_Static_assert(offsetof(struct iocb, %s) == %d, "%s");' % (m, at, m) for m, at in
                      {**request, "u.c.buf": 24, "u.c.nbytes": 32, "u.c.offset": 40}.items()),
                    *('_Static_assert(offsetof(struct io_event, %s) == %d, "%s");' % (m, at, m) for m, at in event.items())]),
        ("the kernel", ["#include <stddef.h>", "#include <linux/aio_abi.h>",
                        *('_Static_assert(offsetof(struct iocb, %s) == %d, "%s");' % (m, at, m) for m, at in
                          {**request, "aio_buf": 24, "aio_nbytes": 32, "aio_offset": 40}.items()),
                        *('_Static_assert(offsetof(struct io_event, %s) == %d, "%s");' % (m, at, m)
                          for m, at in event.items())])):
    fine, said = compiles(*lines)
    print("%s %s" % ("ok" if fine else "not ok", name))
    if not fine:
        failed = 1
        print(said)
# The check fails when it must: a member at another place is found.
if compiles(*ring, same("sq.head", "sq.ktail", "struct ring_of_library", "struct io_uring"))[0]:
    print("not ok: two members at different places count as the same")
    failed = 1
sys.exit(failed)
