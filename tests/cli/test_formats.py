#!/usr/bin/env python3
"""--format: `config`, `version`, `doctor`, `control status` and `pack --recover` print the same facts for programs as for
people, and a format that a verb does not have is refused."""
import csv
import io
import json
import os
import subprocess

from lib import VARVE, Run, holds, run_tests, same, varve


def rows(text):
    return list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))


def test_version():
    known = json.loads(varve("version", "--format", "json").stdout)
    same(varve("version").stdout.decode(), f"varve {known['version']} (trace format {known['trace_format']})\n")
    same(rows(varve("version", "-f", "csv").stdout), [{key: str(value) for key, value in known.items()}])


def test_config():
    text = [line.split(None, 1) for line in varve("config").stdout.decode().splitlines()]
    same([name for name, _ in text], ["preload", "preload-sync", "lanes", "version"])
    same(json.loads(varve("config", "--format", "json").stdout), {name.replace("-", "_"): value for name, value in text})
    same(rows(varve("config", "--format", "csv").stdout), [{"name": name, "value": value} for name, value in text])
    same(json.loads(varve("config", "--format", "json", "--lanes", "--version").stdout), dict(text[2:]))
    same(varve("config", "--version").stdout.decode(), text[3][1] + "\n")
    same(rows(varve("config", "--format=csv", "--lanes", env=dict(os.environ, VARVE_LANES='/a,"b')).stdout),
         [{"name": "lanes", "value": '/a,"b'}])


def test_config_without_a_library():
    # The last place where the command searches for it.
    if os.path.exists("/usr/local/lib/libvarve-record.so"):
        print("# skipped: a Varve is installed in /usr/local, whose library would be found")
        return
    os.mkdir("bin")
    with open(VARVE, "rb") as file, open("bin/varve", "wb") as copy:
        copy.write(file.read())
    os.chmod("bin/varve", 0o755)
    for words, status, stdout in ((["--preload"], 4, b""), (["--preload-sync"], 4, b""), (["--version"], 0, None)):
        result = subprocess.run(["bin/varve", "config", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        same((result.returncode, stdout is None or result.stdout == stdout), (status, True), words)
        same(b"libvarve-record" in result.stderr, status == 4, words)
    result = subprocess.run(["bin/varve", "config", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same((result.returncode, json.loads(result.stdout)["preload"]), (4, None))


def test_doctor():
    for words in ([], ["--root", "/"], ["/bin/true"], ["/no/such/program"]):
        report = varve("doctor", "--format", "json", *words)
        table = varve("doctor", "--format", "csv", *words)
        same(report.returncode, table.returncode, words)
        # Files of others in /dev/shm differ from call to call.
        same(*([finding for finding in found if not finding["check"].startswith("lanes")]
               for found in (rows(table.stdout), json.loads(report.stdout)["findings"])), words)
    assert table.stdout.startswith(b"severity,check,what,why,do\n"), table.stdout
    same(rows(table.stdout)[0]["severity"], "blocks")


def test_control_status():
    with Run() as run:
        status = json.loads(varve("control", "--format", "json", run.pid, "status").stdout)
        same((status["recording"], status["paused_by"], status["process"]), (True, None, {"number": 1, "recording": True}))
        same((status["trace"], status["processes"]), (os.path.realpath("t.varve"), 1))
        same(varve("control", run.pid, "pause").returncode, 0)
        status = json.loads(varve("control", "--format", "json", run.pid, "status").stdout)
        same((status["recording"], status["process"]["recording"], status["paused_processes"]), (True, False, 1))
        whole = str(run.record.pid)
        same(varve("control", whole, "pause").returncode, 0)
        status = json.loads(varve("control", "-f", "json", whole, "status").stdout)
        same((status["recording"], status["paused_by"], "process" in status), (False, "request", False))
        result = varve("control", "--format", "csv", run.pid, "status")
        same((result.returncode, result.stdout), (2, b""))
        holds(result.stderr, b"--format ... text ... json ... 'csv'")


def test_pack():
    with Run() as run:
        run.kill()
    records = json.loads(varve("info", "--format", "json", "t.varve").stdout)["records"]
    result = varve("pack", "--recover", "--format", "json", "t.varve")
    same((result.returncode, result.stderr), (0, b""))
    same(json.loads(result.stdout), {"trace": "t.varve", "records": records, "threads": 1, "alive": False})
    result = varve("pack", "--recover", "--format", "json", "t.varve")
    same(json.loads(result.stdout), {"trace": "t.varve", "records": 0, "threads": 0, "alive": False})
    same(varve("pack", "--recover", "--format", "csv", "t.varve").returncode, 2)


def test_wrong_formats():
    for verb in ("info", "dump", "doctor", "config", "version"):
        for format in ("xml", "", "jso", "text json"):
            words = ["x"] if verb in ("info", "dump") else []
            result = varve(verb, "--format", format, *words)
            same((result.returncode, result.stdout), (2, b""), (verb, format))
            holds(result.stderr, b"--format ... text ... json ... csv ... '%s'" % format.encode())


run_tests(globals())
