"""Reads several promises that one sentence tells in a row: "True for 2000 and 2024 and False for 1900", "for 'a' it is
1, for 'b' 2", "2000 → True, 1900 → False". What a single pair leaves open, a row of the same form decides."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from agent.examples.fitting import fits as is_of_type
from agent.examples.grammar.endings import leads_to
from agent.examples.grammar.links import (
    ARROW,
    PromisedValue,
    is_told_apart,
    kind_of_value,
    outcome_at,
    skip_markup,
    token_at,
    tokens_from,
    tokens_in,
)
from agent.examples.grammar.page import Page
from agent.examples.grammar.statements import example_of, tail_of
from agent.examples.grammar.values import BEGINS, value_at
from agent.examples.types import Clause, Example
from agent.examples.vocabulary import any_of, pattern
from agent.source.inputs import literal
from agent.source.parsing import expression_of

Form = Literal["value", "for", "arrow"]
"""value: "True for 2000". for: "for 2000 it is True". arrow: "2000 → True"."""

_LITERAL = re.compile(rf"(?<![\w.)\]\"'-])(?:{BEGINS}|[A-Z]\w*(?:Error|Exception)\b)", re.I)
_FOR = re.compile(rf"(?:{any_of('input')}|{any_of('for')})\s+`?", re.I)
_LAST_FOR = re.compile(rf"(?<!\w){any_of('input')}\s+`?\Z", re.I)
_ARROW = re.compile(rf"[ \t`]*(?:{ARROW})[ \t`]*")
_BETWEEN = re.compile(
    rf"[ \t`]*(?:[,;]|{any_of('and_word')}(?!\w))[ \t`]*\n?[ \t`]*(?:{any_of('and_word')}(?!\w)[ \t`]*)?", re.I
)
_BREAK = re.compile(r"[,;:(—–][ \t`]*|(?<=\() ?")  # noqa: RUF001
_SAID = frozenset(("is", "gives", "must", "expected", "colon", "arrow", "equals"))
_IT = re.compile(
    rf"it|that|the|you|we|es|das|man|ce|c'|on|elle|il|se|lo|la|el|да|это|{any_of('outcome')}|{any_of('function')}", re.I
)
"""What may be named again between an input and its outcome."""
_ADVERB = re.compile(r"\w{3,}(?:ly|mente|ment|weise|но)", re.I)
_LEAD = 24
"""Characters before an input that are searched for the word that leads to it."""
_MOST = 200
"""How many literals of a text are looked at."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Inputs of which one outcome is told."""

    inputs: tuple[str, ...]
    outcome: PromisedValue
    end: int
    enumerated: bool = False
    """Whether "and" stands before the last of several inputs."""
    told: bool = False
    """Whether a word or sign, not only the order, ties input and outcome."""


@dataclass(frozen=True, slots=True)
class _Row:
    form: Form
    groups: tuple[_Group, ...]
    end: int


def row_examples(page: Page, kinds: Collection[str], clauses: Collection[Clause]) -> Iterator[Example]:
    """Yields one example for each input of a row. `kinds` are the kinds of the argument as far as they are known."""
    names = page.names
    if names.entry is None or not names.required or names.is_class or page.reporting:
        return
    end = 0
    for match in [*_LITERAL.finditer(page.reading.masked)][:_MOST]:
        if match.start() < end:
            continue
        row = _row_at(page.text, match.start())
        if (
            row is None
            or not _is_promised(page, match.start(), row)
            or not _is_sound(page, match.start(), row, kinds, clauses)
        ):
            continue
        end = row.end
        for group in row.groups:
            for given in group.inputs:
                yield example_of(page, f"{names.entry}({_arguments(page, given)})", group.outcome, match.start(), end)


