#!/usr/bin/env python3
# timeout: 300
"""Damaged packed traces, a few: see _damaged.py."""
from _damaged import main

main(3)
