"""Reads sample runs of a program that uses stdin and stdout."""

from __future__ import annotations

import re

from agent.examples.grammar.doubts import Doubts
from agent.examples.grammar.reading import read
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
_EXPECTED = re.compile(rf"[ \t>*#-]*{any_of('expected_label')}\**[ \t]*:", re.I)
_RIVAL = rf"(?:{_EXPECTED.pattern}|[ \t>*#-]*{any_of('actual_label')}\**[ \t]*:)"
_FENCED = r"```[\w]*\n[\s\S]*?\n```"
_SAMPLE = re.compile(
    rf"^{_label(INPUT)}{_ENDS}"
    rf"(?P<given>{_FENCED}|(?:[ ]{{4}}[^\n]*\n){{1,60}}|"
    rf"(?:(?!{_label(INPUT)}{_ENDS}|{_label(OUTPUT)})(?:[^\n]+\n|\n(?=[^\n]*[^\n.:!?]\n))){{1,60}})\s*"
    rf"^{_label(OUTPUT)}{_ENDS}"
    rf"(?P<wanted>{_FENCED}|(?:[ ]{{4}}[^\n]*(?:\n|$)){{1,60}}"
    rf"|(?:(?!{_label(INPUT)}{_ENDS}|{_RIVAL})[^\n]+(?:\n|$)){{1,60}})",
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
    talks = has(text, "talks")
    pairs, seen = _samples(text)
    pairs += [one for one in typed_in(text) if one[0] not in seen]
    told = [Example(_printed_for(given, wanted, talks=talks), said) for given, wanted, said in _only_right(text, pairs)]
    found = [*told, *session_examples(text)]
    return [*{one.source: one for one in reversed(found)}.values()][::-1]


def _only_right(text: str, pairs: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Returns the runs without those beside which another output is right too: where any answer is, only one word such
    as "NO" is sure, and where any order is, a single thing."""
    if has(text, "any_answer"):
        return [one for one in pairs if re.fullmatch(r"\W*(?:[^\W\d_]+|-1)\W*", one[1])]
    return [one for one in pairs if len(one[1].split()) < 2] if has(text, "any_order") else pairs


def _samples(text: str) -> tuple[list[tuple[str, str, str]], set[str]]:
    """Returns (input, output, quotation) of each sample run, and every text that stands under the label of an input: it
    may only describe one. Above samples that are marked as such, all that is not marked and has words does."""
    found, seen = list[tuple[str, str, str]](), set[str]()
    shown = [*_SAMPLE.finditer(text)]
    marked = [_is_marked(text, match) for match in shown]
    for place, match in enumerate(shown):
        around = text[: match.start()] + text[match.end() :]
        block, given = match.group("wanted"), _body(match.group("given"))
        wanted = _body(block) if block.startswith("```") else without_explanation(_body(block), around)
        led_by_words = any(marked[place:]) and re.search(r"[^\W\d_]", given) is not None
        told = not marked[place] and (led_by_words or are_described(given, wanted, around))
        seen.add(given)
        if not told and wanted.strip() and "..." not in given + wanted and not _is_reported(text, match):
            found.append((given, wanted, " ".join(match.group().split())))
    return found, seen


def _is_reported(text: str, match: re.Match[str]) -> bool:
    """Returns whether the run shows what a program does now: the output that is expected instead stands below it, or a
    line that ends with a colon says so above it."""
    if _EXPECTED.match(text[match.end() :].lstrip()):
        return True
    above = text[: match.start()].rstrip()
    lead = above.rpartition("\n")[2]
    doubts = Doubts(read(text))
    return lead.endswith(":") and doubts.between(len(above) - len(lead), len(above), "reported", "imagined")


def _is_marked(text: str, match: re.Match[str]) -> bool:
    """Returns whether a word for an example, or a number, stands in the label or above it. Without one, contest
    statements describe the input and the output, above the samples: "Input", "The first line holds n."."""
    above = text[: match.start()].rstrip().rpartition("\n")[2]
    label = match.group().lstrip().partition("\n")[0]
    marked = _HEADING.fullmatch(above) or pattern("example").search(label) or re.search(r"\d", label)
    return marked is not None


def _body(block: str) -> str:
    lines = block.rstrip("\n").split("\n")
    if lines[0].startswith("```"):
        lines = lines[1:-1]
    if all(re.fullmatch(r"[ \t]*`[^`\n]+`[ \t]*", line) for line in lines):
        lines = [line.strip(" \t`") for line in lines]
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
