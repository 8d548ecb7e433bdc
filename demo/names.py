"""Names that a person understands, for what the engine numbers: programs and checks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agent.state import AttemptKind

from .view import RunView

_FIRST: Mapping[AttemptKind, str] = {
    "given": "Your code",
    "first": "First try",
    "independent": "Second opinion",
    "repair": "Repair 1",
    "rewrite": "Fresh start",
}
_LATER: Mapping[AttemptKind, str] = {
    "given": "Your code {}",
    "first": "First try {}",
    "independent": "Opinion {}",
    "repair": "Repair {}",
    "rewrite": "Fresh start {}",
}
_PROGRAM = re.compile(r"\b(?:[Pp]rogram )?(c\d+)\b")
_EXAMPLE = re.compile(r"test_example_(\d+)$")


def attempt_names(view: RunView) -> dict[str, str]:
    """Candidate id -> "First try", "Repair 1", "Second opinion"."""
    seen: dict[AttemptKind, int] = {}
    names: dict[str, str] = {}
    for one in view.candidates:
        if one.candidate in names:
            continue
        seen[one.attempt] = seen.get(one.attempt, 0) + 1
        number = seen[one.attempt]
        # A second program is the second opinion; the next independent one is the third.
        shown = number + 1 if one.attempt == "independent" else number
        names[one.candidate] = _FIRST[one.attempt] if number == 1 else _LATER[one.attempt].format(shown)
    return names


def in_words(names: Mapping[str, str], text: str) -> str:
    """The text with the engine's "c2" replaced by the program's name; other words stay as they are."""
    return _PROGRAM.sub(lambda found: f"“{names[found[1]]}”" if found[1] in names else found[0], text)


def check_words(view: RunView, check: str) -> str:
    """What a check asks, in words: the promised example itself, else its name without the technical parts."""
    name = check.rpartition(".")[2] or check
    example = _EXAMPLE.search(name)
    promised = view.brief.examples if view.brief else ()
    if check.startswith("task.") and example and int(example[1]) <= len(promised):
        return promised[int(example[1]) - 1].removeprefix("assert ")
    plain = name.removeprefix("test_").removeprefix("property_").replace("_", " ").strip()
    return sentence_case(plain) or name


def is_property(check: str) -> bool:
    return "test_property_" in check


def sentence_case(words: str) -> str:
    return words[:1].upper() + words[1:]
