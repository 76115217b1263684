"""Makes wrappers_LAYER.c: a plain C function per symbol, between the program and the C library.

All have the form of templates/wrapper.c.in: read the row's switch, enter, make the words that may define names, reserve, store,
begin, real call, return, fill in the words that are known only now, end or fail. This module owns the parts that depend on the row:
arguments, words, hooks, the rule of failure. Rows marked manual get a prototype and no body.
"""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Tuple

from emit import declare, quoted, typed
from rows import PARTS, Argument, Field, Function, Layer, Symbol, Table, TableError
from template import fill

HEAD_WORDS = 4  # WORD_ARGUMENTS of src/codec/lane.h

# Stores whose function may define a name or handle, or make a system call: called before the slot is reserved.
EARLY = {
    "fd", "path", "string", "wide", "stream", "dir", "pointer", "fcntl", "iovec", "sockaddr", "option", "host", "message", "messages",
    "timespec", "timeval", "itimer", "offset_given", "events", "aiocb", "aiocb_read", "aiocb_write", "done_request", "request", "ring", "ring_number", "ioctl", "paths", "walk",
}

UNSIGNED_64 = {"size_t", "unsigned long", "uint64_t", "dev_t", "nfds_t", "eventfd_t"}
UNSIGNED_32 = {"unsigned", "unsigned int", "unsigned short", "uint32_t", "mode_t", "uid_t", "gid_t", "id_t", "socklen_t"}
SIGNED_32 = {"int", "pid_t", "idtype_t", "clockid_t", "key_t", "mqd_t"}
SIGNED_64 = {"long", "long int", "off_t", "off64_t", "ssize_t", "time_t"}

# Names that headers define as macros with arguments when they optimise: the call is written (real.NAME)(...).
MACROS = {"fread_unlocked", "fwrite_unlocked"}

# Fields of struct op (record/ops.h) that are filled from the argument of the same name (or @FIELD).
OP_FIELDS = {
    "fd", "dirfd", "path", "flags", "cmd", "stream", "dir", "buf", "first", "last", "items", "number", "walk",
}

# How a part of an argument (rows.PARTS) is stored.
PART_WORDS = {
    ("pipe", "read_end"): "word_fd(self, {0}[0])",
    ("pipe", "write_end"): "word_fd(self, {0}[1])",
    ("pair", "first_end"): "word_fd(self, {0}[0])",
    ("pair", "second_end"): "word_fd(self, {0}[1])",
    ("message", "size"): "word_message_size(self, {0})",
    ("message", "address"): "word_message_address(self, {0})",
    ("message", "passed"): "word_message_passed(self, {0})",
    ("text", "length"): "strlen({0})",
    ("text_line", "length"): "strlen({0}) + 1",
    ("line", "length"): "result ? strlen({0}) : 0",
    ("gets_line", "length"): "result ? line_length({0}, stdin) : 0",
    ("aiocb", "request"): "word_request_new(self, {0}, DIRECTION_NONE)",
    ("aiocb_read", "request"): "word_request_new(self, {0}, DIRECTION_READ)",
    ("aiocb_write", "request"): "word_request_new(self, {0}, DIRECTION_WRITE)",
    **{(store, part): f"word_aiocb_{part}(self, {{0}})" for store in ("aiocb", "aiocb_read", "aiocb_write")
       for part in ("fd", "offset", "size")},
    ("done_request", "request"): "word_request(self, {0})",
    ("done_request", "fd"): "word_request_fd(self, {0})",
    ("done_request", "direction"): "word_request_direction({0})",
}

# Stores of the status that a wait call returns.
WAITED_STORES = {"reaped", "waited"}


def plain_value(expression: str, type_: str, style: str, place: str) -> str:
    """A number as a word: signed values are sign-extended, flags and unsigned ones zero-extended."""
    type_ = type_.replace("const ", "")
    if type_ in UNSIGNED_64 | UNSIGNED_32:
        return expression
    if type_ in SIGNED_32 and style in ("flags", "hex", "octal"):
        return f"(uint32_t){expression}"
    if type_ in SIGNED_32 | SIGNED_64:
        return f"(uint64_t){expression}"
    raise TableError(place, f"no rule to store a value of type '{type_}' in a word")


