"""Turns a check into a question for a reader who sees no program: what is called, what the check states of it, and what
a program gave instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.source.inputs import literal
from agent.source.parsing import module_of
from agent.source.standard import defined_in
from agent.source.values import sentence_in
from agent.state import Check, CheckOutcome

RAISES = "raises "
"""How an answer that is an exception begins."""
NO_EXCEPTION = "no exception"
_ACTUAL = re.compile(r"^\s*actual: (.+)$", re.MULTILINE)
_RAISED = re.compile(r"(?:\w+\.)*([A-Z]\w*)(?::|$)", re.MULTILINE)
_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


@dataclass(frozen=True, slots=True)
class Question:
    call: str
    """The call, or the statements of a test up to it."""
    stated: str
    """What the check states: a value as a literal, or "raises SomeError"."""

    def given(self, outcome: CheckOutcome) -> str | None:
        """Returns what a program that failed the check gave, as its message tells; None if it does not."""
        if outcome.status == "error":
            raised = _RAISED.match(outcome.message)
            return f"{RAISES}{raised[1]}" if raised else None
        if self.stated.startswith(RAISES) and outcome.status == "fail":
            return NO_EXCEPTION
        actual = _ACTUAL.search(outcome.message)
        return actual[1] if actual and literal(actual[1]) is not None else None


def can_be_put(check: Check, header: str, task: str) -> bool:
    """Returns whether a model wrote the check, quotes a sentence of the task in it, and states one thing."""
    written = check.origin in ("spec", "adversary", "critic") and question_of(check, header) is not None
    return written and sentence_in(check.sentence, task)


@lru_cache(maxsize=1024)
def question_of(check: Check, header: str) -> Question | None:
    """Returns the question; None for a check that says more than one thing, computes what it states, or uses a helper
    of its suite's `header`, which the reader would not see."""
    if check.call is not None:
        return Question(check.call, check.expected or "")
    function = next(iter(module_of(check.source).body), None)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or function.args.args:
        return None
    *before, last = function.body[1:] if ast.get_docstring(function) is not None else function.body
    found = _said(last) if all(isinstance(statement, _PLAIN) for statement in before) else None
    if found is None:
        return None
    call = "\n".join(map(ast.unparse, [*before, *found[0]]))
    helpers = set(defined_in(header)) & set(re.findall(r"\w+", call))
    return None if helpers else Question(call, found[1])


def _said(last: ast.stmt) -> tuple[Sequence[ast.AST], str] | None:
    """Returns what the last statement calls and what it states of that; None unless it states one value or error."""
    match last:
        case ast.Assert(ast.Compare(left, [ast.Eq() | ast.Is()], [right])) if literal(ast.unparse(right)) is not None:
            return [left], ast.unparse(right)
        case ast.With([ast.withitem(ast.Call(ast.Attribute(attr="raises") | ast.Name("raises"), [error], []))], body):
            return body, f"{RAISES}{ast.unparse(error).rpartition('.')[2]}"
        case _:
            return None
