"""Checks that the result stands in the order that the task names."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from agent.examples.types import Clause
from agent.law.bench import KnownInput, LawBench, count_of, given_of
from agent.law.passed import is_about, shown_by
from agent.law.types import kept, left_open
from agent.source.inputs import literal
from agent.state import Check
from agent.state.findings import Finding

_LEAST = 2
"""How many items a result needs to have an order at all."""
_COUNT = re.compile(r"fr[eé]quen|frecuen|common|often|count|occurr|vote|häufig|част|频率|次数|頻度|回数", re.I)
_LENGTH = re.compile(r"length|short|long|läng|kürz|cour|larg|cort|lung|compri|длин|长度|長さ", re.I)
_ALPHABET = re.compile(r"al[fp]h?ab|алфавит", re.I)
"""Matches a task that speaks of alphabetical order; only then are texts compared by their letters, for versions and
days are texts too."""


async def check_sorted(clause: Clause, bench: LawBench) -> Finding:
    """Checks answers to known inputs whose items code can put in that order. For another key, and for ties, passed
    checks decide. A stated answer in another order shows that the sentence means another key."""
    way, by = (*clause.names, "", "")[:2]
    if way in ("key", "ties"):
        return (
            await _ties_by_letters(clause, bench)
            if way == "ties" and _is_by_letters(clause)
            else _shown(clause, bench, way)
        )
    seen: list[tuple[KnownInput, str, bool]] = []
    for given, text in await bench.answered():
        keys = _keys(clause, given, text, by)
        if keys is not None and len({*map(repr, keys)}) >= _LEAST:
            seen.append((given, text, _stands(keys if way == "ascending" else keys[::-1])))
    wrong = [(given, text) for given, text, held in seen if not held]
    if not seen or any(given.stated for given, _ in wrong):
        return _shown(clause, bench, "key")
    if wrong:
        given, text = wrong[0]
        return left_open(clause, f"{given.shown(bench.entry)} gives {text[:80]}, in another order")
    return kept(clause, f"{count_of(len(seen), 'answer')} to known inputs, each in {way} order of {by}")


def _stands(keys: Sequence[Any]) -> bool:
    """Returns whether the keys ascend; for texts also when case is ignored."""
    folded = [key.casefold() if isinstance(key, str) else key for key in keys]
    return any(all(a <= b for a, b in pairwise(told)) for told in (keys, folded))


def _keys(clause: Clause, given: KnownInput, text: str, by: str) -> Sequence[Any] | None:
    """Returns the keys by which the items of the answer are to be sorted; None when that cannot be told."""
    value = literal(text)
    items: list[Any] = _items(value[0]) if value is not None else []
    if by == "value":
        plain = (int, float) if _ALPHABET.search(clause.text) is None else str
        told = (
            items and all(isinstance(item, plain) and not isinstance(item, bool) for item in items) and text.isascii()
        )
        return items if told and not text.startswith("{") else None
    firsts: list[Any] = [item[0] if isinstance(item, tuple) else item for item in items]
    if by == "length":
        return [len(str(item)) for item in firsts] if all(isinstance(item, str) for item in firsts) else None
    return next((found for found in _counted(given, firsts) if 0 not in found), None)


def _items(value: Any) -> list[Any]:
    """Returns what stands in an order: the items of a list or tuple, the keys of a mapping."""
    return list(value) if isinstance(value, list | tuple | dict) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _counted(given: KnownInput, items: Sequence[Any]) -> Iterator[list[int]]:
    """Yields how often each item occurs in an argument, as an item, a letter or a word of it."""
    for argument in (*given.args, *given.keywords.values()):
        for parted in _parted(argument):
            counts = Counter(map(repr, parted))
            yield [counts[repr(item)] for item in items]


def _parted(argument: Any) -> tuple[list[Any], ...]:
    text = argument.lower() if isinstance(argument, str) else ""
    return _items(argument), list(text), text.split(), re.findall(r"\w+", text)


def _shown(clause: Clause, bench: LawBench, way: str, *, by_letters: bool = False) -> Finding:
    telling = [
        check for check in bench.passed if is_about(check, clause) and _tells(check, bench, way, by_letters=by_letters)
    ]
    missing = "no check of this sentence" + (" has two equal things to decide" if way == "ties" else "")
    return shown_by(clause, telling, missing + (" that the input has in another order" if by_letters else ""))


def _is_by_letters(clause: Clause) -> bool:
    return _ALPHABET.search(clause.text) is not None


async def _ties_by_letters(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a passed check with ties that the input has in another order. Where a check has them in the order of
    the input, which may be all that orders them, known inputs with ties are turned round: the answers must be alike."""
    found, loosely = _shown(clause, bench, "ties", by_letters=True), _shown(clause, bench, "ties")
    if found.standing != "open" or loosely.standing == "open" or bench.brief.form != "function":
        return found
    told = [(given, text, _reversed(given)) for given, text in await bench.answered() if _holds_ties(given, bench)]
    answers = await bench.answers([other.shown(bench.entry) for *_, other in told])
    for (given, text, other), output in zip(told, answers, strict=True):
        if output.kind != "value" or output.text != text:
            shown = f"{given.shown(bench.entry)} gives {text[:60]}, and {other.shown(bench.entry)} {str(output)[:60]}"
            return left_open(clause, shown)
    turned = f"{count_of(len(told), 'known input')} with ties, turned round and answered alike"
    return kept(clause, f"{loosely.told}, and {turned}") if told else found


