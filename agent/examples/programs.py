"""Reads sample runs of a program that uses stdin and stdout."""

from __future__ import annotations

import re

from .sessions import prints, session_examples, typed
from .typed_in import typed_in
from .types import Example
from .vocabulary import has

_LABEL = r"^[ \t>*#]*\**(?:sample |example |expected )?(?:std)?{name}\**(?:\s*\d+)?\s*:?\**[ \t]*\n+"
_FENCED = r"```[\w]*\n[\s\S]*?\n```"
_SAMPLE = re.compile(
    _LABEL.format(name="input")
    + rf"(?P<given>{_FENCED}|(?:[ ]{{4}}[^\n]*\n){{1,60}}|"
    + r"(?:(?!\s*\**(?:sample |expected |std)?output)(?:[^\n]+\n|\n(?=[^\n]*[^\n.:!?]\n))){1,60})\s*"
    + _LABEL.format(name="output")
    + rf"(?P<wanted>{_FENCED}|(?:[ ]{{4}}[^\n]*(?:\n|$)){{1,60}}|(?:[^\n]+(?:\n|$)){{1,60}})",
    re.M | re.I,
)
_TOLD = re.compile(
    r"\b(?:for|given|with) (?:the |this )?(?:std)?input:?[ \t]*\n"
    r"(?P<given>(?:(?![ \t]*(?:it|the program)\b)[^\n]+\n){1,20})"
    r"[ \t]*(?:it|the program|your program)\s+(?:should |must |has to )?(?:print|output|write)s?\s+"
    r"(?:`(?P<wanted>[^`\n]+)`|(?P<number>-?\d+(?:\.\d+)?)(?=\.?\s*$))",
    re.I | re.M,
)
"""The input on lines of its own, and a number or marked text that it leads to."""

_FIGURES = r"[-+]?\d[\d.,:+ -]*"
_LINES = re.compile(
    r"^[ \t>*-]*(?:input|eingabe|entrada|entr[ée]e|输入)[ \t]*[:\uff1a][ \t]*`?(?P<given>" + _FIGURES + r")`?[ \t]*\n+"
    r"[ \t>*-]*(?:output|ausgabe|salida|sa[ií]da|sortie|输出)[ \t]*[:\uff1a][ \t]*`?(?P<wanted>"
    + _FIGURES
    + r"|(?!(?:int|integer|float|number|str|string|bool|boolean|list|array|none|error|file)\b)[^\s`\"'()\[]+)`?[ \t]*$",
    re.M | re.I,
)
"""One line each, with the input in figures. "Input: a number" only says what is read, and "Output: integer" only the
type of the answer; neither is a sample."""


def program_examples(text: str) -> list[Example]:
    """Returns examples that use `run_program`, for each sample run and each command that is shown or told. Outputs are
    compared line by line, without trailing blanks."""
    found: list[Example] = []
    ways, talks = (_SAMPLE, _TOLD, _LINES), has(text, "talks")
    for match in (match for way in ways for match in way.finditer(text)):
        given, wanted = _body(match.group("given")), _body(match.groupdict().get("number") or match.group("wanted"))
        if wanted.strip() and "..." not in given + wanted:
            found.append(Example(_printed_for(given, wanted, talks=talks), " ".join(match.group().split())))
    found += session_examples(text)
    for given, wanted, sentence in typed_in(text):
        found.append(Example(_printed_for(given, wanted, talks=talks), sentence))
    return [*{one.source: one for one in reversed(found)}.values()][::-1]


def _body(block: str) -> str:
    lines = block.rstrip("\n").split("\n")
    if lines[0].startswith("```"):
        lines = lines[1:-1]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines).strip("\n") + "\n"


def _printed_for(given: str, wanted: str, *, talks: bool) -> str:
    """Returns a test that the program, given this text, prints what is wanted. One that `talks` with who types may
    print what it asks for before that, on lines of its own or on the same one."""
    if not talks:
        return prints(typed(given), wanted)
    lines = "\n".join(line.rstrip() for line in wanted.rstrip().splitlines())
    shown = "shown = '\\n'.join(line.rstrip() for line in ran.stdout.rstrip().splitlines())\n"
    asked = f"asked = shown.removesuffix({lines!r})\n"
    claim = "assert asked != shown and asked[-1:] in ('', ' ', '\\n', ':', '?', '>')"
    return f"ran = {typed(given)}\n{shown}{asked}{claim}"
