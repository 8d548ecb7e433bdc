"""Decides how inputs of any size are made for a program, from its known inputs, or else from its annotations and
names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from string import ascii_lowercase
from typing import Any

from .bench import LawBench
from .makers import Shape

_ABSENT = 10**9 + 7
"""A number that occurs in no generated input, so that a search for it has to look everywhere."""
_SOUGHT = re.compile(r"target|needle|value|key|item|elem|goal|sum|total|query|x|y|t")
_BOUNDS = re.compile(r"amount|capacity|budget|w|weight|max_weight|limit|total_weight")
"""Names of numbers beside a collection that grow with it."""
_COUNTS = re.compile(r"n|num|count|size|length|nodes|num_nodes|vertices|v|num_courses|numcourses")
_GRIDS = re.compile(r"matrix|mat|grid|board|image|rows|table|cells|a|b|m|maze|heights")
_EDGES = re.compile(r"edges?|connections|roads|prerequisites|flights|links|times|pairs_of_nodes|graph")
_NAMES: tuple[tuple[str, Any], ...] = (
    (r"words|names|strs|strings|tokens", ["abc", "b", "ca"]),
    (r"matrix|mat|grid|board", [[1, 2], [3, 4]]),
    (r"edges|prerequisites|connections", [[0, 1], [1, 2]]),
    (r"intervals", [[1, 3], [2, 6]]),
    (r"graph|adj|adjacency", {0: [1], 1: [0]}),
    (r"\w*(?:nums?|numbers|arr|array|xs|ys|lst|list\w*|items|values|data|seq|a|points)", [3, 1, 2]),
    (r"prices|heights|coins|weights|costs|scores|temperatures", [3, 1, 2]),
    (r"\w*(?:text|string|str|word|s|t|sentence|pattern|haystack|needle)\d?", "abcab"),
    (r"\w*(?:n|k|m|x|num|number|target|limit|amount|capacity|count|exp|exponent|base|i)", 10),
)  # fmt: skip
"""What an argument with such a name usually is, if nothing else tells."""
_TYPES: tuple[tuple[str, Any], ...] = (
    (r"(?:list|sequence|iterable|collection)\[str\]", ["abc", "b", "ca"]),
    (r"(?:list|sequence|iterable|collection)\[float\]", [1.5, 2.0]),
    (r"(?:list|sequence|iterable)\[(?:list|sequence)\[int\]\]", [[1, 2], [3, 4]]),
    (r"(?:list|sequence|iterable)\[tuple\[int, int\]\]", [(0, 1), (1, 2)]),
    (r"dict\[int, (?:list|set)\[int\]\]", {0: [1], 1: [0]}),
    (r"dict\[str, (?:list|set)\[str\]\]", {"a": ["b"], "b": ["a"]}),
    (r"(?:list|sequence|iterable|collection)(?:\[int\]|\[any\])?", [3, 1, 2]),
    (r"str", "abcab"),
    (r"int", 10),
    (r"float", 2.5),
)


Plan = tuple[list[Shape], tuple[str, list[str]], list[tuple[str, list[str]]]]
"""Shapes for the constructor; the method that fills; and the methods that are measured; each method with the kinds of
its arguments."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of making all arguments grow together."""

    name: str
    shapes: tuple[Shape, ...]
    strong: bool
    """Whether slowness on such inputs breaks a claim. Otherwise it only leaves the claim open: sorted, repeated or
    equal numbers are the worst case of programs that are as fast as claimed on most inputs."""
    square: bool
    """Whether an argument has size times size cells."""

    most: int = 0
    """The largest size that the task allows; 0 when it states none."""
    plan: Plan | None = None
    """How an object is filled and used, if a class is measured; there are no shapes then."""

    @property
    def by_value(self) -> bool:
        """Whether only the values of numbers grow, so that nothing fills the memory."""
        return self.plan is None and all(shape[0] in ("prime", "part", "value") for shape in self.shapes)


_WAYS = ("random inputs", "repeated inputs", "wide inputs", "sorted inputs", "equal inputs")


def variants_of(bench: LawBench) -> list[Variant]:
    """Returns ways of making inputs of any size, the most telling first; [] when some argument cannot be understood."""
    columns = _columns(bench)
    if not columns or any(not values for values in columns.values()):
        return []
    options = {name: _options(name, values[-1], values, columns, bench) for name, values in columns.items()}
    if not all(options.values()):
        return []
    numbers_only = all(isinstance(values[-1], int | float) for values in columns.values())
    if numbers_only:
        return [replace(variant, most=_most(bench)) for variant in _number_variants(columns)]
    square = any(told[0][0] == "rows" for told in options.values())
    weak = any(told[0][0] in ("ints", "floats") for told in options.values())
    fallback = [told[0] for told in options.values()]
    made: list[Variant] = []
    for place, chosen in enumerate(zip_longest(*options.values())):
        shapes = tuple(shape or usual for shape, usual in zip(chosen, fallback, strict=True))
        name = "inputs without a circle" if any("forward" in shape[2:] for shape in shapes) else _WAYS[min(place, 4)]
        if all(shapes != other.shapes for other in made):
            made.append(Variant(name, shapes, not (weak and place in (1, 3, 4)), square))
    return made