def _reversed(given: KnownInput) -> KnownInput:
    args = tuple(map(_turned, given.args))
    return replace(given, args=args, keywords={name: _turned(value) for name, value in given.keywords.items()})


def _turned(value: Any) -> Any:
    """Returns the items of a list, or the words of a text, from last to first."""
    if isinstance(value, str):
        return " ".join(reversed(value.split(" ")))
    return _items(value)[::-1] if isinstance(value, list) else value


def _holds_ties(given: KnownInput, bench: LawBench) -> bool:
    ranks = [[*map(repr, told.values())] for told in _ranks(given, _measure(bench))]
    return _reversed(given) != given and any(len({*told}) < len(told) for told in ranks)


def _tells(check: Check, bench: LawBench, way: str, *, by_letters: bool = False) -> bool:
    """Returns whether the check can show an order: its value has two items, or for ties two items that are equal in
    what decides the order. A property that quotes the sentence, over many inputs, shows it too."""
    if bench.brief.kind == "program":
        printed = _printed(check)
        equal = [pair for pair in pairwise(printed) if _share_a_figure(*pair)]
        shown = [pair for pair in equal if not (by_letters and _are_given_so(check, *pair))]
        return bool(shown) if way == "ties" else len(printed) >= _LEAST
    value = literal(check.expected) if check.expected else None
    if value is None:
        return "property" in check.name and bool(check.sentence)
    stated: Any = value[0].split() if isinstance(value[0], str) else value[0]
    items: list[Any] = list(stated.items()) if isinstance(stated, dict) else _items(stated) or [stated]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType, reportUnknownMemberType]
    if way != "ties":
        return len(items) >= _LEAST
    given = given_of(check.call or "", bench.entry, stated=True)
    told = _ranks(given, _measure(bench)) if given is not None else [dict[str, Any]()]
    given_so = check if by_letters and len(items) >= _LEAST else None
    return any(_has_ties(items, ranks, given_so) for ranks in told)


def _are_given_so(check: Check, one: Any, other: Any) -> bool:
    """Returns whether the input of the check has two things in the order in which the answer has them: they may stand
    so because nothing moved them."""
    calls = [node for node in ast.walk(ast.parse(check.call or check.source)) if isinstance(node, ast.Call)]
    texts = [" ".join(map(ast.unparse, (*call.args, *(word.value for word in call.keywords)))) for call in calls]
    words = [part if isinstance(part, str) else repr(part) for part in _differing(one, other)]
    found = [[re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words] for text in texts]
    return any(first is not None and then is not None and first.start() < then.start() for first, then in found)


