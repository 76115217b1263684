#!/usr/bin/env python3
# timeout: 600
"""Random traces, some of them damaged, packed: the file has the same content as the folder. VARVE_RANDOM_TRACES changes their
number, VARVE_RANDOM_FIRST the first one."""
from _many import main
from pack._forms import packed_agrees

# The last ones have damaged blocks without records.
main(250, packed_agrees, also=(4327, 5115))
