#!/usr/bin/env python3
# label: long
# timeout: 3600
"""The same as random_packed.py, with ten thousand traces."""
from _compare import agree_packed
from _many import main

main(10000, agree_packed)
