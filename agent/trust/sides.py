"""Finds limits of the task, such as "50 or more", whose number a comparison of the program puts on the other side
(`total > 50`), or on a side that only the program decides."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Literal

from agent.examples.clauses.quantities import numbers_in
from agent.examples.vocabulary import any_of, pattern
from agent.source.parsing import module_of

Side = Literal["more", "less"]
"""Whether the number itself belongs to what is more, or to what is less."""
_Place = Side | Literal["itself"]
_LEAST = 3
"""Smaller whole numbers stand in programs for other reasons too, and are not looked at."""
_WORDS = 40
"""How many characters before and after a number are searched for the words of its limit."""
_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip
_SIDES: Mapping[type[ast.cmpop], Side] = {ast.Lt: "more", ast.GtE: "more", ast.Gt: "less", ast.LtE: "less"}
"""The side to which a comparison puts the number, if it stands on the right."""


def misplaced(code: str, text: str, shown: Collection[str] = ()) -> list[str]:
    """Returns a sentence on each limit of the task's `text` that every comparison with its number contradicts. Numbers
    in an example (`shown`) are left out: what holds at the limit was executed there. Only values that the program is
    given or adds up are looked at; a counter may rightly be compared before it is increased."""
    compared, found = _by_number(code, shown), list[str]()
    for number, (side, words) in _limits(text).items():
        sides, told, line = compared.get(number, _NONE)
        if sides and not {side, "itself"} & sides:
            found.append(f"line {line}: `{told}` has {number:g} on the other side than “{words}” of the task")
    return found


def undecided(code: str, text: str, shown: Collection[str] = (), given: str = "") -> list[str]:
    """Returns a sentence on each number of the task's `text` that the program compares with and that follows a word
    with two readings, such as "until 6", if neither an example (`shown`) nor anything else decides the side. "up to 12"
    includes 12 for most people, but not for an author of `< 12`. Left out are numbers that the `given` program puts on
    the same side, and numbers that are compared in both ways."""
    compared, limits, before = _by_number(code, shown), _limits(text), _by_number(given, ())
    found: list[str] = []
    for number, usual in _open_limits(text).items():
        sides, told, line = compared.get(number, _NONE)
        settled = number in limits or "itself" in sides or usual & sides or before.get(number, _NONE)[0] == sides
        if len(sides) == 1 and not settled:
            found.append(f"no example shows on which side {number:g} lies, which line {line} decides: `{told}`")
    return found


_NONE: tuple[set[_Place], str, int] = (set(), "", 0)
_CLAUSE_END = re.compile(r"[.;!?\n](?!\d)")
_SIGNS = "<>=≤≥-+.[(\u2013"
"""A sign beside a number already says on which side the number lies."""


def _by_number(code: str, shown: Collection[str]) -> dict[float, tuple[set[_Place], str, int]]:
    """Returns, for each number that no example holds, the sides that the program's comparisons put it on, one
    comparison, and its line."""
    found: dict[float, tuple[set[_Place], str, int]] = {}
    for (number, side), told, line in _compared(module_of(code)):
        found.setdefault(number, (set(), told, line))[0].add(side)
    return {number: each for number, each in found.items() if not any(_holds(one, number) for one in shown)}


def _open_limits(text: str) -> dict[float, set[Side]]:
    """Returns each number that only words with two readings introduce, with the sides that most people read. Numbers
    that nearby words settle, and small ones, are left out."""
    found: dict[float, set[Side]] = {}
    settled: set[float] = set()
    for number, start, end in numbers_in(text, 0, len(text), words=True):
        begin = max((match.end() for match in _CLAUSE_END.finditer(text, max(0, start - _WORDS), start)), default=0)
        begin, stop = max(begin, start - _WORDS), _CLAUSE_END.search(text, end, end + _WORDS)
        near = f"{text[start - 1 : start]}{text[end : end + 2].strip()[:1]}"
        signed = any(sign in _SIGNS for sign in near.rstrip(".")) or text.startswith("..", end)
        if signed or pattern("settles_side").search(text, begin, stop.start() if stop else end + _WORDS):
            settled.add(number)
            continue
        for name in ("open", "open_more", "open_less"):
            led = not number.is_integer() or abs(number) >= _LEAST
            if led and _frame(any_of(f"side_{name}"), "")[0].search(text, begin, start):
                found.setdefault(number, set()).update(_USUAL[name])
    return {number: sides for number, sides in found.items() if number not in settled}


_USUAL: Mapping[str, tuple[Side, ...]] = {"open": (), "open_more": ("more",), "open_less": ("less",)}


def _holds(source: str, number: float) -> bool:
    return any(value == number for value, _, _ in numbers_in(source, 0, len(source)))


def _limits(text: str) -> dict[float, tuple[Side, str]]:
    """Returns each number that the words next to it make a limit, with its side; without numbers that occur with both
    sides."""
    found: dict[float, tuple[Side, str]] = {}
    both: set[float] = set()
    for number, start, end in numbers_in(text, 0, len(text), words=True):
        if number.is_integer() and abs(number) < _LEAST:
            continue
        for side in ("more", "less"):
            before, after = _words(side)
            lead = before.search(text, max(0, start - _WORDS), start)
            rest = after.match(text, end, end + _WORDS)
            if lead is None and rest is None:
                lead, rest = _paired(side, text, start, end)
            if lead is None and rest is None:
                continue
            told = text[lead.start() if lead else start : rest.end() if rest else end]
            if found.setdefault(number, (side, " ".join(told.split())))[0] != side:
                both.add(number)
    return {number: told for number, told in found.items() if number not in both}


def _paired(side: Side, text: str, start: int, end: int) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Finds limits of two parts, "from 10 pieces on", "to 20 (exclusive)"; one part alone says nothing."""
    for first, last in _PAIRS[side]:
        before, after = _frame(any_of(first), any_of(last))
        lead, rest = before.search(text, max(0, start - _WORDS), start), after.match(text, end, end + _WORDS)
        if lead and rest:
            return lead, rest
    return None, None


