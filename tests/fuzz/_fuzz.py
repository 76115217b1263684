"""Shared by the scripts of fuzzing: the targets, their corpora, and builds of their own."""
import glob
import os
import subprocess
import sys

SOURCE = os.environ.get("VARVE_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.environ.get("VARVE_BUILD", os.path.join(SOURCE, "build/dev"))
SANITIZE = os.environ.get("VARVE_SANITIZE", "")
FOLDER = os.path.join(SOURCE, "tests/fuzz")
WORDS = os.path.join(FOLDER, "words.dict")
TARGETS = sorted(os.path.basename(path)[5:-2] for path in glob.glob(os.path.join(FOLDER, "fuzz_*.c")))


def corpus(target):
    return os.path.join(FOLDER, "corpus", target)


def corpus_files(target):
    return sorted(glob.glob(os.path.join(glob.escape(corpus(target)), "*")))


def program(target, build=BUILD):
    return os.path.join(build, "fuzz", "fuzz_" + target)


def build_targets(preset, where, *options, targets=("fuzz",)):
    """Configures and builds the targets in a build folder of their own."""
    log = where + ".log"
    os.makedirs(os.path.dirname(where), exist_ok=True)
    with open(log, "w") as file:
        for command in (["cmake", "--preset", preset, "-G", "Ninja", "-B", where, *options],
                        ["cmake", "--build", where, "-j", "2", "--target", *targets]):
            if subprocess.run(command, cwd=SOURCE, stdout=file, stderr=subprocess.STDOUT).returncode:
                with open(log) as told:
                    sys.stdout.write(told.read()[-4000:])
                sys.exit("fuzz: %s fails; all of it is in %s" % (" ".join(command[:3]), log))
    return where


def skip(why):
    print("skipped: " + why)
    sys.exit(77)
