"""Checks exceptions that the task demands, and those that it forbids."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from agent.examples.clauses.cases import kinds_listed
from agent.examples.clauses.errors import KINDS, allowed_range
from agent.examples.types import Clause
from agent.examples.vocabulary import has, pattern
from agent.law.bench import KnownInput, LawBench, count_of, is_number, stated_first
from agent.law.passed import LAW, is_about, is_nearest, shown_by
from agent.law.types import broken, kept, left_open
from agent.state import Check
from agent.state.findings import Finding
from sandbox.types import CallOutput

_BEYOND = re.compile(r"(?P<less>below|less than|smaller than|<)|(?:above|greater than|larger than|more than|>)")
_LIMIT = re.compile(rf"(?:{_BEYOND.pattern}) ?(?P<end>-?\d+)(?![\w.])")
_SHOWN = 3
"""How many checks are named."""


async def check_raises(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a passed check of the sentence that demands the exception, or else tries an input that the sentence
    describes."""
    error = clause.names[0]
    if clause.subject == "state":
        return _left_behind(clause, bench, error)
    late = _first_yield(bench) if _AT_ONCE.search(clause.text) else None
    if late is not None:
        told = f"line {late} makes {bench.entry} a generator function, which raises when its first value is asked for"
        return broken(clause, told)
    demanding = rf"raises\(\s*\(?[^()]*\b{error}\b"
    stating = [check for check in bench.passed if is_about(check, clause) and re.search(demanding, check.source)]
    others = [one for one in bench.brief.clauses if one.kind == "raises" and one != clause]
    stating = [c for c in stating if c.origin in LAW or is_nearest(c.sentence, clause, others)]
    beyond = [given.shown(bench.entry) for given in (*_beyond_both_ends(clause, bench), *_of_each_kind(clause, bench))]
    answers = list(zip(beyond, await bench.answers(beyond), strict=True))
    if beyond and (missed := _first_without(error, answers)):
        return left_open(clause, missed)
    if stating and has(clause.text, "message_noun") and not any(map(reads_message, stating)):
        return left_open(clause, f"passed checks ask for {error}, and none looks at its message")
    untried = _untried(clause, bench, stating)
    if stating and untried:
        return left_open(clause, f"no passed check asks {untried}() for {error}")
    if stating:
        return shown_by(clause, stating, "", most=_SHOWN)
    calls = [given.shown(bench.entry) for given in _described(clause, bench)]
    answers = list(zip(calls, await bench.answers(calls), strict=True)) if calls else []
    other = _first_without(error, answers)
    if other or not calls:
        return left_open(clause, other or f"no passed check of this sentence and no known input asks for {error}")
    return kept(clause, f"{' and '.join(calls)} {'raises' if len(calls) == 1 else 'raise'} {error}")


def reads_message(check: Check) -> bool:
    """Returns whether the check looks at more of an exception than its type."""
    for node in ast.walk(ast.parse(check.source)):
        matched = isinstance(node, ast.keyword) and node.arg == "match"
        if matched or (isinstance(node, ast.Attribute) and node.attr in ("value", "args", "msg", "message")):
            return True
        if isinstance(node, ast.ExceptHandler) and node.name:
            return True
    return False


def _untried(clause: Clause, bench: LawBench, stating: Iterable[Check]) -> str:
    """Returns the first function of the task that no such check calls, where the demand is one on each of several; ""
    where there is none."""
    if not pattern("of_every_function").search(clause.text):
        return ""
    called = {name for check in stating for name in re.findall(r"(\w+)\(", check.source)}
    asked = (one.name for one in bench.source.top_functions if re.search(rf"(?<!\w){one.name}\(", bench.task.text))
    return next((name for name in asked if name not in called), "")


def _left_behind(clause: Clause, bench: LawBench, error: str) -> Finding:
    """A passed check that goes on after the exception, and asserts something then."""
    going_on = [check for check in bench.passed if _goes_on(check.source, error)]
    return shown_by(clause, going_on, f"no passed check looks at what is left after {error} was raised")


def _goes_on(source: str, error: str) -> bool:
    for body in (node.body for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)):
        raised = False
        for node in body:
            if raised and any(isinstance(each, ast.Assert) for each in ast.walk(node)):
                return True
            told = node.items if isinstance(node, ast.With) else node.handlers if isinstance(node, ast.Try) else ()
            raised |= any(re.search(rf"\b{error}\b", ast.unparse(each)) for each in told)
    return False


