"""Makes direct.c: records system calls that a program makes with syscall() as calls of the corresponding functions.

It contains a function for each `direct` line of the tables: the body of the row's wrapper, with the arguments in the order of
the registers, and syscall() as the real function. The record is inside that of syscall() (src/record/libc/kernel_calls.c).
"""

from __future__ import annotations

from dataclasses import replace
from typing import List

from emit import typed
from rows import Direct, Table
from template import fill, text_of
from wrappers import WAITED_STORES, Wrapper

REGISTERS = "abcdef"
PARAMETERS = ", ".join(f"long {r}" for r in REGISTERS)


class DirectWrapper(Wrapper):
    """The function for one system call number."""

    def __init__(self, direct: Direct) -> None:
        # syscall() returns -1 on failure and sets errno, even if the library's function returns something else.
        fail = direct.symbol.fail if direct.symbol.fail in ("never", "map_failed") else "negative"
        super().__init__(replace(direct.symbol, fail=fail, by_caller=False), direct.function)
        if self.condition:
            self.condition = "answer < 0"
        self.direct = direct

    def real_call(self, recorded: bool = False) -> str:
        passed = dict(zip(REGISTERS, REGISTERS))
        for at, argument in enumerate(self.symbol.arguments):
            if recorded and argument.kind.store in WAITED_STORES:
                passed[self.register_of(at)] = f"(long)stored_{argument.name}"
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
            lines += [f"{typed(argument.type, argument.name)} = {value};", f"(void){argument.name};"]
        return lines

    @property
    def returning(self) -> str:
        """Even for a void function, the result of the kernel is returned."""
        return "return answer;"

    def passed_through(self, condition: str) -> List[str]:
        return [f"if ({condition})", f"\treturn {self.real_call()};"]

    def gate(self) -> List[str]:
        return [f"static __attribute__((noinline)) long direct_{self.direct.number}({PARAMETERS})"]

    def called(self) -> List[str]:
        type_ = self.symbol.result_type
        lines = [*self.asked(), f"long answer = {self.real_call(recorded=True)};"]
        if type_ != "void":
            cast = f"({type_})(uintptr_t)" if type_.endswith("*") else f"({type_})"
            lines += [f"{typed(type_, 'result')} = {cast}answer;", "(void)result;"]
        return lines


def direct_source(table: Table) -> str:
    functions: List[str] = []
    ids: List[str] = []
    calls: List[str] = []
    for direct in table.directs:
        number = direct.number
        functions += [f"#ifdef {number}", *DirectWrapper(direct).lines(), "#endif", ""]
        ids += [f"#ifdef {number}", f"case {number}:", f"\treturn {direct.function.enumerator};", "#endif"]
        calls += [f"#ifdef {number}", f"case {number}:", f"\treturn direct_{number}({', '.join(REGISTERS)});", "#endif"]
    return text_of(fill("direct.c", fcntl=fill("word_fcntl.c"), functions=functions, ids=ids, calls=calls))