def usual_shape(bench: LawBench, name: str) -> Shape | None:
    """Returns how a parameter grows of which only the name or the annotation is known; None when neither tells."""
    values = _suggested(bench, name)
    return next(iter(_options(name, values[-1], values, {name: values}, bench)), None) if values else None


def _columns(bench: LawBench) -> dict[str, list[Any]]:
    """Returns the values of each parameter without a default, from the known inputs with the longest last, or else a
    value that its annotation or name suggests."""
    spec = bench.source.signature(bench.entry)
    required = bench.parameters[: len(bench.parameters) - len(spec.defaults)] if spec else ()
    found: dict[str, list[Any]] = {}
    for name in required:
        values = [given.named(bench.parameters)[name] for given in bench.known if name in given.named(bench.parameters)]
        found[name] = sorted(values, key=lambda value: len(repr(value))) or _suggested(bench, name)
    return found


def _suggested(bench: LawBench, name: str) -> list[Any]:
    told = [clause.names[0] for clause in bench.brief.clauses if clause.kind == "type" and clause.subject in (name, "")]
    for annotation in told:
        plain = annotation.lower().replace("typing.", "")
        for pattern, value in _TYPES:
            if re.fullmatch(pattern, plain):
                return [value]
    for pattern, value in _NAMES:
        if re.fullmatch(pattern, name.lower()):
            return [value]
    return []


def _most(bench: LawBench) -> int:
    """Returns the smallest of the upper ends that the task states for its numbers; 0 without one."""
    ends = [c.interval.high for c in bench.brief.clauses if c.kind == "range" and c.interval and c.interval.high]
    return int(min(ends, default=0))


def _number_variants(columns: dict[str, list[Any]]) -> list[Variant]:
    """Makes variants for numbers alone: each grows by itself, then all together."""
    fixed = {name: ("value", values[-1]) for name, values in columns.items()}
    alone = [tuple(("prime",) if other == name else fixed[other] for other in columns) for name in columns]
    grown = [Variant(f"values of {name}", shapes, True, False) for name, shapes in zip(columns, alone, strict=True)]
    together = Variant("values of all arguments", (("prime",), *((("part", 2),) * (len(columns) - 1))), True, False)
    return grown if len(columns) == 1 else [*grown, together]


def _options(
    name: str, value: Any, values: Sequence[Any], columns: dict[str, list[Any]], bench: LawBench
) -> list[Shape]:
    """Returns shapes for one argument: usual, repeated, wide, sorted, equal. Returns [] for a value that is not
    understood."""
    if isinstance(value, bool) or value is None:
        return [("value", value)]
    if isinstance(value, int | float):
        return _number(name, value, columns)
    if isinstance(value, str):
        return _text(name, values, columns)
    if _of(value, set, frozenset):
        inner = _options(name, sorted(value, key=repr), values, columns, bench)
        return [("set", shape) for shape in inner]
    if _of(value, dict):
        return _mapping(value)
    if _of(value, list, tuple):
        items: list[Any] = list(value)
        shapes = _sequence(name, items, values, bench)
        return [("tuple", shape) for shape in shapes] if _of(value, tuple) else shapes
    return []


def _number(name: str, value: float, columns: dict[str, list[Any]]) -> list[Shape]:
    """Returns shapes for a number beside a collection: how many items there are, a node, a value that is searched for,
    or a width."""
    collections = [values for values in columns.values() if _of(values[-1], list, tuple, str, dict)]
    sized = [len(values[-1]) for values in collections]
    lower = name.lower()
    edges = any(_is_edges(other, values[-1]) for other, values in columns.items())
    if edges and (_COUNTS.fullmatch(lower) or value not in _nodes(columns)):
        return [("n",)]
    if any(isinstance(values[-1], dict) and value in values[-1] for values in columns.values()):
        return [("node", "", 0 if lower in ("start", "source", "src", "root", "s") else -1)]
    if edges:
        return [("node", "", 0)]
    if lower in ("n", "size", "length") and value in sized:
        return [("n",)]
    if _BOUNDS.fullmatch(lower):
        return [("n",)]
    if _SOUGHT.fullmatch(lower) or value > max(sized, default=0):
        return [("value", type(value)(_ABSENT)), ("value", value)]
    return [("value", value), ("value", value), ("part", 2)]


def _nodes(columns: dict[str, list[Any]]) -> set[Any]:
    edges = [edge for name, values in columns.items() if _is_edges(name, values[-1]) for edge in values[-1]]
    return {node for edge in edges for node in edge[:2]}