def after_in(symbol: Symbol, argument: Argument) -> Argument:
    """The argument after this one, which is its length."""
    at = symbol.arguments.index(argument) + 1
    if at == len(symbol.arguments):
        raise TableError(symbol.place, f"{argument.name} needs its length behind it")
    return symbol.arguments[at]


def word_expression(symbol: Symbol, argument: Argument, field: Field) -> str:
    """The expression that an input argument is stored as."""
    store, name = argument.kind.store, argument.name
    if store in PARTS:
        return PART_WORDS[store, field.name].format(name)
    if store == "path":
        before = symbol.arguments[: symbol.arguments.index(argument)]
        folder = next((a for a in reversed(before) if a.kind.name == "dirfd"), None)
        return f"word_path_at(self, {folder.name}, {name})" if folder else f"word_path(self, {name})"
    if store == "sockaddr":
        return f"word_sockaddr(self, {name}, {after_in(symbol, argument).name})"
    if store == "option":
        return f"word_option(self, level, option, {name}, {after_in(symbol, argument).name})"
    if store == "ring_number":
        return f"word_ring_number(self, {name}, flags)"
    if store in ("fd", "string", "wide", "stream", "dir", "host", "pointer", "timespec", "timeval", "itimer", "offset_given", "events", "request",
                 "ring", "paths", "walk"):
        return f"word_{store}(self, {name})"
    if store == "fcntl":
        return f"word_fcntl(self, cmd, {name})"
    if store == "ioctl":
        return f"word_ioctl(self, request, {name})"
    if store in ("iovec", "messages"):
        count = next(a for a in symbol.arguments if a.kind.name == "count")
        cast = "" if count.type == "int" else "(int)"
        return f"word_{store}(self, {name}, {cast}{count.name})"
    if store == "object":
        return f"word_object({name if argument.type.endswith('*') else f'(const void *){name}'})"
    if store == "int32":
        return f"(uint64_t)(int32_t){name}"
    if store == "uint32":
        return f"(uint32_t){name}"
    if store == "value":
        return plain_value(name, argument.type, argument.kind.style, symbol.place)
    raise TableError(symbol.place, f"kind {argument.kind.name} cannot be stored from an argument")


def output_expression(symbol: Symbol, field: Field) -> str:
    """The expression for an output word if the call did not fail."""
    if field.name == "handle" and field.argument is None:
        return "op.handle"
    if field.name == "made" and field.argument is None:
        return "word_path(self, result)"
    argument = next(a for a in symbol.arguments if a.name == field.argument)
    if argument.kind.store in PARTS:
        return PART_WORDS[argument.kind.store, field.name].format(argument.name)
    if argument.kind.store in ("sockaddr", "option"):
        which = "level, option, " if argument.kind.store == "option" else ""
        return f"word_{argument.kind.store}(self, {which}{argument.name}, reported_length(self, {after_in(symbol, argument).name}, length_room))"
    if argument.kind.store == "ring":
        return f"word_ring(self, {argument.name})"
    if argument.kind.store == "fd_out":
        return f"word_fd(self, *{argument.name})"
    if argument.kind.store == "path_out":
        return f"word_path(self, {argument.name})"
    if argument.kind.store == "waited":
        return f"word_waited(stored_{argument.name})"
    pointee = argument.type.rstrip("*").strip()
    if argument.kind.store == "reaped":
        value = plain_value(f"*stored_{argument.name}", pointee, argument.kind.style, symbol.place)
        return f"result > 0 ? {value} : 0"
    value = plain_value(f"*{argument.name}", pointee, argument.kind.style, symbol.place)
    return f"{argument.name} ? {value} : 0"


