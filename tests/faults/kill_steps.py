#!/usr/bin/env python3
# label: long
# again: nightly
# timeout: 900
"""A process is killed at many instructions of one call, one hand-over of a lane, one fork and one exit: in the nightly set at
every one. See _kill.py for the conditions.

A call, a failing one, one with a name, a fork and an exit are short: the process is started again and killed after each number
of instructions, from none to the last. A hand-over, the start of a forked child and an exit that cuts its own lane take 100,000
to 200,000 instructions, and nearly all of these only compute. There the process is single-stepped too, but killed at events:
when an instruction has changed a byte of a lane or of the control page, and when a system call has returned. Only these bytes
outlive a process (the data file changes only in system calls), so a kill anywhere between two events leaves the same bytes as a
kill at the first of them. This claim is tested as well, at instructions between the events. A kill inside the system call that
writes a block leaves a part of the block; this is tested for every length of the part.
"""
import random

from _kill import BETWEEN, run_cases
from lib import lots

POINTS_BETWEEN = lots(12, 60)
POINTS = lots(24, None)


def points_of(case, most):
    """Spread evenly; in the long set from a random first one."""
    if case.name.endswith(BETWEEN):
        return range(most // POINTS_BETWEEN // 2, most, most // POINTS_BETWEEN)
    stride = max(1, most // POINTS) if POINTS else 1
    return range(random.randrange(stride), most + 8, stride)


run_cases(points_of)