def _text(name: str, values: Sequence[Any], columns: dict[str, list[Any]]) -> list[Shape]:
    longest = values[-1]
    letters = "".join(sorted({letter for value in values for letter in value})) or "ab"
    letters = letters if len(letters) > 1 else letters + "b"
    if any(_of(column[-1], dict) and longest in column[-1] for column in columns.values()):
        place = 0 if name.lower() in ("start", "source", "src", "root", "s") else -1
        return [("node", re.sub(r"\d+$", "", longest)[:1] or "v", place)]
    opening = next((pair for pair in ("()", "[]", "{}") if set(pair) <= set(letters)), "")
    if opening:
        return [("tiled", longest), ("nested", opening)]
    texts = [other for other, column in columns.items() if isinstance(column[-1], str)]
    is_needle = len(texts) > 1 and name != texts[0]
    short = is_needle and all(len(v) < len(w) for v, w in zip(values, columns[texts[0]], strict=False))
    last = letters[1] if short else letters[0]
    return [
        ("tiled", longest) if not longest.isalnum() and longest else ("text", letters),
        ("tiled", longest or "ab"),
        ("needle", letters[0], last, 2 if short else 1),
    ]


def _mapping(value: dict[Any, Any]) -> list[Shape]:
    """Returns shapes for a mapping: a graph if its values hold keys, otherwise any mapping."""
    first: Any = next(iter(value.values()), None)
    label = "" if all(isinstance(key, int) for key in value) else str(next(iter(value), "v"))[:1]
    if _of(first, list, tuple, set):
        ends: list[Any] = [end for ends in value.values() for end in ends]
        if any(_of(end, list, tuple) and end[:1] and end[0] in value for end in ends):
            return _two_ways("graph", label, "pairs")
        if all(end in value for end in ends if isinstance(end, int | str)):
            return _two_ways("graph", label, "set" if _of(first, set) else "list")
    if _of(first, dict) and all(end in value for end in first):
        return _two_ways("graph", label, "weights")
    inner: Shape = ("ints", 0, "random") if _of(first, list) else ("value", first)
    return [("dict", "" if not label else "abcdefgh", inner)]


def _two_ways(*graph: Any) -> list[Shape]:
    """Returns the graph with and without circles. A circle ends many searches early; without one, a program that walks
    every way takes exponentially long."""
    return [graph, (*graph, "forward")]


def _is_edges(name: str, value: Any) -> bool:
    return (
        _of(value, list, tuple)
        and bool(value)
        and all(_of(row, list, tuple) and len(row) in (2, 3) for row in value)
        and _EDGES.fullmatch(name.lower()) is not None
    )


def _sequence(name: str, items: list[Any], values: Sequence[Any], bench: LawBench) -> list[Shape]:
    if not items:
        return [("ints", 0, "random")]
    first = items[0]
    if _of(first, list, tuple) and first:
        return _rows(name, items)
    if isinstance(first, str):
        letters = "".join(sorted({letter for item in items for letter in str(item)})) or "ab"
        letters = ascii_lowercase if letters.islower() and letters.isalpha() else letters
        return [("words", letters), ("tiled", items), ("words", letters, "distinct")]
    if isinstance(first, float):
        return [("floats",), ("tiled", items)]
    if not isinstance(first, int):
        return []
    lists = [value for value in values if _of(value, list, tuple) and len(value) > 2]
    flat = [item for value in lists or [items] for item in value if isinstance(item, int)]
    low = min(0, *flat) if min(flat) < 0 else min(1, *flat)
    if lists and all(list(value) == sorted(value) for value in lists) and _speaks_of_order(bench):
        return [("ints", low, "sorted")]
    orders = [("tiled", items), ("ints", low, "distinct"), ("ints", low, "sorted"), ("tiled", items[:1])]
    return [("ints", low, "random"), *orders]


def _speaks_of_order(bench: LawBench) -> bool:
    return re.search(r"sorted|ascending|increasing|ordered", bench.task.text, re.I) is not None


def _rows(name: str, items: list[Any]) -> list[Shape]:
    """Returns shapes for a list of rows: edges, pairs, or a matrix."""
    kind = "tuple" if _of(items[0], tuple) else "list"
    if _is_edges(name, items):
        least = min(min(row[:2]) for row in items)
        return _two_ways("edges", kind, len(items[0]) == 3, least if least in (0, 1) else 0)
    numbers: list[Any] = [cell for row in items for cell in row]
    if not all(_of(cell, int) for cell in numbers):
        return []
    even = len({len(row) for row in items}) == 1
    is_grid = _GRIDS.fullmatch(name.lower()) is not None or (even and len(items[0]) > 2)
    if len(items[0]) == 2 and not is_grid:
        return [("pairs", kind), ("pairs", kind), ("pairs", kind, "wide")]
    return [("rows", min(numbers), max(*numbers, min(numbers) + 1))]


def _of(value: Any, *kinds: type) -> bool:
    """Returns whether the value is of exactly one of the kinds; a truth value is no number here."""
    return type(value) in kinds
