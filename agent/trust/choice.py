"""Recognizes answers that differ only in which of several equal things they choose, or in what order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from agent.source.inputs import arguments_of, literal
from sandbox.types import CallOutput

from .agreement import compare
from .facts import CandidateFacts, CheckFacts
from .reading import FactsView, fails, stands

_MOSTLY = 0.5
"""The share of differing inputs that must be such a choice; the other inputs may be ones that the task does not
allow."""
_SWAPS = 3
"""The most items by which two answers may differ and still be a choice among equals."""
_LONGEST = 2000
"""The most characters of an answer that is looked at."""
_READINGS: tuple[Callable[[str], list[str]], ...] = (lambda text: re.findall(r"\w+", text.lower()), list)
"""How a text is split: into words, or into letters."""


def only_chooses(reading: FactsView, one: CandidateFacts, other: CandidateFacts, checks: Sequence[CheckFacts]) -> bool:
    """Returns whether `other` fails these checks, which `one` passes, only by a choice that the task leaves open.
    Tester and program may have guessed the same rule, which refutes no other. Returns False if the two often differ in
    other ways too: one of them then does something else."""
    if not reading.facts.ties_open or any(check.anchor or check.ruling for check in checks):
        return False
    differing = compare(one, other, reading.all_calls).different
    values = [call for call in differing if one.outputs[call].kind == other.outputs[call].kind == "value"]
    chosen = {call for call in values if is_choice(call, one.outputs[call], other.outputs[call])}
    return all(check.call in chosen for check in checks) and len(chosen) > _MOSTLY * len(values)


def chosen_otherwise(reading: FactsView, judged: CandidateFacts) -> str:
    """Returns an input with two answers that are a choice among equals: what an earlier program of the family gave, or
    what a check states that was set aside because programs agree. Returns "" if there is none."""
    for other in reading.witnesses if reading.facts.ties_open else ():
        failed = [check for check in reading.failed(other) if not fails(judged, check)]
        if failed and other.root == judged.root and only_chooses(reading, judged, other, failed):
            call = failed[0].call or ""
            return f"{call}: {judged.outputs[call]} / {other.outputs[call]}"
    for check in reading.facts.checks if reading.facts.ties_open else ():
        mine = judged.outputs.get(check.call or "")
        aside = not stands(check) and check.ruled_by == "agreement"
        if aside and mine and check.call and check.expected and is_choice(check.call, mine, check.expected):
            return f"{check.call}: {mine} / {check.expected}"
    return ""


def is_choice(call: str, one: CallOutput, other: CallOutput) -> bool:
    """Returns whether two answers differ as readings do of a task that says nothing of ties or order: the same items in
    another order, equally long parts of the input, or items that could change places in the input without changing it
    but for its order."""
    given, mine, theirs = arguments_of(call), literal(one.text), literal(other.text)
    if given is None or mine is None or theirs is None or one == other or {one.kind, other.kind} != {"value"}:
        return False
    if max(len(one.text), len(other.text)) > _LONGEST or type(mine[0]) is not type(theirs[0]):
        return False
    left, right = mine[0], theirs[0]
    return _bag(left) == _bag(right) or _are_parts(left, right, given) or _are_equals(left, right, given)


def _bag(value: Any, *, inner: bool = False) -> object:
    """Returns an object that is equal for values that differ only in the order of items; for a text, of its letters.
    Tuples inside keep their order."""
    items = _items(value)
    if isinstance(value, str) and not inner:
        return sorted(value)
    if items is None:
        return repr(value)
    bags = [repr(_bag(item, inner=True)) for item in items]
    return repr(bags if inner and isinstance(value, tuple) else sorted(bags))


def _items(value: Any) -> list[Any] | None:
    """Returns the items of a collection, of a mapping its pairs; None for a value without parts."""
    if isinstance(value, dict):
        return list(value.items())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return list(value) if isinstance(value, list | tuple | set | frozenset) else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _are_parts(left: Any, right: Any, given: Sequence[Any]) -> bool:
    """Returns whether both are parts of the same argument and equally long, such as the longest of something as two
    programs find it."""
    if not isinstance(left, str | list) or len(left) != len(right) or len(left) < 2:  # pyright: ignore[reportUnknownArgumentType]
        return False
    return any(type(arg) is type(left) and _holds(arg, left) and _holds(arg, right) for arg in given)  # pyright: ignore[reportUnknownArgumentType]


def _holds(whole: Any, part: Any) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole)))


def _are_equals(left: Any, right: Any, given: Sequence[Any]) -> bool:
    mine, theirs = Counter(_atoms(left)), Counter(_atoms(right))
    gone, new = list((mine - theirs).elements()), list((theirs - mine).elements())
    if len(gone) != len(new) or len(gone) > _SWAPS:
        return False
    swaps = (_swap(gone, order) for order in permutations(new))
    return any(_bag(_put(left, swap)) == _bag(right) and _leaves_alike(given, swap) for swap in swaps if swap)


def _swap(gone: Sequence[Any], new: Sequence[Any]) -> dict[Any, Any]:
    """Returns which items change places; {} if one of them would have to change with several."""
    pairs = dict([*zip(gone, new, strict=True), *zip(new, gone, strict=True)])
    return pairs if len(pairs) == 2 * len(gone) else {}


def _leaves_alike(given: Sequence[Any], swap: Mapping[Any, Any]) -> bool:
    """Returns whether the input stays the same but for its order, read as its items, or else as the words or letters of
    its texts."""
    if swap.keys() <= set(_atoms(list(given))):
        return all(_bag(_put([arg], swap)) == _bag([arg]) for arg in given)
    texts = [item for item in _atoms(list(given)) if isinstance(item, str)]
    for split in _READINGS:
        counts = Counter(part for text in texts for part in split(text))
        said = {item: str(item).lower() if split is not list else str(item) for item in swap}
        if all(0 < counts[said[item]] == counts[said[other]] for item, other in swap.items()):
            return True
    return False


def _atoms(value: Any) -> Iterator[Any]:
    items = _items(value)
    if items is None:
        yield value
    for item in items or ():
        yield from _atoms(item)


def _put(value: Any, swap: Mapping[Any, Any]) -> Any:
    """Returns the value with its items exchanged."""
    items = _items(value)
    return swap.get(value, value) if items is None else type(value)(_put(item, swap) for item in items)
