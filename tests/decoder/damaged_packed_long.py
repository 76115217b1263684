#!/usr/bin/env python3
# label: long
# timeout: 3600
"""Damaged packed traces, many: see _damaged.py."""
from _damaged import main

main(200)
