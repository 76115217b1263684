#!/usr/bin/env python3
# label: nightly
# timeout: 3600
"""The same as random_traces.py, with a hundred thousand traces."""
from _compare import decoders_agree
from _many import main

main(100000, decoders_agree)