def failure(symbol: Symbol) -> Tuple[Optional[str], str]:
    """The condition for a failed call, and the expression of its error number."""
    stream = symbol.stream_expression
    value = "(int32_t)result" if symbol.result.store == "int32" else "result"
    return {
        "never": (None, "0"),
        "negative": (f"{value} < 0", "errno"),
        "null": ("!result", "errno"),
        "map_failed": ("result == MAP_FAILED", "errno"),
        "errno": ("result != 0", "result"),
        "nonzero": ("result != 0", "errno"),
        "stream": (f"{value} < 0 && stream_error({stream})", "errno"),
        "null_stream": (f"!result && stream_error({stream})", "errno"),
        "short_read": (f"result < nmemb && stream_error({stream})", "errno"),
        "short_write": ("result < nmemb && size != 0", "errno"),
        "null_errno": ("!result && error != 0", "error"),
        "returned": ("result < 0", "(int)-result"),
        "aio": ("result < 0", "aio_error_of(request)"),
        "null_end_errno": ("!result && error != 0 && error != ENOENT", "error"),
        "errno_end": ("result != 0 && result != ENOENT", "result"),
        "null_errno_left": ("!result && errno != 0", "errno"),
        "negative_errno": ("result < 0 && error != 0", "error"),
        "minus_one": ("result == -1", "errno"),
        "zero": ("result == 0", "errno"),
        "empty": ("!*result", "errno"),
    }[symbol.fail]


def result_expression(symbol: Symbol) -> str:
    """The result as stored in the record."""
    store = symbol.result.store
    if store == "nothing":
        return "0"
    if store == "handle":
        return "op.handle"
    if store == "truth":
        return "result != NULL"
    if store == "pointer":
        return "(int64_t)word_pointer(self, result)"
    if store == "int32":
        return "(int32_t)result"
    return "(int64_t)result" if symbol.result_type in UNSIGNED_64 else "result"


def failed_result(symbol: Symbol) -> str:
    """The result of a failed call; for a pointer only 0 or -1."""
    if symbol.result_type.endswith("*"):
        return "-1" if symbol.fail == "map_failed" else "0"
    return result_expression(symbol)


def assignment(symbol: Symbol, call: str) -> str:
    return f"{call};" if symbol.result_type == "void" else f"{typed(symbol.result_type, 'result')} = {call};"


def block(condition: str, lines: List[str]) -> List[str]:
    return [f"if ({condition}) {{", *(f"\t{line}" for line in lines), "}"]


