#!/usr/bin/env python3
# timeout: 300
"""Random traces, some of them damaged: the second decoder and `varve` read the same from each."""
from _compare import decoders_agree
from _many import main

main(300, decoders_agree)
