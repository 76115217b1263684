#!/usr/bin/env python3
"""Calls of layer posix: each symbol with good and failing arguments, as dumped and as the program sees them."""
import json

from _calls import check, dumped, run_tests


def test_open():
    check("call_open")


def test_transfer():
    check("call_transfer")


def test_size():
    check("call_size")


def test_stat():
    check("call_stat")


def test_descriptor():
    check("call_descriptor")


def test_name():
    check("call_name")


def test_attribute():
    check("call_attribute")


def test_folder():
    check("call_folder")


def test_map():
    check("call_map")


def test_xattr():
    check("call_xattr")


def test_resolve():
    check("call_resolve")


def test_walk():
    check("call_walk", only_own=True)
    records = [json.loads(line) for line in dumped("--format", "json")]
    assert len({record["pid"] for record in records}) > 1, "the shell that wordexp runs is not traced"


def test_old():
    check("call_old")


def test_terminal():
    check("call_terminal", only_own=True)


def test_mount():
    check("call_mount")


def test_login():
    check("call_login")


def test_watch():
    check("call_watch")


def test_shared():
    check("call_shared")


run_tests(globals())
