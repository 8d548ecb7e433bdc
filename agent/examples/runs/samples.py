"""Reads sample runs of a program that uses stdin and stdout."""

from __future__ import annotations

import re

from agent.examples.types import Example
from agent.examples.vocabulary import Phrase, any_of, has, pattern

from .commands import INPUT, OUTPUT, prints, session_examples, typed
from .described import are_described, without_explanation
from .typed_in import typed_in

_OF = r"\s*(?:de |di |d['\u2019]\s*)?"
_LABEL = rf"[ \t>*#-]*(?:{{example}}{_OF})?{{name}}(?:{_OF}{{example}})?\**"
"""Matches "Sample input", "Entrada de ejemplo", "输入样例" and the like at the beginning of a line."""


def _label(name: str) -> str:
    return _LABEL.format(example=any_of("example"), name=name)


_ENDS = r"(?:[ \t]*#?\d+)?[ \t]*[:\uff1a]?\**[ \t]*\n+"
_FENCED = r"```[\w]*\n[\s\S]*?\n```"
_SAMPLE = re.compile(
    rf"^{_label(INPUT)}{_ENDS}"
    rf"(?P<given>{_FENCED}|(?:[ ]{{4}}[^\n]*\n){{1,60}}|"
    rf"(?:(?!{_label(INPUT)}{_ENDS}|{_label(OUTPUT)})(?:[^\n]+\n|\n(?=[^\n]*[^\n.:!?]\n))){{1,60}})\s*"
    rf"^{_label(OUTPUT)}{_ENDS}"
    rf"(?P<wanted>{_FENCED}|(?:[ ]{{4}}[^\n]*(?:\n|$)){{1,60}}|(?:[^\n]+(?:\n|$)){{1,60}})",
    re.M | re.I,
)


_SECTIONS = re.compile(
    rf"^{_label(INPUT)}(?:\s*(?:format|格式))?{_ENDS}[^\n][\s\S]*?^{_label(OUTPUT)}(?:\s*(?:format|格式))?{_ENDS}[^\n]",
    re.M | re.I,
)
_HEADING = Phrase(r"\W*{example}[ \t]*\d*\W*")


def has_sections(text: str) -> bool:
    """Returns whether a part of the text is headed as input and a later one as output."""
    return _SECTIONS.search(text) is not None


def program_examples(text: str) -> list[Example]:
    """Returns examples that use `run_program`, for each sample run and each command that is shown or told. Outputs are
    compared line by line, without trailing blanks."""
    found: list[Example] = []
    talks = has(text, "talks")
    for match in _SAMPLE.finditer(text):
        given, wanted = _body(match.group("given")), without_explanation(_body(match.group("wanted")))
        told = _is_description(text, match, given, wanted)
        if wanted.strip() and "..." not in given + wanted and not told:
            found.append(Example(_printed_for(given, wanted, talks=talks), " ".join(match.group().split())))
    found += session_examples(text)
    for given, wanted, sentence in typed_in(text):
        found.append(Example(_printed_for(given, wanted, talks=talks), sentence))
    return [*{one.source: one for one in reversed(found)}.values()][::-1]


def _is_description(text: str, match: re.Match[str], given: str, wanted: str) -> bool:
    """Returns whether a label without a word for an example stands above what describes input or output, as in contest
    statements: "Input", "The first line holds n.", "Output", "Print the sum."."""
    above = text[: match.start()].rstrip().rpartition("\n")[2]
    label = match.group().lstrip().partition("\n")[0]
    if _HEADING.fullmatch(above) or pattern("example").search(label) or re.search(r"\d", label):
        return False
    return are_described(given, wanted, text[: match.start()] + text[match.end() :])


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
