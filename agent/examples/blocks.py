"""Promises laid out as blocks: Input/Output pairs, "For n = 3 the output should be 6", Markdown tables, bare arrows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.state import Example

from .names import Names
from .values import promise, value_at

_HEAD = r"(?:^|(?<=[.:;] ))[ \t>*#-]*\**(?:sample |example )?(?:input|given|in)\**(?:\s*\d+)?\s*:\**[ \t]*"
_BODY = r"(?P<given>(?:(?!\n[ \t]*\n)[\s\S]){1,400}?)(?:[;,.]?[ \t]*\n?[ \t>*#-]*|[ \t]+)"
_TAIL = r"\**(?:sample |expected )?(?:output|expected|returns?|result|out)\**(?:\s*\d+)?\s*:\**[ \t]*\n?[ \t]*"
_PAIR = re.compile(_HEAD + _BODY + _TAIL, re.M | re.I)
_FOR = re.compile(r"\b(?:for|given|with|if)\s+(?=`?\w+`?\s*=[^=])", re.I)
_SHOULD = re.compile(
    r"`?,?\s+(?:[^\n=]{0,80}?\s)?(?:the\s+)?(?:output|result|answer|function|it)\s+(?:should|must|will)\s+"
    r"(?:be|return|give|output)\s*:?\s*`?",
    re.I,
)
_ASSIGNED = re.compile(r"\s*(?:and\s+)?`?(\w+)`?\s*[=:]\s*`?")
_ARROW = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])?[ \t]*`?(?=[\[({'\"\d+-])", re.M)
_ENDED = re.compile(r"`?\s*(?:[.;]\s|[.,;]?\s*(?:$|\n|#|\(|explanation))", re.I)
_GIVEN = re.compile(r"\b(?:given|for (?:the )?input|on input|for input)\s+`?(?=[\[({'\"\d-])", re.I)
_RETURNS = re.compile(r"`?,?\s+(?:it |the function )?(?:should |must )?(?:returns?|outputs?|gives?)\s+`?", re.I)
_INPUTS = {"input", "given", "call", "arguments", "args"}
_OUTPUTS = {"output", "expected", "result", "returns", "return"}


def block_examples(text: str, names: Names) -> list[Example]:
    """Pairs whose input names or fills every required parameter of the entry."""
    if names.entry is None or names.parameters is None or not names.required:
        return []
    found = list(_labelled(text, names, names.entry))
    if names.required == 1:
        found += [*_given(text, names, names.entry), *_arrows(text, names.entry)]
    return found


def _labelled(text: str, names: Names, entry: str) -> Iterator[Example]:
    for match in _PAIR.finditer(text):
        yield from _pair(text, match.start(), match.group("given"), match.end(), names, entry)
    for match in _FOR.finditer(text):
        end = _assignments_end(text, match.end())
        link = _SHOULD.match(text, end)
        if link and "not" not in link.group().split():
            yield from _pair(text, match.start(), text[match.end() : end], link.end(), names, entry)


def _given(text: str, names: Names, entry: str) -> Iterator[Example]:
    """ "Given [1, 2], return 3" for a function of one argument."""
    for match in _GIVEN.finditer(text):
        given = value_at(text, match.end())
        link = _RETURNS.match(text, given[1]) if given else None
        if given and link:
            yield from _pair(text, match.start(), given[0], link.end(), names, entry)


def _pair(text: str, start: int, given: str, at: int, names: Names, entry: str) -> Iterator[Example]:
    arguments, value = _arguments(given, names), value_at(text, at)
    if arguments is not None and value is not None and _ENDED.match(text, value[1]):
        yield promise(f"{entry}({arguments})", value[0], text[start : value[1]])


def _assignments_end(text: str, place: int) -> int:
    """Where `a = 1, b = 2` ends."""
    end = place
    while True:
        label = _ASSIGNED.match(text, place)
        value = value_at(text, label.end()) if label else None
        if value is None:
            return end
        end = place = value[1]
        while place < len(text) and text[place] in " ,`":
            place += 1


def _arguments(given: str, names: Names) -> str | None:
    """The arguments that a block spells out, by name or in order; None unless they are all the required ones."""
    given = given.strip().rstrip(",;.")
    named = _named(given)
    parameters, required = names.parameters or (), names.required or 0
    if named is not None:
        fits = set(named) <= set(parameters) and set(parameters[:required]) <= set(named)
        ordered = [named[name] for name in parameters if name in named]
        return ", ".join(ordered) if fits and _in_order(named, parameters) else None
    values = _values(given)
    return ", ".join(values) if values and len(values) == required else None


def _in_order(named: dict[str, str], parameters: tuple[str, ...]) -> bool:
    """No gap before the last one, so that they can be given by position."""
    return all(name in named for name in parameters[: len(named)])


def _named(given: str) -> dict[str, str] | None:
    values: dict[str, str] = {}
    place = 0
    while place < len(given):
        label = _ASSIGNED.match(given, place)
        value = value_at(given, label.end()) if label else None
        if label is None or value is None:
            return None
        values[label.group(1)] = value[0]
        place = _skip(given, value[1])
    return values or None


def _values(given: str) -> list[str] | None:
    values: list[str] = []
    place = _skip(given, 0)
    while place < len(given):
        value = value_at(given, place)
        if value is None:
            return None
        values.append(value[0])
        after = _skip(given, value[1])
        if after < len(given) and "," not in given[value[1] : after]:
            return None
        place = after
    return values


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\n,`;":
        place += 1
    return place


def _arrows(text: str, entry: str) -> Iterator[Example]:
    """Whole lines such as `- [1, 2] -> 3`: input and output of a function of one argument."""
    for match in _ARROW.finditer(text):
        given = value_at(text, match.end())
        arrow = re.compile(r"`?[ \t]*(?:->|=>|→|➞|⇒)[ \t]*`?").match(text, given[1]) if given else None
        value = value_at(text, arrow.end()) if arrow else None
        if given and value and re.compile(r"`?[ \t]*[.,;]?[ \t]*(?:$|\n)").match(text, value[1]):
            yield promise(f"{entry}({given[0]})", value[0], text[match.start() : value[1]])


def table_examples(text: str, names: Names) -> list[Example]:
    """Rows of Markdown tables with a column for each required parameter (or one "input") and one for the output."""
    if names.entry is None or names.parameters is None or not names.required:
        return []
    found: list[Example] = []
    header: list[str] | None = None
    for line in text.splitlines():
        cells = [cell.strip().strip("`").strip() for cell in line.strip().strip("|").split("|")]
        if "|" not in line or len(cells) < 2:
            header = None
        elif header is None:
            header = [cell.lower() for cell in cells]
        elif not set("".join(cells)) <= set("-: "):
            example = _row(header, cells, names, names.entry, line)
            found += [example] if example is not None else []
    return found


def _row(header: list[str], cells: list[str], names: Names, entry: str, line: str) -> Example | None:
    if len(cells) != len(header):
        return None
    row = dict(zip(header, cells, strict=True))
    output = next((cell for name, cell in row.items() if set(name.split()) & _OUTPUTS), None)
    given = next((cell for name, cell in row.items() if set(name.split()) & _INPUTS), None)
    if given is None:
        named = {p: row[p.lower()] for p in names.parameters or () if p.lower() in row}
        given = ", ".join(f"{name} = {cell}" for name, cell in named.items())
    given = re.sub(rf"^{re.escape(entry)}\((.*)\)$", r"\1", given)
    arguments = _arguments(given, names) if given else None
    value = value_at(output, 0) if output else None
    if arguments is None or value is None or output is None or output[value[1] :].strip():
        return None
    return promise(f"{entry}({arguments})", value[0], line)