def _row_at(text: str, place: int) -> _Row | None:
    """Returns the row that begins with the literal at `place`, in the form of its first group."""
    led = _LAST_FOR.search(text, max(0, place - _LEAD), place) is not None
    forms: tuple[Form, ...] = ("for",) if led else ("arrow", "value")
    for form in forms:
        groups, end = list[_Group](), place
        while (group := _group_at(text, end, form, first=not groups)) is not None:
            groups.append(group)
            between = _BETWEEN.match(text, group.end)
            if between is None or _group_at(text, between.end(), form, first=False) is None:
                break
            end = between.end()
        stop = _closed(text, groups[-1], form) if groups else None
        if stop is not None:
            return _Row(form, tuple(groups), stop)
    return None


def _closed(text: str, last: _Group, form: Form) -> int | None:
    """Returns where the row is complete, behind a verb that may end it ("... für 9 liefern"); None where more follows
    that could change it."""
    tail = tail_of(text, replace(last.outcome, text=last.inputs[-1], end=last.end) if form == "value" else last.outcome)
    return tail.end if tail.closed and tail.kinds <= {"gives", "must", "noise", "is"} else None


def _group_at(text: str, place: int, form: Form, *, first: bool) -> _Group | None:
    if form == "value":
        return _value_first(text, place)
    if form == "arrow":
        given = value_at(text, place)
        arrow = _ARROW.match(text, given[1]) if given else None
        outcome = outcome_at(text, arrow.end()) if arrow else None
        return _Group((given[0],), outcome, outcome.end, told=True) if given and outcome else None
    if not first:
        word = _FOR.match(text, place)
        if word is None:
            return None
        place = word.end()
    return _input_first(text, place)


def _value_first(text: str, place: int) -> _Group | None:
    """Reads "True for 2000, 2024 and 2028"; what is followed by "for" itself begins the next group."""
    outcome = outcome_at(text, place)
    word = _FOR.match(text, skip_markup(text, outcome.end)) if outcome else None
    given = value_at(text, word.end()) if word else None
    if outcome is None or given is None:
        return None
    inputs, end, enumerated = [given[0]], given[1], False
    while (between := _BETWEEN.match(text, end)) is not None:
        following = value_at(text, between.end())
        if following is None or _FOR.match(text, skip_markup(text, following[1])):
            break
        inputs.append(following[0])
        end, enumerated = following[1], re.search(r"[^\W\d_]", between.group()) is not None
    return _Group(tuple(inputs), outcome, end, enumerated, told=True)


def _input_first(text: str, place: int) -> _Group | None:
    """Reads "2000 it is True", and "1900 False" behind such a group."""
    given = value_at(text, place)
    if given is None:
        return None
    stop, told = given[1], False
    for token in tokens_from(text, given[1]):
        if token.kind not in _SAID and not _IT.fullmatch(text, token.start, token.end):
            break
        stop, told = token.end, told or token.kind != "noise"
        if outcome_at(text, skip_markup(text, stop)) is not None:
            break
    outcome = outcome_at(text, skip_markup(text, stop))
    return _Group((given[0],), outcome, outcome.end, told=told) if outcome is not None else None


def _is_promised(page: Page, start: int, row: _Row) -> bool:
    """Returns whether what stands before the row leaves it as it is, and nothing around it takes it back."""
    begin, stop = page.reading.sentence(start, row.end)
    doubts = page.doubts
    if (
        doubts.between(begin, start, "denied", "about", "supposed", "imagined", "reported")
        or doubts.between(row.end, stop, "about", "reported", "imagined", "supposed")
        or doubts.unsure(begin, stop)
        or doubts.called_wrong(row.end)
        or pattern("no_example").search(page.reading.masked, begin, start)
        or not page.is_law(start, "symbol")
    ):
        return False
    front = next((one for one in _fronts(page, begin, start) if leads_to(page.text, one, start, "example")), None)
    return front is not None and _is_led(page, front, start, row)


