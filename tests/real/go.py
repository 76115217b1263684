#!/usr/bin/env python3
# timeout: 600
"""A program made by Go with cgo: its C code and the programs that it starts are recorded, and what is not is said first."""
import os
import subprocess

from _real import need, run_tests, same
from lib import RUNTIME, compare

PROGRAM = """package main

/*
#include <stdio.h>
static void say(void) { FILE *file = fopen("c.txt", "w"); fputs("from C\\n", file); fclose(file); }
*/
import "C"
import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	C.say()
	os.WriteFile("go.txt", []byte("from Go\\n"), 0644)
	out, err := exec.Command("cat", "go.txt").Output()
	fmt.Print(string(out), err, "\\n")
	shell := exec.Command("sh", "-c", "cat c.txt; exit 3")
	shell.Stdout = os.Stdout
	fmt.Println(shell.Run())
	os.Exit(4)
}
"""


def test_cgo():
    go = need("go")
    with open("main.go", "w") as file:
        file.write(PROGRAM)
    with open("go.mod", "w") as file:
        file.write("module program\ngo 1.19\n")
    environment = dict(os.environ, HOME=os.getcwd(), GOCACHE=os.path.abspath("cache"), CGO_ENABLED="1")
    subprocess.run([go, "build", "-o", "program", "."], check=True, env=environment)
    trace = compare([os.path.abspath("program")], status=4)
    same(trace.losses(), {RUNTIME: 1})
    info = trace.info()
    same([(os.path.basename(process["exe"]), process["began"], process.get("status")) for process in info["processes"][:3]],
         [("program", "start", 4), ("cat", "libc", 0), (os.path.basename(os.path.realpath("/bin/sh")), "libc", 3)])
    names = {os.path.basename(call["path"]) for call in trace.calls("--function", "fopen,open,openat") if call.get("path")}
    same({"c.txt", "go.txt"} <= names, True, names)


run_tests(globals())
