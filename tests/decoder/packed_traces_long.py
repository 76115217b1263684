#!/usr/bin/env python3
# label: long
# timeout: 3600
"""The same as packed_traces.py, with ten thousand traces."""
from _many import main
from pack._forms import packed_agrees

main(10000, packed_agrees)
