#!/usr/bin/env python3
# label: long
# again: nightly
# timeout: 3600
"""The same as random_packed.py, with two thousand traces; ten thousand in the nightly set."""
from _compare import agree_packed
from _many import main
from lib import lots

main(lots(2000, 10000), agree_packed)
