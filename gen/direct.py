"""Makes direct.c: system calls that a program makes by number, through syscall(), recorded as the calls that they are.

A function for each `direct` line of the tables: the body of the row's wrapper, with the arguments as registers hold them
and syscall() as the real function. The record stands inside that of syscall() itself (src/record/libc/kernel_calls.c).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import List

from emit import banner, typed
from rows import Direct, Table
from wrappers import FCNTL_HELPER, INCLUDES, TOLD, Wrapper

REGISTERS = "abcdef"
PARAMETERS = ", ".join(f"long {r}" for r in REGISTERS)


class DirectWrapper(Wrapper):
    """The body for one number."""

    def __init__(self, direct: Direct) -> None:
        # Whatever the library's function returns on failure, syscall() returns -1 and sets errno.
        fail = direct.symbol.fail if direct.symbol.fail in ("never", "map_failed") else "negative"
        super().__init__(replace(direct.symbol, fail=fail, by_caller=False), direct.function)
        if self.condition:
            self.condition = "answer < 0"
        self.direct = direct

    def real_call(self, recorded: bool = False) -> str:
        passed = dict(zip(REGISTERS, REGISTERS))
        for at, argument in enumerate(self.symbol.arguments):
            if recorded and argument.kind.store in TOLD:
                passed[self.register_of(at)] = f"(long)told_{argument.name}"
        return f"real.syscall({self.direct.number}, {', '.join(passed.values())})"

    def register_of(self, at: int) -> str:
        return REGISTERS[self.direct.order[at]] if at < len(self.direct.order) else "0"

    def optional(self) -> List[str]:
        lines = []
        for at, argument in enumerate(self.symbol.arguments):
            cast = f"({argument.type})" + ("(uintptr_t)" if argument.type.endswith("*") else "")
            value = f"{cast}{self.register_of(at)}"
            if argument.optional and argument.condition != ("always",):
                condition = " || ".join(f"(flags & {f}) == {f}" for f in argument.condition)
                value = f"{condition} ? {value} : 0"
            lines += [f"\t{typed(argument.type, argument.name)} = {value};", f"\t(void){argument.name};"]
        return lines

    def passed_through(self, condition: str) -> List[str]:
        return [f"\tif ({condition})", f"\t\treturn {self.real_call()};"]

    def gate(self) -> List[str]:
        return [f"static __attribute__((noinline)) long direct_{self.direct.number}({PARAMETERS})"]

    def called(self) -> List[str]:
        type_ = self.symbol.result_type
        lines = [*self.asked(), f"\tlong answer = {self.real_call(recorded=True)};"]
        if type_ != "void":
            cast = f"({type_})(uintptr_t)" if type_.endswith("*") else f"({type_})"
            lines += [f"\t{typed(type_, 'result')} = {cast}answer;", "\t(void)result;"]
        return lines

    def lines(self) -> List[str]:
        return [re.sub(r"^(\t+)return( result)?;$", r"\1return answer;", line) for line in self.closed(super().lines())]

    def closed(self, made: List[str]) -> List[str]:
        """A void function returns what the kernel answered all the same."""
        return made if self.symbol.result_type != "void" else [*made[:-2], "\treturn answer;", *made[-2:]]


def direct_source(table: Table) -> str:
    lines = [banner("System calls made through syscall(), as the calls that they are."), *INCLUDES,
             '#include "record/libc/direct.h"', "", "#include <errno.h>", "#include <stdbool.h>", "#include <sys/syscall.h>",
             "", FCNTL_HELPER]
    for direct in table.directs:
        lines += [f"#ifdef {direct.number}", *DirectWrapper(direct).lines(), "#endif", ""]
    lines += ["uint16_t direct_id(long number)", "{", "\tswitch (number) {"]
    for direct in table.directs:
        lines += [f"#ifdef {direct.number}", f"\tcase {direct.number}:",
                  f"\t\treturn {direct.function.enumerator};", "#endif"]
    lines += ["\tdefault:", "\t\treturn 0;", "\t}", "}", ""]
    arguments = ", ".join(REGISTERS)
    lines += [f"long direct_call(long number, {PARAMETERS})", "{", "\tswitch (number) {"]
    for direct in table.directs:
        lines += [f"#ifdef {direct.number}", f"\tcase {direct.number}:",
                  f"\t\treturn direct_{direct.number}({arguments});", "#endif"]
    lines += ["\tdefault:", f"\t\treturn real.syscall(number, {arguments});", "\t}", "}", ""]
    return "\n".join(lines)