class Wrapper:
    """The body of one wrapper, line by line."""

    def __init__(self, symbol: Symbol, function: Function) -> None:
        self.symbol = symbol
        self.function = function
        self.words = HEAD_WORDS + function.words
        self.condition, self.error = failure(symbol)
        self.arguments: Dict[str, Argument] = {a.name: a for a in symbol.arguments}
        op = symbol.op
        self.early_op = bool(op.before or op.begun or op.returned)
        self.hooked = self.early_op or bool(op.after)
        self.path_field = self.hooked_path()

    def hooked_path(self) -> Optional[Field]:
        """The path field for which a hook may need the name's place, because other names can be made before the hook runs."""
        if not self.hooked:
            return None
        for field in self.function.fields:
            argument = self.arguments.get(field.argument) if field.argument else None
            if argument and argument.op_field == "path" and argument.kind.name != "template" and field.word >= 0:
                return field
        return None

    def asked(self) -> List[str]:
        """Requests the status of a child even if the program passes NULL for it."""
        lines = []
        for argument in self.symbol.arguments:
            if argument.kind.store in WAITED_STORES:
                pointee = argument.type.rstrip("*").strip()
                lines += [f"{pointee} own_{argument.name};",
                          f"{typed(argument.type, 'stored_' + argument.name)} = "
                          f"{argument.name} ? {argument.name} : &own_{argument.name};"]
        return lines

    def real_call(self, recorded: bool = False) -> str:
        names = [f"stored_{a.name}" if recorded and a.kind.store in WAITED_STORES else a.name for a in self.symbol.arguments]
        if self.symbol.va:
            return f"real.{self.symbol.va}({', '.join([*names, 'list'])})"
        member = f"real.{self.symbol.name}"
        if self.symbol.by_caller:
            member = (f"((__typeof__({member}))version_for(VERSIONED_{self.symbol.name.upper()}, "
                      f"__builtin_return_address(0), (void *){member}))")
        return f"{f'({member})' if self.symbol.name in MACROS else member}({', '.join(names)})"

    def last_fixed(self) -> str:
        return [a for a in self.symbol.arguments if not a.optional][-1].name

    def listed(self, lines: List[str]) -> List[str]:
        """Lines that read arguments after `...`."""
        return ["va_list list;", f"va_start(list, {self.last_fixed()});", *lines, "va_end(list);"]

    def optional(self) -> List[str]:
        arguments = self.symbol.optional
        if not arguments:
            return []
        taken = [f"{a.name} = va_arg(list, {a.type});" for a in arguments]
        condition = arguments[0].condition
        if condition == ("always",):
            return self.listed([typed(a.type, text) for a, text in zip(arguments, taken)])
        zero = [f"{typed(a.type, a.name)} = {'NULL' if a.type.endswith('*') else '0'};" for a in arguments]
        flags = next(a.name for a in self.symbol.arguments if a.name == "flags")
        asked = " || ".join(f"({flags} & {f}) == {f}" for f in condition)
        return [*zero, *block(asked, self.listed(taken))]

    @property
    def returning(self) -> str:
        """The statement that returns the result."""
        return "return;" if self.symbol.result_type == "void" else "return result;"

    def passed_through(self, condition: str) -> List[str]:
        call = self.real_call()
        made = assignment(self.symbol, call)
        if self.symbol.va:
            return block(condition, [*self.listed([made]), self.returning])
        if self.symbol.result_type == "void":
            return block(condition, [made, self.returning])
        around = self.symbol.op.around
        if around:
            return block(condition, [f"{around}_begin();", made, f"{around}_end();", self.returning])
        return [f"if ({condition})", f"\treturn {call};"]

    def stored(self) -> List[Tuple[Field, str, bool]]:
        """Each recorded field, its expression, and whether it must be computed early."""
        made = []
        for field in self.function.fields:
            if field.word < 0:
                continue
            argument = self.arguments.get(field.argument) if field.argument else None
            if field.name == "stream" and argument is None and self.symbol.stream:
                made.append((field, f"word_stream(self, {self.symbol.stream})", True))
            elif field.output or argument is None:
                made.append((field, "0", False))
            else:
                made.append((field, word_expression(self.symbol, argument, field), argument.kind.store in EARLY))
        return made

    def op_fields(self, after: bool, named: bool = True) -> List[str]:
        """Initialisers of struct op; `named`: the path was made a name."""
        made = []
        for argument in self.symbol.arguments:
            if argument.op_field not in OP_FIELDS:
                continue
            value = argument.name
            if argument.op_field in ("first", "last") and argument.type == "int":
                value = f"{value} > 0 ? (unsigned){value} : 0"
            if argument.op_field in ("flags", "cmd") and argument.type == "unsigned long":
                value = f"(long){value}"
            made.append(f".{argument.op_field} = {value}")
        if self.path_field and named:
            made.append(".place = place")
        fields = {argument.op_field for argument in self.symbol.arguments}
        if "path" in fields and "dirfd" not in fields:
            made.append(".dirfd = AT_FDCWD")
        if self.symbol.op.name == "close_range" and "last" not in self.arguments:
            made.append(".last = ~0u")
        if self.length_argument():
            made.append(".number = length_room")
        if self.symbol.flags:
            made.append(f".flags = {self.symbol.flags}")
        if after:
            made += self.result_fields("")
        return made

    def result_fields(self, prefix: str) -> List[str]:
        """The outcome, as passed to the after hook."""
        made = []
        result = self.symbol.result_type
        if result == "FILE *" and not any(a.op_field == "stream" for a in self.symbol.arguments):
            made.append(f"{prefix}.stream = result")
        if result == "DIR *":
            made.append(f"{prefix}.dir = result")
        if result.endswith("*"):
            made.append(f"{prefix}.result = (int64_t)(intptr_t)result")
        elif result != "void":
            made.append(f"{prefix}.result = result")
        if self.condition is not None:
            made.append(f"{prefix}.failed = failed")
            if self.error == "errno":
                made.append(f"{prefix}.error = error")
        for argument in self.symbol.arguments:
            if argument.kind.store in ("pipe", "pair"):
                ends = ", ".join(f"failed ? -1 : {argument.name}[{i}]" for i in (0, 1))
                made += ([f"{prefix}.fds = {{{ends}}}"] if not prefix else
                         [f"{prefix}.fds[{i}] = failed ? -1 : {argument.name}[{i}]" for i in (0, 1)])
        ends = [f"failed ? -1 : *{a.name}" for a in self.symbol.arguments if a.kind.store == "fd_out"]
        if ends:
            made += ([f"{prefix}.fds = {{{', '.join(ends)}}}"] if not prefix else
                     [f"{prefix}.fds[{i}] = {end}" for i, end in enumerate(ends)])
        return made

    def operation(self, after: bool, *more: str, named: bool = True) -> str:
        return f"struct op op = {{{', '.join([*self.op_fields(after, named), *more])}}};"

    def before(self) -> List[str]:
        if not self.early_op:
            return []
        made = [self.operation(False)]
        if self.symbol.op.before:
            made.append(f"before_{self.symbol.op.before}(self, &op);")
        return made

    def length_argument(self) -> Optional[Argument]:
        """The argument whose length the call changes: the size of the buffer before the call, the size of the result after it."""
        return next((a for a in self.symbol.arguments if a.kind.output and a.kind.store in ("sockaddr", "option")), None)

    def length_room(self) -> List[str]:
        length = self.length_argument()
        return [f"socklen_t length_room = room_for(self, {after_in(self.symbol, length).name});"] if length else []

    def begun(self) -> List[str]:
        return [f"begun_{self.symbol.op.begun}(&op);"] if self.symbol.op.begun else []

    def returned(self) -> List[str]:
        if not self.symbol.op.returned:
            return []
        return ["op.result = result;", f"returned_{self.symbol.op.returned}(&op);"]

    def called(self) -> List[str]:
        around = self.symbol.op.around
        lines = [*self.asked(), assignment(self.symbol, self.real_call(recorded=True))]
        if around:
            lines = [f"{around}_begin();", *lines, f"{around}_end();"]
        if self.symbol.va:
            lines = self.listed(lines)
        if self.symbol.fail.endswith("_errno"):
            lines = ["int errno_before = errno;", "errno = 0;", *lines, "int error = errno;", "if (!error)", "\terrno = errno_before;"]
        return lines

    def outcome(self) -> List[str]:
        """Whether the call failed, and with which error, for the after hook."""
        if not self.condition:
            return []
        failed = [f"bool failed = {self.condition};"]
        return [*failed, "int error = failed ? errno : 0;"] if self.error == "errno" else failed

    def finished(self) -> List[str]:
        symbol, after = self.symbol, []
        outputs = [f"slot[{HEAD_WORDS + f.word}] = {output_expression(symbol, f)};" for f in self.function.fields
                   if f.output and f.word >= 0 and (f.argument is None or f.argument in self.arguments)]
        end = [*outputs, f"wrap_end(self, &call, slot, {result_expression(symbol)});"]
        failed, error = self.condition, self.error
        if symbol.op.after:
            after = [*self.outcome(), *self.after_hook()]
            failed, error = "failed", "error" if error == "errno" else error
        if not self.condition:
            return [*after, *end]
        fail = f"wrap_fail(self, &call, slot, {failed_result(symbol)}, {error});"
        unlikely = f"__builtin_expect({failed}, 0)"
        if len(end) == 1:
            return [*after, f"if ({unlikely})", f"\t{fail}", "else", f"\t{end[0]}"]
        return [*after, *block(unlikely, [fail])[:-1], "} else {", *block("", end)[1:]]

    def after_hook(self) -> List[str]:
        hook = f"after_{self.symbol.op.after}(self, &op);"
        if self.early_op:
            return [*(f"{text};" for text in self.result_fields("op")), hook]
        return [self.operation(True), hook]

    def abouts(self) -> List[str]:
        """The files of the call, for the path filter."""
        made = []
        if self.symbol.stream:
            made.append(f"about_stream({self.symbol.stream})")
        for argument in self.symbol.arguments:
            store = argument.kind.store
            if argument.optional or argument.kind.output:
                continue
            if store == "fd" and argument.kind.style == "fd":
                made.append(f"about_fd({argument.name})")
            elif store in ("stream", "dir"):
                made.append(f"about_{store}({argument.name})")
            elif store == "path":
                before = self.symbol.arguments[: self.symbol.arguments.index(argument)]
                folder = next((a.name for a in reversed(before) if a.kind.name == "dirfd"), "AT_FDCWD")
                made.append(f"about_path({folder}, {argument.name})")
        return made

    def hidden(self) -> List[str]:
        if not self.hooked:
            return []
        op, length = self.symbol.op, self.length_argument()
        room, hook = [], []
        if length and op.after:
            room = [f"socklen_t length_room = self ? room_for(self, {after_in(self.symbol, length).name}) : 0;"]
        if op.after:
            fields = ([f"{text};" for text in self.result_fields("op")] if self.early_op else
                      [self.operation(True, ".hidden = true", named=False)])
            hook = [*self.outcome(), *fields, f"after_{op.after}(self, &op);", "if (op.handle)", "\thandle_unmark(self, op.handle);"]
        return fill("wrapper_hidden.c", room=room, op=[self.operation(False, ".hidden = true", named=False)] if self.early_op else [],
                    before=[f"before_{op.before}(self, &op);"] if op.before else [], begun=self.unseen(self.begun()),
                    real_call=self.called(), returned=self.unseen(self.returned()), after=hook, returning=self.returning)

    @staticmethod
    def unseen(hooks: List[str]) -> List[str]:
        return fill("wrapper_unseen.c", hooks=hooks) if hooks else []

    def switched(self) -> List[str]:
        abouts, enumerator = self.abouts(), self.function.enumerator
        off = f"call_switch[{enumerator}] & SWITCH_{'DEAD' if self.hooked else 'OFF_OR_DEAD'}"
        return fill("wrapper_switched.c", id=enumerator, pass_off=self.passed_through(off),
                    about=[f"const struct about about[] = {{{', '.join(abouts)}}};"] if abouts else [],
                    hooked="true" if self.hooked else "false", abouts="about" if abouts else "NULL", count=str(len(abouts)),
                    pass_asked=self.passed_through("way == SWITCHED_PASS"), hidden=self.hidden())

    def fetched(self) -> List[str]:
        """Prefetches the path into the cache; an invalid address does no harm."""
        return [f"__builtin_prefetch({self.path_field.argument});"] if self.path_field else []

    def gate(self) -> List[str]:
        """The head of the function. A row that is off by default has a function before it that needs no stack frame."""
        symbol = self.symbol
        exported = declare(symbol, f"wrap_{symbol.name}")
        if not self.function.off or self.hooked or symbol.variadic or symbol.optional:
            return [exported]
        call = f"recorded_{symbol.name}({', '.join(a.name for a in symbol.arguments)});"
        void = symbol.result_type == "void"
        return fill("wrapper_gate.c", exported=exported, recorded=declare(symbol, f"recorded_{symbol.name}"), id=self.function.enumerator,
                    passed=f"{'' if void else 'return '}{self.real_call()};", recorded_call=["else", f"\t{call}"] if void else [f"return {call}"])

    def early_words(self) -> List[str]:
        lines = []
        for field, text, early in self.stored():
            if early:
                lines.append(f"uint64_t word{field.word} = {text};")
            if field is self.path_field:
                lines.append("struct name_place place = self->place;")
        return lines

    def stored_words(self) -> List[str]:
        return [f"slot[{HEAD_WORDS + f.word}] = " + (f"word{f.word};" if early else f"{text};") for f, text, early in self.stored()]

    def lines(self) -> List[str]:
        returning = self.returning
        return fill("wrapper.c", head=self.gate(), optional=self.optional(), switched=self.switched(), fetched=self.fetched(),
                    not_recorded=self.passed_through("__builtin_expect(!self, 0)"), early_words=self.early_words(),
                    room=self.length_room(), before=self.before(), size=str(self.words), stored_words=self.stored_words(),
                    id=self.function.enumerator, begun=self.begun(), real_call=self.called(), returned=self.returned(),
                    returning=returning, finished=self.finished(), return_result=[] if returning == "return;" else [returning])


def wrappers(table: Table, layer: Layer) -> str:
    functions = [f for f in table.functions if f.layer == layer.name]
    symbols = [(s, f) for f in functions for s in f.symbols]
    prototypes = [f"EXPORTED {declare(symbol, 'wrap_' + symbol.name)} __asm__({quoted(symbol.name)});"
                  for symbol, _ in symbols if not symbol.manual]
    fcntl = fill("word_fcntl.c") if any(a.kind.store == "fcntl" for s, _ in symbols for a in s.arguments) else []
    bodies = [line for symbol, function in symbols if not symbol.manual for line in Wrapper(symbol, function).lines()]
    lines = fill("wrappers.c", layer=layer.name, prototypes=prototypes, fcntl=fcntl, wrappers=bodies)
    return "\n".join(re.sub(r"[ \t]+$", "", line) for line in lines)
