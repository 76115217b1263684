"""The interface of libvarve has not changed: functions, structures and values are those in tests/abi.

Programs that were linked with a version of the library run with the next one, as long as the name libvarve.so.0 stays."""
import difflib
import sys

from _abi import DUMP, LAYOUT, can_dump, difference, layout

WHAT_NOW = """
The interface has changed. New functions, and new constants at the end of an enumeration, are fine. If something that was
there has another type, size or place, programs that are linked with libvarve.so.0 break: that needs another SOVERSION.
When it is meant: tests/abi/renew BUILD-FOLDER, and say why in the commit."""

failed = False
with open(LAYOUT, encoding="utf-8") as file:
    stored = file.read()
changes = list(difflib.unified_diff(stored.splitlines(), layout().splitlines(), "tests/abi/layout.txt", "include/varve",
                                    lineterm="", n=3))
print("not ok layout" if changes else "ok layout, %d lines" % stored.count("\n"))
if changes:
    print("\n".join(changes))
    failed = True
if can_dump():
    found = difference()
    print("not ok types" if found else "ok types, by abidiff with " + DUMP)
    if found:
        print(found)
        failed = True
else:
    print("not ok types: abidw and abidiff are not there; install the package abigail-tools")
if failed:
    print(WHAT_NOW)
sys.exit(1 if failed or not can_dump() else 0)
