#!/usr/bin/env python3
# label: long
# again: nightly
# timeout: 3600
"""Damaged packed traces, many; see _damaged.py."""
from _damaged import main
from lib import lots

main(lots(40, 200))