def _differing(one: Any, other: Any) -> Sequence[Any]:
    """Returns the first parts in which two records differ, or the two things themselves."""
    records = isinstance(one, list | tuple) and isinstance(other, list | tuple)
    parted = zip(_items(one), _items(other), strict=False) if records else ()
    return next(([a, b] for a, b in parted if a != b), [one, other])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _printed(check: Check) -> list[list[str]]:
    """Returns the lines that the check wants a program to print, each as its words: those of a text, or the texts of a
    list, with which what is printed is compared."""
    equal = (node for node in ast.walk(ast.parse(check.source)) if isinstance(node, ast.Compare))
    sides = (side for node in equal if isinstance(node.ops[0], ast.Eq) for side in (node.left, *node.comparators))
    found = [value[0] for side in sides if (value := literal(ast.unparse(side))) is not None]
    told: list[Any] = (
        found[0].splitlines() if found and isinstance(found[0], str) else _items(found[0] if found else ())
    )
    return [line.split() for line in told if isinstance(line, str)]


def _share_a_figure(line: Sequence[str], other: Sequence[str]) -> bool:
    """Returns whether two lines differ in one word and are equal in a figure beside it."""
    return _differ_in_one(line, other) and any(word in other and re.search(r"\d", word) for word in line)


def _has_ties(items: Sequence[Any], ranks: Mapping[str, Any], given_so: Check | None = None) -> bool:
    """Returns whether two neighbours, or the only item and another thing, are equal in what decides the order: by their
    ranks, or as records that differ in one part only; not if the check `given_so` gives them in that order."""
    if len(items) == 1:
        own = ranks.get(repr(items[0]))
        return own is not None and list(ranks.values()).count(own) >= _LEAST
    for a, b in pairwise(items):
        rank = ranks.get(repr(a))
        equal = repr(a) != repr(b) and (_differ_in_one(a, b) or (rank is not None and rank == ranks.get(repr(b))))
        if equal and not (given_so and _are_given_so(given_so, a, b)):
            return True
    return False


def _differ_in_one(a: Any, b: Any) -> bool:
    parted = isinstance(a, list | tuple) and isinstance(b, list | tuple)
    return parted and len(a) == len(b) >= _LEAST and sum(x != y for x, y in zip(a, b, strict=True)) == 1  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _measure(bench: LawBench) -> str:
    """Returns what the order goes by: "count", "length" or "case" (letters equal but for case); "" when the task does
    not tell."""
    told = [each.text for each in bench.brief.clauses if each.kind == "sorted" and each.names != ("ties",)]
    text = " ".join(told) or bench.task.text
    count, length = _COUNT.search(text), _LENGTH.search(text)
    if count or length:
        return "" if count and length else "count" if count else "length"
    return "case" if any(each.kind == "any_case" for each in bench.brief.clauses) else ""


def _ranks(given: KnownInput, measure: str) -> Iterator[Mapping[str, Any]]:
    """Yields item -> what decides its order, for each argument: the values of a mapping, the rest of records, or how
    often or how long items are."""
    for argument in (*given.args, *given.keywords.values()):
        items = _items(argument)
        if isinstance(argument, dict):
            yield {repr(key): value for key, value in argument.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            continue
        yield from _beside(items)
        for parted in _parted(argument):
            if measure == "count":
                yield Counter(repr(part) for part in parted if not (isinstance(part, str) and part.isspace()))
            elif measure == "case":
                yield {repr(part): part.casefold() for part in parted if isinstance(part, str)}
            elif measure == "length":
                yield {repr(part): len(part) for part in parted if isinstance(part, str)}


def _beside(items: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yields each item of a column -> the rest of its record; columns with repeated items are left out, for their
    records may be summed up."""
    if all(isinstance(item, tuple | list) for item in items):
        for n in range(min(map(len, items), default=0)):
            rests = {repr(item[n]): [*item[:n], *item[n + 1 :]] for item in items}
            if len(rests) == len(items):
                yield rests
