"""Small pieces of C that all generated files share: declarators, string literals.

Owns how a symbol is declared; the content of a file is decided by the module that makes it.
"""

from __future__ import annotations

from typing import List

from rows import Symbol


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parameters(symbol: Symbol) -> str:
    """The parameter list as the C library declares it: an optional argument is `...`."""
    parts: List[str] = [a.declaration for a in symbol.arguments if not a.optional]
    if symbol.variadic or symbol.optional:
        parts.append("...")
    return ", ".join(parts) if parts else "void"


def typed(result_type: str, rest: str) -> str:
    """`char *` and `x` make `char *x`, `int` and `x` make `int x`."""
    return f"{result_type}{rest}" if result_type.endswith("*") else f"{result_type} {rest}"


def declare(symbol: Symbol, name: str) -> str:
    return typed(symbol.result_type, f"{name}({parameters(symbol)})")


def declare_pointer(symbol: Symbol) -> str:
    return typed(symbol.result_type, f"(*{symbol.name})({parameters(symbol)})")


def function_type(symbol: Symbol) -> str:
    return typed(symbol.result_type, f"({parameters(symbol)})")
