"""Reads the steps that a report writes down, on lines, in a session or in a sentence: what was done one after the
other, and what was asked at the end. Whether they were read rightly shows when they are done: the given program then
gives what the report says."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.links import outcome_at, skip_markup
from agent.examples.grammar.page import Page
from agent.examples.grammar.shown import text_of
from agent.examples.grammar.typed import can_be_done, names_made, names_used
from agent.examples.grammar.values import balanced
from agent.examples.readers.blocks import LABEL
from agent.examples.readers.only_call import demanded_of
from agent.examples.types import Example
from agent.source.parsing import module_of
from agent.source.steps import as_expression
from agent.source.values import spells_a_value

from .rivals import rivals_of

_LEAD = re.compile(r"[ \t]*(?:(?P<prompt>>>>|In ?\[\d+\]:)|[>*•|-]*[ \t]*(?:\d+[.)][ \t]+)?)[ \t]*`{0,2}")
_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_ALLOWED = (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.Try, ast.Assert)
_MADE = re.compile(r"(?<![\w.=])(?P<name>[^\W\d]\w*)\s*=\s*(?=[^\s=])")
_COMPUTED = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp)
_MOST = 60
"""The most lines, and the most places of a text, that are looked at."""
_INNER = 6
"""The most lines of one statement."""
_FAR = 60
"""How many characters may stand between two steps of a sentence."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked after some steps."""

    call: TextCall
    """The steps and what is asked as one expression, and the place of the last of them in the text."""
    before: tuple[ast.stmt, ...]
    last: str
    strict: bool
    """Whether the steps stand on lines of their own."""
    demanded: str = ""
    """The value with which an assert compares it."""
    stop: int = 0
    """Where its output ends, if that is shown; else 0."""


@dataclass(slots=True)
class _Session:
    names: set[str] = field(default_factory=set[str])
    done: list[ast.stmt] = field(default_factory=list[ast.stmt])

    failed: bool = False
    """Whether the last step raised, as its output says."""

    def settle(self) -> None:
        """Makes the last step one whose exception is caught, if it raised."""
        if self.failed and isinstance(self.done[-1], ast.Expr):
            caught = ast.ExceptHandler(ast.Name("Exception"), None, [ast.Pass()])
            self.done[-1] = ast.Try([self.done[-1]], [caught], [], [])
        self.failed = False

    def add(self, statement: ast.stmt) -> None:
        if not _imports(statement):
            self.done.append(statement)
            self.names |= names_made([statement])


def written_steps(page: Page) -> list[Asked]:
    """Returns what the text asks after steps that name something, in order of the text; [] if no code was given."""
    if not page.has_code:
        return []
    found = [*_on_lines(page)]
    read = {page.text.count("\n", 0, one.call.start) for one in found}
    found += [one for one in _in_sentences(page) if page.text.count("\n", 0, one.call.start) not in read]
    return sorted({one.call.source: one for one in reversed(found)}.values(), key=lambda one: one.call.start)


def wishes_after_steps(page: Page, asked: Sequence[Asked]) -> Iterator[Example]:
    """Yields what the report says should come of the steps, or what may be right of two values that it tells."""
    rivals = defaultdict[str, list[str]](list)
    for source, told in rivals_of(page, [one.call for one in asked]):
        rivals[source] += [] if told.is_error else [told.text]
    for place, one in enumerate(asked):
        behind = asked[place + 1].call.start if place + 1 < len(asked) else len(page.text)
        wanted = _wanted(page, one, behind)
        for value in [wanted] if wanted is not None else rivals[one.call.source]:
            claim = f"assert {one.last} == {value}"
            text = text_of(value) if one.call.printed else None
            claim = f"assert str({one.last}) == {text!r}" if text is not None else claim
            source = "\n".join([*map(ast.unparse, one.before), claim])
            told = page.reading.quote(*page.reading.sentence(one.call.start, one.call.end))
            yield Example(source, told, one.call.source, value)


def _wanted(page: Page, asked: Asked, behind: int) -> str | None:
    """Returns the literal that the words behind the steps call right, up to the next thing that is asked."""
    call = asked.call
    if asked.demanded:
        return asked.demanded
    told = demanded_of(page, call)
    if told is not None:
        return told.outcome.text if told.end <= behind and not told.outcome.is_error else None
    for match in LABEL.finditer(page.text, call.end, behind):
        if match.group("expected"):
            found = outcome_at(page.text, skip_markup(page.text, match.end()))
            line = page.text[match.end() : (page.text + "\n").index("\n", match.end())].strip(" `*")
            if found is not None and not found.is_error:
                return found.text
            return repr(line) if call.printed and line else None
    return None


def _on_lines(page: Page) -> Iterator[Asked]:
    """Reads statements that stand on lines of their own. What stands between a prompt and the next one is output; a
    session without prompts asks at its end, and where a comment stands."""
    session, waiting = _Session(), list[Asked]()
    place, read, typed = 0, 0, False
    lines = page.text.split("\n")
    for number, line in enumerate(lines[: 10 * _MOST]):
        start, place = place, place + len(line) + 1
        lead = _LEAD.match(line)
        prompt, shift = bool(lead and lead["prompt"]), lead.end() if lead else 0
        if number < read or not line.strip():
            typed = typed and bool(line.strip())
            continue
        if typed and not prompt and not _FENCE.match(line):
            waiting = [replace(one, stop=place) for one in waiting]
            session.failed = session.failed or line.startswith("Traceback")
            continue
        code = _code_of(line, shift)
        statements, read = _statements(code, lines, number)
        known = page.names.known | session.names | names_made(statements)
        begins = bool(session.done) or any(isinstance(one, ast.Assign) for one in statements)
        if not statements or not all(_is_step(one, known) for one in statements) or not (begins or prompt):
            yield from waiting
            session, waiting, typed = _Session(), [], False
            continue
        yield from (one for one in waiting if one.stop)
        waiting, typed = [], prompt
        session.settle()
        for statement in statements:
            asked = None if read > number + 1 else _asked(session, statement, code, start + shift)
            waiting = [asked] if asked is not None else []
            if begins:
                session.add(statement)
        if not prompt and "#" in code:
            waiting = [replace(one, stop=place) for one in waiting]
    yield from waiting


