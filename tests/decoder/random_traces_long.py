#!/usr/bin/env python3
# label: long
# timeout: 3600
"""The same as random_traces.py, with fifty thousand traces."""
from _compare import decoders_agree
from _many import main

main(50000, decoders_agree)
