"""Drafts rows for the functions that a library's header declares: python3 gen/draft.py --prefix H5 [--cc CC] HEADER

Prints a row for each function, in the order of the header, without an id (0x....): type and kind of the result, name,
arguments with the kind that their type suggests. Scalars are recorded; pointers are not, unless their type shows what they
are. To make a full row of a draft, decide what its pointers mean and which op it has (docs/development/add-a-library.md). Functions
that already have a row in calls/ are omitted.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from rows import read_tables, split_outside  # noqa: E402

# Types that determine the kind of a value.
KINDS: Dict[str, str] = {
    "MPI_Comm": "comm", "MPI_Datatype": "datatype", "MPI_File": "mpi_file", "MPI_Group": "group", "MPI_Info": "info",
    "MPI_Win": "window", "MPI_Op": "reduction", "MPI_Errhandler": "errhandler", "MPI_Message": "mpi_message",
    "MPI_Request": "mpi_request", "MPI_Aint": "long", "MPI_Offset": "offset", "MPI_Count": "long",
    "hid_t": "h5_object", "hsize_t": "uint", "hssize_t": "long", "hbool_t": "truth_value", "haddr_t": "offset", "off_t": "offset",
    "size_t": "size", "ssize_t": "long", "ptrdiff_t": "long", "const char *": "string",
    "int": "int", "unsigned": "uint", "unsigned int": "uint", "long": "long", "unsigned long": "uint", "long long": "long",
    "unsigned long long": "uint", "char": "int", "double": "real", "float": "real",
}
RESULTS: Dict[str, str] = {"void": "void", "double": "real", "herr_t": "h5_status", "htri_t": "h5_truth", "hid_t": "h5_result"}


def preprocessed(compiler: str, header: str) -> str:
    made = subprocess.run([*compiler.split(), "-E", "-P", "-x", "c", "-"], input=f"#include <{header}>\n", text=True,
                          capture_output=True, check=True)
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__extension__|__restrict|\bextern\b|__asm__\s*\([^()]*\)", " ",
                  made.stdout)


def prototypes(text: str, prefix: str) -> Iterator[Tuple[str, str, List[str]]]:
    """Result type, name and arguments of each function whose name begins with the prefix."""
    for statement in re.split(r"[;{}]", text):
        statement = " ".join(statement.split())
        match = re.fullmatch(rf"([A-Za-z_][\w ]*?[ *]+)({prefix}\w*) ?\((.*)\)", statement)
        if match and "typedef" not in match[1] and "return" not in match[1].split():
            yield match[1].strip(), match[2], [a for a in split_outside(match[3], ",") if a not in ("", "void")]


def argument(text: str, number: int) -> str:
    """Declaration and kind. An array becomes a pointer, and an argument without a name gets one."""
    if "(*" in text:
        return f"{text}:skip"
    dimensions = len(re.findall(r"\[[^\]]*\]", text))
    text = re.sub(r"\[[^\]]*\]", "", text).strip()
    match = re.fullmatch(r"(.*?[ *])(\w+)", text)
    words = re.sub(r"\b(const|struct|enum)\b", "", text).replace("*", " ").split()
    named = bool(match) and len(words) > 1
    type_, name = (match[1].strip(), match[2]) if match and named else (text, f"argument{number}")
    type_ = type_ + (" " if not type_.endswith("*") and dimensions else "") + "*" * dimensions
    pointer = type_.endswith("*")
    kind = KINDS.get(type_, ("in" if type_.startswith("const") else "out") if pointer else "int")
    return f"{type_}{'' if pointer else ' '}{name}:{kind}"


def drafted(result: str, name: str, arguments: List[str]) -> str:
    kind = RESULTS.get(result, "charp" if result.endswith("*") else "library_result")
    variadic = arguments[-1:] == ["..."]
    shown = ", ".join(argument(a, n) for n, a in enumerate(arguments[:-1] if variadic else arguments))
    line = f"0x....  {result}:{kind}  {name} ({shown})"
    return f"# variadic, cannot be passed on: {line}" if variadic else line


def main(given: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="draft.py", description="drafts rows from a library's header")
    parser.add_argument("header")
    parser.add_argument("--prefix", required=True, help="what the names of its functions begin with; a regular expression")
    parser.add_argument("--cc", default="cc", help="compiler with its options, like mpicc.openmpi")
    parser.add_argument("--all", action="store_true", help="also those that have a row")
    options = parser.parse_args(given)
    calls = Path(__file__).resolve().parent.parent / "calls"
    known = set() if options.all else {symbol.name for symbol in read_tables(calls).symbols()}
    for result, name, arguments in prototypes(preprocessed(options.cc, options.header), options.prefix):
        if name not in known:
            print(drafted(result, name, arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
