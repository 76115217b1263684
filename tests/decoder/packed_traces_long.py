#!/usr/bin/env python3
# label: long
# again: nightly
# timeout: 3600
"""The same as packed_traces.py, with two thousand traces; ten thousand in the nightly set."""
from _many import main
from lib import lots
from pack._forms import packed_agrees

main(lots(2000, 10000), packed_agrees)
