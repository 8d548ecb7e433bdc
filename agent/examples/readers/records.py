"""Examples that a program wrote down: pairs as JSON, and what pytest prints of an assertion that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from agent.examples.grammar.page import Page
from agent.examples.grammar.values import literal_call, promise, value_at
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase
from agent.source.inputs import literal

_MOST = 100
_SEVERAL = _PAIR = 2
_INPUT, _OUTPUT = ("input", "inputs", "args"), ("output", "expected", "expected_output", "result")
_RECORD = re.compile(rf"\{{\s*[\"'](?:{'|'.join(_INPUT)})[\"']\s*:")
_LIST_SIGNS = re.compile(r"[\s\[`*,•-]*\Z")
_LEADS = Phrase(
    r"(?:\A|[.:;!?\n]\s*|[*#]+ ?)(?:{shows_law}|samples?|tests?|test ?cases?|testfälle|casos de prueba)\s*[:\uff1a]?\Z"
)
""" "Examples:", at the beginning of a sentence: "a wrong example" is none."""
_FAILED = re.compile(
    r"^E\s+(?:AssertionError: )?assert (?P<left>.+?) == (?P<right>.+)\nE\s+\+\s+where (?P<value>.+?) = (?P<call>.+)$",
    re.M,
)


def record_examples(page: Page) -> Iterator[Example]:
    """`{"input": 2, "output": 4}` behind words for an example, or in a list of such, for the function that is asked
    for: a list is all of its arguments where it takes several, and a mapping names them."""
    entry, end, led = page.names.entry, 0, False
    for match in islice(_RECORD.finditer(page.text) if entry else (), _MOST):
        found = value_at(page.text, match.start())
        record: Any = literal(found[0]) if found else None
        follows = led and _LIST_SIGNS.fullmatch(page.text, end, match.start()) is not None
        led = follows or _is_led(page, match.start()) or _is_alone(page.text, match.start())
        if found is None or record is None or not led:
            continue
        end = found[1]
        call, value = _call(page, record[0]), [record[0][key] for key in _OUTPUT if key in record[0]]
        if call and len(value) == 1 and len(record[0]) == 2 and page.is_law(match.start(), "symbol"):
            yield promise(call, repr(value[0]), page.reading.quote(match.start(), end))


def _is_led(page: Page, place: int) -> bool:
    """Whether words for an example lead to it, with a colon or alone above it; what is only "like" it is no pair."""
    lead = page.text[max(0, place - 60) : place]
    signs = _LIST_SIGNS.search(lead)
    return _LEADS.search(lead[: signs.start()] if signs else lead) is not None


def _is_alone(text: str, place: int) -> bool:
    """Whether it begins a list of several such records on lines of its own, with a blank line or nothing around it."""
    begin = text.rfind("[", 0, place)
    found = value_at(text, begin) if begin >= 0 and not text[begin + 1 : place].strip() else None
    records: Any = literal(found[0]) if found else None
    if found is None or records is None or len(records[0]) < _SEVERAL:
        return False
    around = text[:begin].rstrip(" \t`"), text[found[1] :].lstrip(" \t`")
    stands_apart = around[0].endswith("\n") and (not around[1] or around[1].startswith("\n"))
    return stands_apart and all(isinstance(one, dict) and len(one) == _PAIR for one in records[0])  # pyright: ignore[reportUnknownArgumentType]


def _call(page: Page, record: dict[str, Any]) -> str:
    given: Any = next(record[key] for key in _INPUT if key in record)
    names = page.names
    if isinstance(given, dict) and given and {*map(str, given)} <= {*(names.parameters or ())}:  # pyright: ignore[reportUnknownArgumentType]
        return f"{names.entry}({', '.join(f'{key}={value!r}' for key, value in given.items())})"  # pyright: ignore[reportUnknownVariableType]
    if names.required == 1:
        return f"{names.entry}({given!r})"
    arguments: list[Any] = list(given) if isinstance(given, list) else []  # pyright: ignore[reportUnknownArgumentType]
    return f"{names.entry}({', '.join(map(repr, arguments))})" if arguments and len(arguments) == names.required else ""


def failed_asserts(page: Page) -> Iterator[Example]:
    """`assert 3 == 4` and `where 3 = f(2)` in what pytest printed: the test of the person says 4."""
    for match in islice(_FAILED.finditer(page.text), _MOST):
        left, right, value = (match[name].strip() for name in ("left", "right", "value"))
        wanted = right if left == value else left if right == value else ""
        call = literal_call(match["call"])
        if call and call.partition("(")[0] in page.names.known and left != right and wanted and literal(wanted):
            yield promise(call, wanted, page.reading.quote(*match.span()))