_AT_ONCE = re.compile(
    r"(?<!\w)(?:at once|immediately|right away|eagerly|(?:when|as soon as) (?:it|\w+) is called|on the call|sofort"
    r"|beim aufruf|immédiatement|à l'appel|inmediatamente)(?!\w)|立即|立刻|すぐに",
    re.I,
)


def _first_yield(bench: LawBench) -> int | None:
    """Returns the line that makes the entry a generator function; None when it is none."""
    made = next((node for node in bench.source.tree.body if getattr(node, "name", "") == bench.entry), None)
    if not isinstance(made, ast.FunctionDef):
        return None
    inner = {id(each) for node in ast.walk(made) if node is not made and _is_scope(node) for each in ast.walk(node)}
    yields = (node for node in ast.walk(made) if isinstance(node, ast.Yield | ast.YieldFrom) and id(node) not in inner)
    return min((node.lineno for node in yields), default=None)


def _is_scope(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def _first_without(error: str, answers: Iterable[tuple[str, CallOutput]]) -> str:
    return next((f"{call} gives {out}" for call, out in answers if out.kind != "exception" or out.text != error), "")


def _beyond_both_ends(clause: Clause, bench: LawBench) -> list[KnownInput]:
    """Known inputs with the number that the sentence names just below and above its range."""
    ends = allowed_range(clause.text)
    named = clause.named(bench.parameters)
    name = next(iter(named if len(named) == 1 else bench.parameters if len(bench.parameters) == 1 else ()), "")
    base = next((one for one in bench.known if is_number(one.named(bench.parameters).get(name))), None)
    if ends is None or base is None:
        return []
    return [base.with_value(bench.parameters, name, value) for value in (ends[0] - 1, ends[1] + 1)]


_OF_KIND: Mapping[str, Any] = {
    "negative": -1, "zero": 0, "fraction": 1.5, "text": "a", "truth value": True, "nothing": None,
}  # fmt: skip
"""Kind of inputs, as the reader of clauses names it -> an input of that kind."""


def _of_each_kind(clause: Clause, bench: LawBench) -> list[KnownInput]:
    """Returns an input of each kind that the sentence lists ("negative numbers, zero and strings"), for a function of
    one argument: a test of one of them says nothing of the others."""
    if len(bench.parameters) != 1 or not bench.known:
        return []
    values = [_OF_KIND[kind] for kind in kinds_listed(clause.text) if kind in _OF_KIND]
    return [bench.known[0].with_value(bench.parameters, bench.parameters[0], value) for value in values]


def _described(clause: Clause, bench: LawBench) -> list[KnownInput]:
    """Returns known inputs with one argument changed as the sentence says."""
    found: list[KnownInput] = []
    limits = [
        (re.compile(re.escape(match.group())), (int,), int(match["end"]) + (-beyond if match["less"] else beyond))
        for match in _LIMIT.finditer(clause.text)
        for beyond in (1, 2)
    ]
    for words, kinds, value in (*KINDS, *limits):
        if not words.search(clause.text) or not bench.known:
            continue
        base = bench.known[0]
        for name, present in base.named(bench.parameters).items():
            named = clause.named([name]) or len(bench.parameters) == 1
            if named and isinstance(present, kinds) and not isinstance(present, bool):
                put = value if value is not None else type(present)()
                found.append(base.with_value(bench.parameters, name, put))
    return found


async def check_no_raise(clause: Clause, bench: LawBench) -> Finding:
    """Checks that no known input raises, or none raises what the clause names."""
    calls = [given.shown(bench.entry) for given in bench.known]
    told = list(zip(bench.known, calls, await bench.answers(calls), strict=True))
    if not told:
        return left_open(clause, "no input is known to try it on")
    names = clause.names
    raising = [(g, c, o) for g, c, o in told if o.kind == "exception" and (not names or o.text in names)]
    if raising:
        given, call, output = stated_first(raising)
        return broken(clause, f"{call} {output}") if given.stated else left_open(clause, f"{call} {output}")
    return kept(clause, f"none of {count_of(len(told), 'known input')} raises {' or '.join(names) or 'anything'}")