_PAIRS: Mapping[Side, tuple[tuple[str, str], ...]] = {
    "more": (("from_limit", "on_limit"), ("begins_at", "with_it"), ("ends_at", "without_it")),
    "less": (("ends_at", "with_it"), ("begins_at", "without_it")),
}


def _words(side: Side) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return _frame(any_of(f"with_{side}"), any_of(f"with_{side}_after"))


@cache
def _frame(lead: str, rest: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns patterns for what ends before the number, and for what begins after the number or its unit."""
    before = rf"(?<!\w){lead}(?:\s*:)?\s+(?:(?:an?|the)\s+)?[€$£]?\s?$"
    after = rf"\s*(?:%|€|\$|[^\W\d]+)?\s*(?<!\w){rest}(?:(?<=\))|(?!\w)(?!\s+(?:to\s+|bis\s+)?[€$]?\d))"
    return re.compile(before, re.I), re.compile(after, re.I)


def _compared(tree: ast.Module) -> Iterator[tuple[tuple[float, _Place], str, int]]:
    """Yields each comparison of a plain quantity with a number, or with a name that is set to one once. Numbers that
    the program also computes with are left out: `40 * rate` beside `hours < 40` gives the same result on both sides of
    the limit."""
    nodes = list(ast.walk(tree))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    once = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and stored.count(node.targets[0].id) == 1
    }

    def number(node: ast.AST) -> float | None:
        return _number(once.get(node.id, node) if isinstance(node, ast.Name) else node)

    compares = [node for node in nodes if isinstance(node, ast.Compare)]
    sides = {id(one) for node in compares for one in (node.left, *node.comparators)}
    apart = [node for node in nodes if id(node) not in sides and not any(node is one for one in once.values())]
    computed = {number(node) for node in apart if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)}
    counted = {ast.unparse(one) for node in nodes for one in _counted(node)}
    for node in compares:
        for left, sign, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            mirrored = _MIRRORED.get(type(sign), type(sign))
            for side, other, operator in ((right, left, type(sign)), (left, right, mirrored)):
                value, measured = number(side), _measured(other)
                if value is None or value in computed or measured is None or ast.unparse(measured) in counted:
                    continue
                if operator in _SIDES or operator is ast.Eq:
                    yield (value, _SIDES.get(operator, "itself")), ast.unparse(node), node.lineno


def _counted(node: ast.AST) -> list[ast.expr]:
    """Returns what a statement, a loop or a call counts up or makes longer. Such values are compared before an increase
    as well as after it: `if len(found) >= 5: break` keeps five too."""
    if isinstance(node, ast.AugAssign) and (_number(node.value) is not None or _is_display(node.value)):
        return [node.target]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [
            one for one in (node.left, node.right) if _number(node.left) is not None or _number(node.right) is not None
        ]
    if isinstance(node, ast.Assign):
        own = {ast.unparse(one) for one in ast.walk(node.value) if isinstance(one, ast.Name | ast.Attribute)}
        changed = [one.value for one in node.targets if isinstance(one, ast.Subscript)]
        return [*changed, *(one for one in node.targets if ast.unparse(one) in own)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return [*node.value.args, *([called.value] if isinstance(called, ast.Attribute) else [])]
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Call):
        first = node.target.elts[0] if isinstance(node.target, ast.Tuple) else node.target
        return [first] if ast.unparse(node.iter.func).rpartition(".")[2] in ("enumerate", "range", "count") else []
    return []


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.JoinedStr | ast.Constant)


def _measured(node: ast.expr) -> ast.expr | None:
    """Returns the plain quantity that is compared, or whose length or sum is; None for a computed value."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "sum") and node.args:
        node = node.args[0]
        return None if isinstance(node, ast.Name) and node.id == "self" else node
    return node if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else None


def _number(node: ast.AST) -> float | None:
    if not isinstance(node, ast.Constant | ast.UnaryOp):
        return None
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