def _fronts(page: Page, begin: int, start: int) -> Iterator[int]:
    """Yields where the words that lead to the row may begin: at the sentence, and in the sentence that names what is to
    be written, behind that name and behind each sign that parts a clause from it."""
    yield begin
    named = re.search(rf"(?<!\w){re.escape(page.names.entry or '')}(?!\w)`?(?:\s*\([^()]*\))?`?", page.text)
    if named is not None and begin <= named.start() < named.end() <= start:
        breaks = [match.end() for match in _BREAK.finditer(page.text, named.end(), start)]
        yield from (*reversed(breaks), named.end())


def _is_led(page: Page, front: int, start: int, row: _Row) -> bool:
    """Returns whether the words from `front` on, together with the row, say that the function gives these outcomes. In
    "returns a value that is True for 2" the outcome is no result, and in "rarely returns True for 2" hardly one."""
    said = [token.kind for token in tokens_in(page.text, front, start)]
    words = page.text[front:start]
    if any(_ADVERB.fullmatch(word) and token_at(f"{word} ", 0) is None for word in re.findall(r"\w+", words)):
        return False
    several = len(row.groups) > 1
    if row.form != "value":
        return several and row.groups[0].told
    gives = max((place for place, kind in enumerate(said) if kind in ("gives", "raises")), default=None)
    if gives is not None:
        return "is" not in said[gives:]
    plain = all(is_told_apart(group.outcome) for group in row.groups)
    return (
        bool({*said} & {"must", "expected", "is"})
        or pattern("example").search(words) is not None
        or (plain and several)
    )


def _is_sound(page: Page, start: int, row: _Row, kinds: Collection[str], clauses: Collection[Clause]) -> bool:
    """Returns whether the inputs can be arguments and the outcomes results, and the row is no table of parts."""
    inputs = [given for group in row.groups for given in group.inputs]
    shown = {kind_of_value(given) for given in inputs} - {"None"}
    if len(set(inputs)) < len(inputs) or len(shown) > 1 or (kinds and not shown <= {*kinds}):
        return False
    if any(_arguments(page, given) == "" for given in inputs) or not all(map(_enumerates, row.groups)):
        return False
    results = [one.names[0] for one in clauses if one.kind == "type" and one.subject == "result"]
    values: list[Any] = [told[0] for group in row.groups if (told := literal(group.outcome.text)) is not None]
    if any(is_of_type(value, name) is False for value in values for name in results):
        return False
    if row.form != "arrow":
        return shown != {"bool"} or bool(kinds)
    whole = shown <= {"list", "tuple", "dict"} or {"True", "False"} <= {group.outcome.text for group in row.groups}
    return whole or _is_no_table(page, start, inputs)


def _enumerates(group: _Group) -> bool:
    """Returns whether several inputs are told one by one. "6 for 1, 2, 3" may be one list without its brackets; a
    quantity for "1, 2 and 3" may be their sum."""
    return len(group.inputs) == 1 or (is_told_apart(group.outcome) and group.enumerated)


def _is_no_table(page: Page, start: int, inputs: Collection[str]) -> bool:
    """Returns whether pairs of numbers or texts are inputs and outputs of the function, and not parts that it replaces:
    they are a sentence of their own or stand right behind the name of the function, and texts among the inputs are not
    all plain words, as the parts of a table are."""
    begin = page.reading.sentence(start, start)[0]
    behind = re.search(
        rf"(?<!\w){re.escape(page.names.entry or '')}`?(?:\([^()]*\))?`?:[ \t`]*\Z", page.text[begin:start]
    )
    own = behind is not None or leads_to(page.text, begin, start, "example")
    return own and not all(given[1:-1].isalpha() for given in inputs)


def _arguments(page: Page, given: str) -> str:
    """Returns what is written between the brackets of the call; "" for an input that does not fit the parameters."""
    required = page.names.required
    if required == 1:
        return given
    node = expression_of(given)
    return given[1:-1] if isinstance(node, ast.Tuple) and len(node.elts) == required else ""
