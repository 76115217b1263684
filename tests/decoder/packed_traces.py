#!/usr/bin/env python3
# timeout: 600
"""Random traces, some of them damaged, packed: the file says what the folder says. VARVE_RANDOM_TRACES is another number of
them, VARVE_RANDOM_FIRST another first one."""
from _many import main
from pack._forms import packed_agrees

# The last ones have damaged blocks without records.
main(250, packed_agrees, also=(4327, 5115))