def _code_of(line: str, shift: int) -> str:
    """Returns what stands on a line behind its lead; between backticks, if words stand behind those."""
    code = line[shift:]
    return code.partition("`")[0] if line[shift - 1 : shift] == "`" and not code.endswith("`") else code


def _statements(code: str, lines: Sequence[str], number: int) -> tuple[list[ast.stmt], int]:
    """Returns the statements of a line, with the indented lines below it if it opens a block, and the number of the
    next line; [] when it is none."""
    code = code.rstrip("` \t")
    for more in range(_INNER if code.endswith(":") else 1):
        text = "\n".join([code, *(line.rstrip() for line in lines[number + 1 : number + 1 + more])])
        following = lines[number + 1 + more] if number + 1 + more < len(lines) else ""
        body = module_of(text).body
        if body and (not following.startswith(("except", " ", "\t")) or not more):
            return body, number + 1 + more
    return [], number + 1


def _is_step(statement: ast.stmt, known: frozenset[str] | set[str]) -> bool:
    """Returns whether the statement does something with known names alone. A value alone is output."""
    if _imports(statement):
        return True
    idle = isinstance(statement, ast.Expr) and not names_used(statement)
    return isinstance(statement, _ALLOWED) and can_be_done(statement, known) and not idle


def _imports(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _asked(session: _Session, statement: ast.stmt, code: str, shift: int, *, strict: bool = True) -> Asked | None:
    """Returns what an expression of the session asks; None for any other statement, or without steps before it."""
    value, printed = _looked_at(statement), False
    if value is None:
        return None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
        if len(value.args) != 1:
            return None
        value, printed = value.args[0], True
    last, before = ast.unparse(value), tuple(session.done)
    last = f"({last})" if isinstance(value, _COMPUTED) else last
    source = as_expression(before, last)
    if not names_used(value) & session.names:
        source, before = (last, ()) if strict and not before and not isinstance(value, ast.Call) else (None, before)
    if source is None:
        return None
    start, end = (
        len(code.encode()[:place].decode()) for place in (statement.col_offset, statement.end_col_offset or 0)
    )
    call = TextCall(source, shift + start, shift + end, printed)
    return Asked(call, before, last, strict, _demanded(statement))


def _looked_at(statement: ast.stmt) -> ast.expr | None:
    """Returns the expression that stands alone, or whose value is asserted; None for any other statement."""
    match statement:
        case ast.Expr(value=value) | ast.Assert(test=ast.Compare(left=value, ops=[ast.Eq()])):
            return value
        case _:
            return None


def _demanded(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
        told = ast.unparse(statement.test.comparators[0])
        return told if spells_a_value(told) else ""
    return ""


def _in_sentences(page: Page) -> Iterator[Asked]:
    """Reads `a = X(); a.f(1)` and what follows it in one paragraph, with a few words between two steps."""
    text, read = page.text, 0
    for match in islice(_MADE.finditer(page.reading.masked), _MOST):
        if match.start() < read:
            continue
        session, place = _Session(), match.start()
        stop = text.find("\n\n", place)
        stop = len(text) if stop < 0 else stop
        while (found := _next_step(page, session, place, stop)) is not None:
            start, end = found
            statement = ast.parse(text[start:end].replace("\n", " ")).body[0]
            asked = _asked(session, statement, text[start:end], start, strict=False)
            yield from [asked] if asked else []
            session.add(statement)
            place = read = end


def _next_step(page: Page, session: _Session, place: int, stop: int) -> tuple[int, int] | None:
    """Returns the bounds of the next assignment, call or attribute from `place` on; None when none is near."""
    text = page.reading.masked
    named = "|".join(map(re.escape, sorted({*session.names, *page.names.known} or {"\0"})))
    begins = re.compile(rf"(?<![\w.'\"])(?:(?P<made>[^\W\d]\w*\s*=\s*)(?=[^\s=])|(?:{named})(?=[.(\[]|\s*==|\s+\w))")
    near = min(stop, place + _FAR) if session.done else place
    for match in begins.finditer(text, place, stop):
        if match.start() > near:
            return None
        end = _end_of(page.text, match)
        code = page.text[match.start() : end].replace("\n", " ")
        body = module_of(code).body
        if len(body) == 1 and _is_step(body[0], page.names.known | session.names):
            return match.start(), end
    return None


def _end_of(text: str, match: re.Match[str]) -> int:
    """Returns where the expression ends that begins at the match, or behind its `=`: after its brackets, and the
    methods and items behind them."""
    place = match.end()
    if match["made"]:
        word = re.compile(r"[\w.]*").match(text, place)
        place = word.end() if word else place
        value = outcome_at(text, match.end())
        if value is not None and not value.is_error and text[place : place + 1] not in ("(", "."):
            return value.end
    while (bracket := text[place : place + 1]) in ("(", "[", ".") and bracket:
        if bracket == ".":
            name = re.compile(r"\.[^\W\d]\w*").match(text, place)
            if name is None:
                return place
            place = name.end()
            continue
        end = balanced(text, place)
        if end is None:
            return place
        place = end
    return place
