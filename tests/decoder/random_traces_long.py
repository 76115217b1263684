#!/usr/bin/env python3
# label: long
# timeout: 600
"""The same as random_traces.py, with ten thousand traces."""
from _compare import decoders_agree
from _many import main

main(10000, decoders_agree)
