#!/usr/bin/env python3
# timeout: 300
"""Random traces, some of them damaged, packed: the second decoder and `varve` read the same from each, and the same calls and
definitions as from the stream form."""
from _compare import agree_packed
from _many import main

main(150, agree_packed)
